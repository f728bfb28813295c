"""The connection of a process to Redis, and its manners: whatever is kept there may be gone."""
