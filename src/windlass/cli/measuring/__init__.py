"""What `windlass bench` measures, and where."""
