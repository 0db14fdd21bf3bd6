"""Selection: refined configurations in, verified and distinct ones out, best first."""
