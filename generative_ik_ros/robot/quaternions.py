"""Rotations as quaternions x, y, z, w and as matrices, in numpy.

SciPy has the same in `scipy.spatial`, whose import takes a fifth of the node's start.
"""

import numpy as np

from generative_ik_ros.array_types import Floats

_CYCLES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
"""The axes x, y and z, each with the two that follow it."""


def rotation_matrices(quaternions: Floats) -> Floats:
    """Return the rotations (..., 3, 3) of quaternions (..., 4) of any length but zero."""
    x, y, z, w = np.moveaxis(quaternions, -1, 0)
    double = 2.0 / (x * x + y * y + z * z + w * w)
    rows = [
        [1.0 - double * (y * y + z * z), double * (x * y - z * w), double * (x * z + y * w)],
        [double * (x * y + z * w), 1.0 - double * (x * x + z * z), double * (y * z - x * w)],
        [double * (x * z - y * w), double * (y * z + x * w), 1.0 - double * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def unit_quaternions(rotations: Floats) -> Floats:
    """Return the quaternions (..., 4) of rotations (..., 3, 3), of length 1, with w >= 0.

    Each is computed from its largest entry, so that nothing cancels (S. W. Shepperd, 1978).
    """
    r = np.asarray(rotations, dtype=np.float64)
    trace = np.trace(r, axis1=-2, axis2=-1)
    diagonal = np.diagonal(r, axis1=-2, axis2=-1)
    # Row k: four times the product of entry k with x, y, z and w.
    products = np.empty((*r.shape[:-2], 4, 4))
    products[..., 3, 3] = 1.0 + trace
    for i, j, k in _CYCLES:
        products[..., i, i] = 1.0 + 2.0 * diagonal[..., i] - trace
        products[..., i, j] = products[..., j, i] = r[..., i, j] + r[..., j, i]
        products[..., i, 3] = products[..., 3, i] = r[..., k, j] - r[..., j, k]
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    found = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    found /= np.linalg.norm(found, axis=-1, keepdims=True)
    return np.where(found[..., 3:] < 0.0, -found, found)
