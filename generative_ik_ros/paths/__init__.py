"""Paths: joint positions that follow a sequence of poses."""
