"""One file for each side: what it needs, how it is set up, and its program."""
