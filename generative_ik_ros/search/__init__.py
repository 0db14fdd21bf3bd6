"""Search: targets and a sampler in, verified and distinct solutions out."""
