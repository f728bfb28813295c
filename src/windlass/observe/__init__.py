"""What happens, told as events: to logs, to metrics, to nobody."""
