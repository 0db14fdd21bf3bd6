"""Maximum mean discrepancy of two sets of configurations, with the kernel of IKFlow's code.

Its source, and what is not known of the papers' figures, is in the benchmarks' `metrics/mmd.py`.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError


@dataclass(frozen=True)
class InverseMultiquadric:
    """The kernel gain (C / (C + d^2))^a of the Euclidean distance d.

    Attributes:
        squared_width: C [rad^2].
        exponent: a; 1/2 in most textbooks.
        gain: Its value at distance 0.
    """

    squared_width: float
    exponent: float
    gain: float = 1.0

    def __call__(self, one: Floats, other: Floats) -> Floats:
        """Return the kernel (N, M) of all pairs of (N, d) and (M, d) points."""
        squared = cdist(one, other, "sqeuclidean")
        width = np.float64(self.squared_width)
        return self.gain * (width / (width + squared)) ** self.exponent


IKFLOW = InverseMultiquadric(1.1827009364464547, 0.2, gain=0.2**0.2)
"""As in IKFlow's published code."""


def squared_mmd(samples: Floats, reference: Floats, kernel: InverseMultiquadric = IKFLOW) -> float:
    """Estimate the squared maximum mean discrepancy of two distributions from samples of them.

    The biased estimate (Gretton et al., A kernel two-sample test, JMLR 2012, equation 5), as in
    the papers: it includes each point's similarity to itself.

    Args:
        samples: (N, d) points of one.
        reference: (M, d) points of the other.
        kernel: Similarity of two points.

    Returns:
        0 for equal sets, at most twice the kernel's gain.

    Raises:
        InvalidArgumentError: A set is empty.
    """
    if not len(samples) or not len(reference):
        raise InvalidArgumentError(
            f"a discrepancy needs points in both sets, not {len(samples)} and {len(reference)}"
        )
    within = (float(kernel(points, points).mean()) for points in (samples, reference))
    return sum(within) - 2.0 * float(kernel(samples, reference).mean())
