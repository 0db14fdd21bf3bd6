"""GGIK (Limoyo et al., T-RO, arXiv 2209.08812): an arm's graph and a pose in, seeds out."""
