"""Reachability maps: which poses a chain reaches, and where to place its base."""
