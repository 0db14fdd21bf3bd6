"""A checked call of IKSolver.solve, with every default filled in."""

import math
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros._core import CollisionWorld
from generative_ik_ros.arguments import (
    MAX_SEED,
    MAX_SOLUTIONS,
    joint_array,
    positive_number,
    true_or_false,
    whole_number,
)
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.errors import (
    InvalidArgumentError,
    InvalidTargetError,
    listed,
    warn_caller,
)
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import MovingJoints
from generative_ik_ros.robot.limits import overshoot
from generative_ik_ros.robot.region import RegionArgument, TaskSpaceRegion, check_regions
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.robot.targets import check_targets
from generative_ik_ros.select.preferences import DIVERSE, NEAREST, Preferences, check_order
from generative_ik_ros.space import SearchSpace

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck
    from generative_ik_ros.robot.kinematic_tree import KinematicTree
    from generative_ik_ros.select.own_score import OwnScore

MAX_VALUES = 2**28
"""Most numbers in one result: targets x solutions x joints, 2 GiB of float64."""


class SeedStates(NamedTuple):
    """A seed state for each target.

    Attributes:
        states: (B, n) inside the joint limits [rad or m].
        space_about: Returns the space to search about one of them (n,).
        limits: (n,) consistency limits [rad or m], or None. The states are as given then.
    """

    states: Floats
    space_about: Callable[[Floats], SearchSpace]
    limits: Floats | None


class SolveRequest(NamedTuple):
    """A checked call of IKSolver.solve for B targets.

    Attributes:
        targets: (B, 4, 4) tip in base [m], exact rotations; (B, G, 4, 4) with regions.
        num_solutions: N >= 1.
        seed_state: (n,) inside the limits, or None.
        seed_states: Instead, one for each target; `space` is then the whole.
        space: Where to search.
        timeout: [s], inf for none.
        random_seed: Not negative.
        check: The robot among its obstacles, if solutions must be free of collisions.
        preferences: Which solutions are returned, and in what order.
        regions: (1, G) regions about the targets; None: poses for the one tip of a chain.
        alternatives: Number of poses if they are one target, any of which will do; else 0.
    """

    targets: Floats
    num_solutions: int
    seed_state: Floats | None
    space: SearchSpace
    timeout: float
    random_seed: int
    check: "SceneCheck | None" = None
    preferences: Preferences = Preferences()
    regions: tuple[tuple[TaskSpaceRegion, ...], ...] | None = None
    alternatives: int = 0
    seed_states: SeedStates | None = None

    def about(self, t: int) -> "SolveRequest":
        """Return the request of target t alone, about its own seed state."""
        assert self.seed_states is not None  # noqa: S101
        space = self.seed_states.space_about(self.seed_states.states[t])
        return self._replace(
            targets=self.targets[t : t + 1], seed_state=space.reference, space=space,
            seed_states=None,
        )  # fmt: skip

    def of(self, rows: Ints) -> "SolveRequest":
        """Return the request of some of its targets (A,)."""
        seeds = self.seed_states
        if seeds is not None:
            seeds = seeds._replace(states=seeds.states[rows])
        return self._replace(targets=self.targets[rows], seed_states=seeds)

    @property
    def world(self) -> CollisionWorld | None:
        """The robot among its obstacles, for the core; None if collisions are not checked."""
        return None if self.check is None else self.check.world

    @property
    def joint_weights(self) -> Floats:
        """Weights (n,) of a rad or m of each joint in the distance from a seed state."""
        given = self.preferences.joint_weights
        return np.ones(len(self.space.reference)) if given is None else given

    @property
    def num_targets(self) -> int:
        """Number B of targets; a goal set is one."""
        return 1 if self.alternatives else len(self.targets)

    @property
    def takes_any(self) -> bool:
        """Whether any one solution will do."""
        return self.num_solutions == 1 and self.preferences.order == DIVERSE

    @property
    def comes_nearest(self) -> bool:
        """Whether solutions are ordered by their distance from a seed state and nothing else."""
        nearest = self.seed_state is not None and self.preferences.order == NEAREST
        return nearest and not (self.preferences.optimize or self.alternatives)

    @property
    def breadth(self) -> int:
        """Factor of the solutions that optimization starts from, 1 for one tip on one pose.

        Solution sets have a part for each combination of the arms' branches, or for each pose.
        """
        tips = 1 if self.targets.ndim == 3 else self.targets.shape[1]
        return 8 if max(tips, self.alternatives) > 1 else 1


def check_request(
    chain: "KinematicChain | KinematicTree",
    whole: SearchSpace,
    distinct_distance: float,
    targets: ArrayLike,
    num_solutions: int,
    seed_state: ArrayLike | None,
    consistency_limits: ArrayLike | None,
    timeout: float | None,
    random_seed: int | None,
    check: "SceneCheck | None" = None,
    order_by: "str | OwnScore | None" = None,
    joint_weights: ArrayLike | None = None,
    optimize: bool = False,
    region: RegionArgument = None,
    goal_set: bool = False,
) -> SolveRequest:
    """Check every argument of IKSolver.solve.

    `whole` is the space to search without a seed state, `distinct_distance` [rad or m] is for a
    space about one. `check` is passed on.

    Raises:
        InvalidTargetError: A target is no pose.
        InvalidArgumentError: Another argument is unusable; the message says which and why.
    """
    poses, regions = _poses(chain, targets, region, goal_set)
    count = whole_number("num_solutions", num_solutions, 1, MAX_SOLUTIONS)
    if len(poses) * count * chain.num_joints > MAX_VALUES:
        raise InvalidArgumentError(
            f"{len(poses)} targets x {count} solutions x {chain.num_joints} joints are more than "
            f"{MAX_VALUES} numbers; ask in several calls"
        )
    preferences = check_order(
        order_by, joint_weights, optimize, chain.names, seed_state is not None, check is not None,
        region is not None,
    )  # fmt: skip
    seed, space, seeds = None, whole, None
    if seed_state is not None or consistency_limits is not None:
        rest = _limits(chain, consistency_limits), preferences.joint_weights
        about = partial(_space_about, chain, whole, distinct_distance, *rest)
        given = None if seed_state is None else _seed_state(chain, seed_state, len(poses))
        if given is not None and given.ndim == 2:
            seeds = _seed_states(chain, given, about, rest[0], goal_set)
        else:
            space = _space_of(chain, given, about)
            seed = space.reference
    if type(timeout) is int:  # which may be larger than any float
        timeout = min(timeout, sys.maxsize)
    end = math.inf
    if timeout is not None:
        end = positive_number("timeout", timeout, "number of seconds")
    number = 0
    if random_seed is not None:
        number = whole_number("random_seed", random_seed, 0, MAX_SEED)
    # In the order of its fields, which takes half of the time.
    return SolveRequest(
        poses, count, seed, space, end, number, check, preferences, regions,
        len(poses) if goal_set else 0, seeds,
    )  # fmt: skip


def _poses(
    chain: "KinematicChain | KinematicTree",
    targets: ArrayLike,
    region: RegionArgument,
    goal_set: bool,
) -> tuple[Floats, tuple[tuple[TaskSpaceRegion, ...], ...] | None]:
    """Return checked poses and the regions about them, as in `SolveRequest`."""
    several = not isinstance(chain, KinematicChain)
    poses, regions = check_targets(targets, chain.num_tips if several else None), None
    if region is not None or (several and not chain.is_chain):
        regions = check_regions(region, chain.tip_links if several else (chain.tip_link,))
        poses = poses[:, None] if poses.ndim == 3 else poses
        poses = chain.goal_targets(poses) if several else poses
    if true_or_false("goal_set", goal_set) and not len(poses):
        raise InvalidTargetError("a goal set needs at least one pose")
    return poses, regions


def _seed_state(chain: MovingJoints, seed_state: ArrayLike, num_targets: int) -> Floats:
    """Return a seed state (n,), or one for each target (B, n)."""
    try:
        seed = chain.check_positions(seed_state)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"seed_state: {error}") from None
    if seed.shape not in ((chain.num_joints,), (num_targets, chain.num_joints)):
        raise InvalidArgumentError(
            f"seed_state has shape {seed.shape}; it must be ({chain.num_joints},), or "
            f"({num_targets}, {chain.num_joints}) with one for each target"
        )
    return seed


def _limits(chain: MovingJoints, consistency_limits: ArrayLike | None) -> Floats | None:
    """Return consistency limits (n,), a copy: a best effort is looked for when it is read."""
    if consistency_limits is None:
        return None
    return joint_array("consistency_limits", consistency_limits, chain.names).copy()


def _space_of(
    chain: "KinematicChain | KinematicTree",
    given: Floats | None,
    about: Callable[[Floats | None], SearchSpace],
) -> SearchSpace:
    """Return where to search about a seed state; warn of one that is far outside the limits."""
    space = about(given)
    if given is not None and (space.reference != given).any():
        _warn_of_limits(chain, np.abs(given - space.reference))
    return space


def _seed_states(
    chain: "KinematicChain | KinematicTree",
    given: Floats,
    about: Callable[[Floats], SearchSpace],
    limits: Floats | None,
    goal_set: bool,
) -> SeedStates:
    """Return seed states (B, n) inside the limits, with a warning of those far outside."""
    if goal_set:
        raise InvalidArgumentError("a goal set is one target: it has one seed_state (n,)")
    if limits is not None and len(given):
        about(given[0])  # are they usable?
    states = np.ascontiguousarray(np.where(
        chain.continuous, given, np.clip(given, chain.lower, chain.upper)
    ))  # fmt: skip
    beyond = np.abs(given - states)
    if beyond.any():
        _warn_of_limits(chain, beyond.max(axis=0))
    # Outside the limits is for consistency limits to judge.
    return SeedStates(states if limits is None else given.copy(), about, limits)


def _space_about(
    chain: "KinematicChain | KinematicTree",
    whole: SearchSpace,
    distinct_distance: float,
    consistency_limits: Floats | None,
    joint_weights: Floats | None,
    seed: Floats | None,
) -> SearchSpace:
    """Return where to search about a seed state (n,)."""
    if seed is None or consistency_limits is not None or chain.continuous.any():
        return SearchSpace.of(chain, distinct_distance, seed, consistency_limits, joint_weights)
    return whole.about(seed, joint_weights)


def _warn_of_limits(chain: MovingJoints, beyond: Floats) -> None:
    """Warn the caller of IKSolver.solve of a seed state that is (n,) beyond the joint limits.

    The text does not contain the positions: Python shows each text once for each line of code, so
    a node that is sent such seed states all day logs a few warnings, not millions.
    """
    far = beyond > overshoot(chain.prismatic)
    if not far.any():
        return
    joints = listed(
        f"{chain.names[i]} ({chain.lower[i]:.4g} to {chain.upper[i]:.4g})"
        for i in np.flatnonzero(far)
    )
    text = f"seed_state is outside the limits of {joints} and is clipped to them"
    if (beyond[~chain.prismatic] > TURN).any():
        text += "; is it in degrees? Joint positions are in radians"
    warn_caller(text)


def check_max_step(chain: KinematicChain, max_step: ArrayLike | None) -> Floats:
    """Return the largest step of each joint (n,), as `IKSolver.solve_path` describes it.

    Raises:
        InvalidArgumentError: It is neither a number nor one for each joint, or not above 0.
    """
    if max_step is None:
        return 0.2 * chain.joint_units
    step = joint_array("max_step", max_step, chain.names, single=True)
    if not (step > 0.0).all():
        raise InvalidArgumentError("max_step must be above 0 for every joint")
    return step
