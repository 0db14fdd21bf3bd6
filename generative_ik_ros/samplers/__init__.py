"""Samplers: target poses in, seeds for the local solver out."""
