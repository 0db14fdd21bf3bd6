"""Parts of compiled kernels: vectors of numbers in registers, and arrays that nobody counts."""
