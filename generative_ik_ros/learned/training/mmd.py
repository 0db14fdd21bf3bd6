"""Maximum mean discrepancy of two sets of configurations.

What is known of the papers' figure, and what is not:

- IKFlow (Ames, Morgan, Konidaris, RA-L 2022, section II-B3, table II and its caption): inverse
  multiquadric kernel; least value 0, greatest 2, so it is the squared discrepancy, estimated with
  the diagonal terms (the biased estimate of A. Gretton et al., A kernel two-sample test, JMLR
  2012, equation 5, which alone cannot be negative); 250 samples of each kind a pose, mean over
  1000 poses. The paper does not say the kernel's parameters, nor the tolerances of its rejection
  sampling.
- The code that its authors published (github.com/jstmn/ikflow, src/demos/calculations.py and
  src/math_utils.py before 2023) fills the gap: one term with C = 1.1827009364464547, a = 0.2,
  k = C^a ((C + d^2) / a)^-a, on raw joint angles, and as the other set not rejection samples but
  what a numerical solver finds from random seeds. Its k(0) is a^a = 0.725, not 1, so that its
  greatest value is 1.45 and not the 2 of the caption; which of the two table II was made with is
  open. `IKFLOW` is the code's kernel, `UNIT` the same scaled to the caption's greatest value:
  figures differ by the constant factor 1.38. The kernel that the paper cites for it (Ardizzone
  et al., Analyzing inverse problems with invertible neural networks, ICLR 2019) is
  1 / (1 + d^2 / h^2), which is `InverseMultiquadric(h**2, 1.0)`.
- GGIK (CoRL workshop version, table 1 and section 5.1): 50 samples a pose, mean over 50 poses,
  against rejection samples with tolerances of 8 cm and 8 degrees. It
  names neither kernel nor estimator. It cites IKFlow, so `IKFLOW` is our reading.

The kernel is blunt: uniform draws from the joint box, which no solver would offer, score 0.06
against the Panda's solutions and 0.10 against the UR10's, where table II has 0.030 for the Panda
and GGIK 0.21 for the UR10. A figure means something only beside that of uniform draws, and GGIK's
suggest that its kernel is another. Coverage tells more.

Both papers compare joint angles as numbers: two configurations on both sides of the cut of a
circle are far apart.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

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

    def __call__(
        self, one: NDArray[np.float64], other: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the kernel (N, M) of all pairs of (N, d) and (M, d) points."""
        squared = cdist(one, other, "sqeuclidean")
        width = np.float64(self.squared_width)
        return self.gain * (width / (width + squared)) ** self.exponent


_WIDTH, _EXPONENT = 1.1827009364464547, 0.2
IKFLOW = InverseMultiquadric(_WIDTH, _EXPONENT, gain=_EXPONENT**_EXPONENT)
"""As in IKFlow's published code."""
UNIT = InverseMultiquadric(_WIDTH, _EXPONENT)
"""The same, 1 at distance 0, so that the discrepancy is at most 2 as IKFlow's table II says."""


def squared_mmd(
    samples: NDArray[np.float64],
    reference: NDArray[np.float64],
    kernel: InverseMultiquadric = IKFLOW,
    *,
    unbiased: bool = False,
) -> float:
    """Estimate the squared maximum mean discrepancy of two distributions from samples of them.

    Args:
        samples: (N, d) points of one.
        reference: (M, d) points of the other.
        kernel: Similarity of two points.
        unbiased: Leave out each point's similarity to itself (Gretton et al. 2012, equation 3):
            right on average, but possibly below 0. The papers keep it in.

    Returns:
        0 for equal sets, at most twice the kernel's gain.

    Raises:
        InvalidArgumentError: A set has too few points.
    """
    least = 2 if unbiased else 1
    if min(len(samples), len(reference)) < least:
        raise InvalidArgumentError(
            f"a discrepancy needs sets of {least} points or more, not of {len(samples)} and "
            f"{len(reference)}"
        )
    within = [_mean_similarity(kernel, points, unbiased) for points in (samples, reference)]
    return sum(within) - 2.0 * float(kernel(samples, reference).mean())


def expected_of_equals(
    reference: NDArray[np.float64], count: int, kernel: InverseMultiquadric = IKFLOW
) -> float:
    """Return what the biased estimate is on average for two sets of one and the same distribution.

    It is 2 (k(0) - E k) / count, E k over independent pairs: the level below which a figure from
    so few samples says nothing.

    Args:
        reference: (M, d) points of the distribution, two or more.
        count: Samples in each of the two sets.
        kernel: Similarity of two points.
    """
    return 2.0 * (kernel.gain - _mean_similarity(kernel, reference, True)) / count


def _mean_similarity(
    kernel: InverseMultiquadric, points: NDArray[np.float64], unbiased: bool
) -> float:
    similarity, count = kernel(points, points), len(points)
    if unbiased:
        return float((similarity.sum() - np.trace(similarity)) / (count * (count - 1)))
    return float(similarity.mean())
