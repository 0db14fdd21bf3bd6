"""Collisions of a robot with itself and with obstacles: geometry, scenes, checks."""
