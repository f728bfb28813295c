"""Hints that work may be waiting. Losing one costs latency, never a job."""
