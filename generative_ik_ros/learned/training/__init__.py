"""Training of the learned samplers."""
