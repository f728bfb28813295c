"""The store keeps jobs and answers for every promise about them."""
