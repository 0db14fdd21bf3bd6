"""What a maximum mean discrepancy means, and the level below which it says nothing.

What is known of the papers' figure, and what is not:

- IKFlow (Ames, Morgan, Konidaris, RA-L 2022, section II-B3, table II and its caption): inverse
  multiquadric kernel; least value 0, greatest 2, so it is the squared discrepancy, estimated with
  the diagonal terms (the biased estimate of A. Gretton et al., A kernel two-sample test, JMLR
  2012, equation 5, which alone cannot be negative); 250 samples of each kind per pose, mean over
  1000 poses. The paper gives neither the kernel's parameters nor the tolerances of its rejection
  sampling.
- The code that its authors published (github.com/jstmn/ikflow, src/demos/calculations.py and
  src/math_utils.py before 2023) fills the gap: one term with C = 1.1827009364464547, a = 0.2,
  k = C^a ((C + d^2) / a)^-a, on raw joint angles, and as the other set not rejection samples but
  what a numerical solver finds from random seeds. Its k(0) is a^a = 0.725, not 1, so that its
  greatest value is 1.45 and not the 2 of the caption; which of the two table II was made with is
  open. Our `IKFLOW` is the code's kernel; scaled to the caption's greatest value, figures would be
  larger by the constant factor 1.38. The kernel that the paper cites for it (Ardizzone et al.,
  Analyzing inverse problems with invertible neural networks, ICLR 2019) is 1 / (1 + d^2 / h^2),
  which is `InverseMultiquadric(h**2, 1.0)`.
- GGIK (CoRL workshop version, table 1 and section 5.1): 50 samples per pose, mean over 50 poses,
  against rejection samples with tolerances of 8 cm and 8 degrees. It names neither kernel nor
  estimator. It cites IKFlow, so `IKFLOW` is our reading.

The kernel hardly discriminates: uniform draws from the joint box, which no solver would offer,
score 0.06 against the Panda's solutions and 0.10 against the UR10's, where table II has 0.030 for
the Panda and GGIK 0.21 for the UR10. A figure means something only beside that of uniform draws,
and GGIK's suggest that its kernel is another. Coverage tells more.

Both papers compare joint angles as numbers: two configurations on either side of the cut of a
circle are far apart.
"""

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.training.mmd import IKFLOW


def expected_of_equals(reference: Floats, count: int) -> float:
    """Return what the biased estimate is on average for two sets of one and the same distribution.

    It is 2 (k(0) - E k) / count, E k over independent pairs: the level below which a figure from
    so few samples says nothing.

    Args:
        reference: (M, d) points of the distribution, two or more.
        count: Samples in each of the two sets.
    """
    similarity, points = IKFLOW(reference, reference), len(reference)
    of_pairs = float((similarity.sum() - np.trace(similarity)) / (points * (points - 1)))
    return 2.0 * (IKFLOW.gain - of_pairs) / count
