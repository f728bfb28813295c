"""A shop that takes orders and mails about them."""
