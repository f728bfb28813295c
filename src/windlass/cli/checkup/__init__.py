"""What `windlass doctor` looks at, one part of the whole per file."""
