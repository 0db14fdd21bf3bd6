"""A chain comes in, the solvers of others go out behind the contract that ours is measured by."""
