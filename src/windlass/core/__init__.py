"""Decisions without effects: pure values and functions, standard library only."""
