"""The box in joint space that is searched: joint limits, a seed state and consistency limits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros import _core
from generative_ik_ros.arguments import joint_array
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.joints import MovingJoints
from generative_ik_ros.robot.limits import read_inside
from generative_ik_ros.robot.rigid import TURN


@dataclass(frozen=True)
class SearchSpace:
    """The part of joint space that is searched, and when two solutions in it are the same.

    Attributes:
        lower: (n,) lower bounds of solutions: limits and consistency limits, finite [rad or m].
        upper: (n,) upper bounds.
        circular: (n,) joints that are searched on the whole circle.
        reference: (n,) seed state, or the middle of the bounds: full turns are counted from it.
        box: (7, n) lower, upper, the local solver's lower and upper bounds (infinite where a joint
            may cross the edge of the box, because both edges are the same position), reference,
            the longest step from one solution to another, and the weights of a rad or m in the
            distance from a seed state (0 without one).
        grid: The grid by which duplicates are found, see `core/src/search/grid.hpp`.
        narrowed: Whether there are consistency limits.
    """

    lower: Floats
    upper: Floats
    circular: Bools
    reference: Floats
    box: Floats
    grid: tuple[Floats, Ints]
    narrowed: bool

    @classmethod
    def of(
        cls,
        chain: MovingJoints,
        distinct_distance: float,
        seed: Floats | None = None,
        consistency_limits: ArrayLike | None = None,
        joint_weights: Floats | None = None,
    ) -> "SearchSpace":
        """Lay out the space of a chain.

        Args:
            chain: The chain.
            distinct_distance: Solutions with no joint further apart are duplicates [rad or m].
            seed: (n,) seed state, or None.
            consistency_limits: (n,) largest distance of each joint from it, or None.
            joint_weights: (n,) weight of a rad or m in the distance from it; None: 1.

        Raises:
            InvalidArgumentError: The consistency limits are unusable; the message says why.
        """
        lower, upper, circular = _bounds(chain, seed, consistency_limits)
        middle = (lower + upper) / 2.0
        reference = middle if seed is None else np.clip(seed, lower, upper)
        weights = np.zeros(len(lower))
        if seed is not None:
            weights = np.ones(len(lower)) if joint_weights is None else joint_weights
        box, floats, ints = _core.search_space(
            lower, upper, reference, chain.joint_units, weights, circular, chain.continuous,
            distinct_distance,
        )  # fmt: skip
        narrowed = consistency_limits is not None
        return cls(lower, upper, circular, reference, box, (floats, ints), narrowed)

    def about(self, seed: Floats, joint_weights: Floats | None) -> "SearchSpace":
        """Return the same space about a seed state, for chains whose joints all have limits.

        It takes a third of the time of `of`, which it is equal to.
        """
        reference, box = np.clip(seed, self.lower, self.upper), self.box.copy()
        box[4], box[6] = reference, 1.0 if joint_weights is None else joint_weights
        return SearchSpace(
            self.lower, self.upper, self.circular, reference, box, self.grid, narrowed=False
        )


def _bounds(
    chain: MovingJoints, seed: Floats | None, consistency_limits: ArrayLike | None
) -> tuple[Floats, Floats, Bools]:
    """Return the finite search box and the joints that are circular in it."""
    centre = np.zeros(chain.num_joints) if seed is None else seed
    lower = np.where(chain.continuous, centre - np.pi, chain.lower)
    upper = np.where(chain.continuous, centre + np.pi, chain.upper)
    circular = chain.circular
    if consistency_limits is None:
        return lower, upper, circular
    if seed is None:
        raise InvalidArgumentError("consistency_limits need a seed_state to be measured from")
    reach = joint_array("consistency_limits", consistency_limits, chain.names)
    if np.isnan(reach).any() or (reach < 0.0).any():
        raise InvalidArgumentError("consistency_limits must not be negative or NaN")
    near = read_inside(seed, lower, upper, chain.prismatic, reach)
    narrow_lower = np.maximum(lower, near - reach)
    narrow_upper = np.minimum(upper, near + reach)
    outside = narrow_lower > narrow_upper
    if outside.any():
        names = [name for name, out in zip(chain.joint_names, outside, strict=True) if out]
        raise InvalidArgumentError(
            "seed_state is further outside the joint limits than consistency_limits allow: "
            + ", ".join(names)
        )
    return narrow_lower, narrow_upper, circular & (narrow_upper - narrow_lower >= TURN)
