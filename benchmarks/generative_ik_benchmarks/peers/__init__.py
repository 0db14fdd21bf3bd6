"""Solvers of others, behind the contract that ours is measured by."""
