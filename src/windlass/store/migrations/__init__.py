"""Numbered steps of the database's schema, one folder per dialect."""
