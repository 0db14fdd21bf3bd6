"""Samplers propose seeds for the local solver; one file and one registry line each."""
