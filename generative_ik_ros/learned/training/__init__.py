"""Chains in, trained weights of the learned samplers out."""
