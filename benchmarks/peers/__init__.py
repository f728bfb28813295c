"""Windlass beside its peers: every side does the same jobs, each in a program of its own."""
