"""The service: every route of the API, and who may use it."""
