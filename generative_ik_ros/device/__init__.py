"""Calls on a GPU: where its kernels are, whether it is there, and from which size on it pays."""
