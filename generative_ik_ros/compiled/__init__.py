"""Building blocks of compiled kernels: SIMD lanes, borrowed arrays, parts and the cache."""
