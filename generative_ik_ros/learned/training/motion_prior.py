"""A motion prior: configurations that a robot has been seen in, for a flow to learn."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.demonstrations import different, in_pieces


@dataclass(frozen=True)
class RecordingTuning:
    """How recordings are measured."""

    outside: float = 1e-3
    """Joints may be so far beyond their limits, as encoders report them [rad or m]."""
    queries: int = 500
    """Points that the spread is measured at."""
    most: int = 20_000
    """Points that it is measured from."""


TUNING = RecordingTuning()


class MotionPrior(NamedTuple):
    """What a flow learns instead of all configurations alike: a kernel density estimate.

    Attributes:
        points: (M, n) of the joint box, to learn from.
        held_out: (H, n) likewise, to measure with.
        spread: Standard deviation by which points are moved at random, in half widths of the box.
        uniform_share: Share of the samples that are uniform in the limits.
    """

    points: Floats
    held_out: Floats
    spread: float
    uniform_share: float


def motion_prior(
    chain: KinematicChain, configurations: Floats, uniform_share: float
) -> MotionPrior:
    """Prepare configurations (M, n) [rad or m], in the order in which they were recorded.

    Raises:
        InvalidArgumentError: One is outside the limits, or there are too few different ones.
    """
    _check_limits(chain, configurations)
    rows, box = different(configurations), JointBox.of(chain)
    points = box.inside(rows, box.middle - box.half, box.middle + box.half) - box.middle
    points = points / box.half
    piece, held_out = in_pieces(len(points))
    spread = _spread(points, piece, box.circular)
    return MotionPrior(points[~held_out], points[held_out], spread, uniform_share)


def _check_limits(chain: KinematicChain, configurations: Floats) -> None:
    """Complain of the first configuration that the chain cannot have."""
    over = np.maximum(configurations - chain.upper, chain.lower - configurations)
    row, joint = np.unravel_index(np.argmax(over), over.shape)
    if over[row, joint] > TUNING.outside:
        raise InvalidArgumentError(
            f"configuration {row} has joint '{chain.names[joint]}' at "
            f"{configurations[row, joint]:.4g}, outside its limits {chain.lower[joint]:.4g} to "
            f"{chain.upper[joint]:.4g}"
        )


def _spread(points: Floats, piece: Ints, circular: Bools) -> float:
    """Return the spread that explains each piece of a recording best by the other pieces.

    Cross-validated maximum likelihood of a kernel density estimate (B. Silverman, Density
    estimation for statistics and data analysis, 1986, section 3.4.4).
    """
    kept = slice(None, None, -(-len(points) // TUNING.most))
    some, pieces = points[kept], piece[kept]
    squares, step = [], -(-len(some) // TUNING.queries)
    for point, own in zip(some[::step], pieces[::step], strict=True):
        apart = np.abs(some[pieces != own] - point)
        apart = np.where(circular, np.minimum(apart, 2.0 - apart), apart)
        squares.append(np.square(apart).sum(axis=1))
    spreads = np.geomspace(0.005, 0.5, 24)
    likelihoods = [
        np.mean([logsumexp(-0.5 * row / spread**2) for row in squares])
        - points.shape[1] * np.log(spread)
        for spread in spreads
    ]
    return float(spreads[np.argmax(likelihoods)])
