"""What the core's search is given of several goals: tree, tolerances and regions."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.refine.goals.tree_arrays import GoalTree
from generative_ik_ros.robot.region_rows import PackedRegions
from generative_ik_ros.robot.rodrigues_tree import RodriguesTree


def pack_tree(
    tree: GoalTree, verifier: RodriguesTree, numbers: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Put a tree and a problem's numbers, options first, into two arrays, for `with_regions`."""
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
    packed: tuple[NDArray[np.float64], NDArray[np.int64]],
    regions: PackedRegions,
    *,
    redundant: bool,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Add the regions of a call to a packed tree."""
    floats, ints = packed
    return (
        np.concatenate([floats, regions.rows.ravel(), regions.checks.ravel()]),
        np.concatenate([ints, [redundant, len(regions.rows)], regions.bounded]),
    )
