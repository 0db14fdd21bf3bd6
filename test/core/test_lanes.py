"""Functions of vector lanes beside those of NumPy."""

import numpy as np

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.compiled.lanes import largest_of, load


@kernel()
def largest(numbers):
    return largest_of(load(numbers, 0))


def test_the_largest_lane(rng):
    for kind, width in ((np.float64, 8), (np.float32, 16)):
        for _ in range(20):
            numbers = rng.normal(size=width).astype(kind)
            assert largest(numbers) == numbers.max()
