"""A service under load: the server, and the callers that ask it."""
