"""The choice of solutions: verified, distinct, best first."""
