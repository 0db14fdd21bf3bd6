"""Collisions of a robot with itself and with obstacles: geometry, compiled checks, exact checks."""
