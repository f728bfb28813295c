"""The layers around the API: each sees a request before it, and may answer in its place."""
