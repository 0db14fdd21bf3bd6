"""Kinematic chains as distance-geometric graphs, and as the links between their joint axes."""
