"""What goes over HTTP, in one definition for the service and for its clients."""
