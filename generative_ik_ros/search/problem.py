"""What the core's search is given, packed: a chain or a tree, tolerances and regions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.refine.goals.tree_arrays import GoalTree
from generative_ik_ros.refine.kernel_chain import KernelChain, KernelOptions, pack_chain
from generative_ik_ros.robot.region_rows import PackedRegions
from generative_ik_ros.robot.rodrigues import RodriguesChain
from generative_ik_ros.robot.rodrigues_tree import RodriguesTree

PackedProblem = tuple[NDArray[np.float64], NDArray[np.int64]]
"""All numbers of a problem; each further array would cost call time."""


class Problem(NamedTuple):
    """A chain and its tolerances: everything that is the same in all calls.

    Attributes:
        chain: For the local solver.
        options: For the local solver.
        verifier: The chain for independent forward kinematics.
        position_tolerance: Largest accepted distance [m].
        orientation_tolerance: Largest accepted angle [rad].
        reach: No tip is further than this from the first joint [m]; inf if positions are free.
        redundant: Whether the chain has more joints than the tolerances constrain.
    """

    chain: KernelChain
    options: KernelOptions
    verifier: RodriguesChain
    position_tolerance: float
    orientation_tolerance: float
    reach: float
    redundant: bool


def pack(problem: Problem) -> PackedProblem:
    """Pack a chain and its tolerances."""
    verifier, (chain_floats, ints) = problem.verifier, pack_chain(problem.chain)
    floats = [
        chain_floats,
        *(verifier.rotations, verifier.sine_part, verifier.versine_part),
        *(verifier.shifts, verifier.axes, verifier.tip),
        np.array([*problem.options, *problem[3:]]),
    ]
    return np.concatenate([values.ravel() for values in floats]), ints


def pack_tree(tree: GoalTree, verifier: RodriguesTree, numbers: Sequence[float]) -> PackedProblem:
    """Pack a tree and a problem's numbers, options first, for `with_regions`."""
    header = [len(tree.origins), len(tree.scale), len(tree.tip_slot), len(tree.path)]
    floats = [
        np.array(numbers, np.float64), tree.origins, tree.multiplier, tree.offset, tree.scale,
        tree.tip, tree.reference, *verifier[:5], verifier.tip, verifier.reference,
    ]  # fmt: skip
    ints = [
        header, tree.prismatic, tree.variable, tree.begin, tree.slot, tree.tip_slot,
        tree.reference_slot, tree.path, tree.path_end, tree.column, tree.coupled,
    ]  # fmt: skip
    return (
        np.concatenate([np.ravel(part) for part in floats]),
        np.concatenate([np.ravel(part) for part in ints]).astype(np.int64),
    )


def with_regions(
    packed: PackedProblem, regions: PackedRegions, *, redundant: bool
) -> PackedProblem:
    """Add the regions of a call to a packed tree."""
    floats, ints = packed
    return (
        np.concatenate([floats, regions.rows.ravel(), regions.checks.ravel()]),
        np.concatenate([ints, [redundant, len(regions.rows)], regions.bounded]),
    )
