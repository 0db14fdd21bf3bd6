"""Distal teaching: feed-forward networks from a pose to a configuration."""
