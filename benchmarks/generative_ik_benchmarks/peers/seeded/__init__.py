"""Solvers of others that are called with a seed state: one a file, and their registry."""
