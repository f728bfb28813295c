"""Claims jobs, runs them, and settles what they come to."""
