"""Chores that keep the store in order; any node may do them, and two at once do no harm.

A chore answers 0 when it left work behind, else when it wants its next turn, or nothing.
"""
