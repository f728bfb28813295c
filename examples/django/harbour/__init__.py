"""A project with one app, and one backend for its tasks."""
