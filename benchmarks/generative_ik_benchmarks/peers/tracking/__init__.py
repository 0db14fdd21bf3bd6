"""Trackers of others: one a file, and their registry."""
