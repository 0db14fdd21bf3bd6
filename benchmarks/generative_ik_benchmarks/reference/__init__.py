"""Targets come in, sets of configurations that stand for all their solutions go out."""
