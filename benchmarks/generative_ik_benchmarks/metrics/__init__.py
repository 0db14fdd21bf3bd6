"""Sampled configurations come in, figures go out: one metric a module, each with its source."""
