"""Pose errors of sampled configurations: their distribution, and successes by threshold."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.verification import rotation_angle
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError

Forward = Callable[[Floats], Floats]
"""Forward kinematics, (N, n) -> (N, 4, 4), that shares no code with what is measured."""


NEAR, EXACT = (1e-2, np.deg2rad(1.0)), (1e-5, 1e-5)
"""Errors up to which a sample is a success of GGIK's (T-RO section V-B, CoRL table 1), and up to
which it is exact [m and rad]."""


@dataclass(frozen=True)
class Summary:
    """Distribution of an error over T problems with K samples each, all in the error's unit.

    The papers' tables mix two kinds of figure: `mean`, the quartiles and the percentiles are of
    all samples together; GGIK's "min" and "max" are the least and the greatest error of each
    problem, averaged over the problems (CoRL table 1: "mean minimum and maximum error per
    problem"), here `mean_min` and `mean_max`.
    """

    mean: float = figure("Mean.")
    q1: float = figure("Lower quartile.")
    p50: float = figure("Median.")
    q3: float = figure("Upper quartile.")
    p90: float = figure("90th percentile.")
    p99: float = figure("99th percentile.")
    mean_min: float = figure("Least of each problem, averaged.")
    mean_max: float = figure("Greatest of each problem, averaged.")

    @classmethod
    def of(cls, errors: Floats) -> "Summary":
        """Sum up errors (T, K), or (K,) of one problem; percentiles interpolate linearly.

        Raises:
            InvalidArgumentError: There are none.
        """
        errors = np.atleast_2d(errors)
        if not errors.size:
            raise InvalidArgumentError("there are no errors to sum up")
        q1, p50, q3, p90, p99 = np.percentile(errors, (25, 50, 75, 90, 99))
        return cls(
            mean=float(errors.mean()),
            q1=float(q1),
            p50=float(p50),
            q3=float(q3),
            p90=float(p90),
            p99=float(p99),
            mean_min=float(errors.min(axis=1).mean()),
            mean_max=float(errors.max(axis=1).mean()),
        )


def pose_errors(forward: Forward, positions: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Measure how far the tip is from its target.

    The position error is the Euclidean distance (IKFlow's "L2 position error"), the orientation
    error the angle of the rotation between the two frames (GGIK T-RO section V-B: "the magnitude
    of the angle in the axis-angle representation of the difference in orientation").

    Args:
        forward: Independent forward kinematics, (N, n) -> (N, 4, 4) tip in base.
        positions: (..., n) configurations [rad or m].
        targets: (4, 4), or (..., 4, 4) that broadcasts to the configurations, tip in base [m].

    Returns:
        (...,) distances [m] and (...,) angles [rad].
    """
    positions = np.asarray(positions, np.float64)
    batch = positions.shape[:-1]
    reached = forward(positions.reshape(-1, positions.shape[-1])).reshape(*batch, 4, 4)
    wanted = np.broadcast_to(targets, reached.shape)
    distance = np.linalg.norm(reached[..., :3, 3] - wanted[..., :3, 3], axis=-1)
    return distance, rotation_angle(reached, wanted)


def successes(distance: Floats, angle: Floats, within: tuple[float, float]) -> tuple[float, float]:
    """Return the share of all samples within two errors, and of the problems with one of those.

    Args:
        distance: (T, K) position errors of K samples of each problem [m].
        angle: Their orientation errors [rad].
        within: The largest of each.
    """
    good = (distance <= within[0]) & (angle <= within[1])
    return float(good.mean()), float(good.any(axis=1).mean())
