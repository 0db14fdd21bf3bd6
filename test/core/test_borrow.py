"""Arrays that compiled code borrows, beside NumPy's."""

import numpy as np

from generative_ik_ros.compiled.borrow import borrow, shaped
from generative_ik_ros.compiled.kernel import kernel


@kernel()
def laid_out(numbers, rows, columns, out):
    numbers = borrow(numbers)
    flat, table = shaped(numbers[1:], (rows,)), shaped(numbers[1:], (rows, columns))
    cube = shaped(numbers, (rows, 2, columns))
    for i in range(rows):
        out[i] = flat[i]
        for j in range(columns):
            out[rows + i * columns + j] = table[i, j]
    cube[1, 1, 2] = -7
    return flat.shape, table.shape, cube.shape, table.strides, cube.strides, cube[1].sum()


def test_shapes_over_flat_arrays():
    for kind in (np.float64, np.int64):
        numbers, out = np.arange(30).astype(kind), np.zeros(16, kind)
        expected = numbers.copy()
        table, cube = expected[1:13].reshape(4, 3).copy(), expected[:24].reshape(4, 2, 3)
        shapes = laid_out(numbers, 4, 3, out)
        cube[1, 1, 2] = -7
        assert shapes == ((4,), (4, 3), (4, 2, 3), (24, 8), (48, 24, 8), cube[1].sum())
        assert np.array_equal(numbers, expected)
        assert np.array_equal(out, [*range(1, 5), *table.ravel()])
