"""Building blocks of compiled kernels: SIMD lanes, borrowed arrays, parts and the cache."""

WIDTH, SINGLE_WIDTH = 8, 16
"""Lanes of float64 and of float32: 512 bits both. Arrays are laid out by them where no kernel is
imported."""
