"""Reference sets: configurations that stand for all solutions of a target."""
