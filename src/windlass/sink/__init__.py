"""A mail server that delivers nothing: it keeps what it is given, to be looked at."""
