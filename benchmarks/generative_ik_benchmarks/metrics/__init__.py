"""Metrics of sampled configurations, one a module, each with its source."""
