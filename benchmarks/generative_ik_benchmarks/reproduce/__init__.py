"""Chains and trained weights in, a paper's tables with our rows out; one file a paper."""
