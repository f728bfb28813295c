"""Tests of windlass, and the services they run against."""
