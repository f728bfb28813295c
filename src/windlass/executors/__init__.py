"""Executors know one type of job each: the shape of its payload and how to run it."""
