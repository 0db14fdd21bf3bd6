"""The search for verified, distinct solutions of targets."""
