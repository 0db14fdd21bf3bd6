"""What the compiled search is given of several goals: tree, tolerances and regions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.borrow import shaped
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.refine.goals.tree_arrays import GoalTree
from generative_ik_ros.refine.lm_step import KernelOptions
from generative_ik_ros.robot.region_rows import CHECK_SIZE, SIZE, PackedRegions
from generative_ik_ros.select.verify_goals import RodriguesTree

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


class GoalProblem(NamedTuple):
    """A tree with G goals, its tolerances, and the regions of a call: one for all targets or each.

    Attributes:
        chain: The tree, for the local solver; named as in `Problem`.
        options: For the local solver.
        verifier: The tree for independent forward kinematics.
        position_tolerance: Largest accepted distance [m].
        orientation_tolerance: Largest accepted angle [rad].
        redundant: Whether solutions form continuous sets.
        regions: (R, G, 18) regions for the local solver.
        checks: (R, G, 14) regions for the verification.
    """

    chain: GoalTree
    options: KernelOptions
    verifier: RodriguesTree
    position_tolerance: float
    orientation_tolerance: float
    redundant: bool
    regions: NDArray[np.float64]
    checks: NDArray[np.float64]


_FIXED = len(KernelOptions._fields) + 2


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


@inlined
def unpack_goals(floats, ints):
    """Return the problem that was packed, as views into the two arrays."""
    m, n, g, p = ints[0], ints[1], ints[2], ints[3]
    o = floats[:_FIXED]
    options = KernelOptions(o[0], o[1], o[2], o[3], int(o[4]), o[5], o[6], int(o[7]), o[8])
    f, i = floats[_FIXED:], ints[4:]
    multiplier, offset = f[7 * m : 8 * m], f[8 * m : 9 * m]
    prismatic, variable, begin, slot = i[:m], i[m : 2 * m], i[2 * m : 3 * m], i[3 * m : 4 * m]
    i = i[4 * m :]
    tip_slot, reference_slot = i[:g], i[g : 2 * g]
    rest = i[2 * g :]
    path, path_end = shaped(rest[: 3 * p], (p, 3)), rest[3 * p : 3 * p + g]
    rest = rest[3 * p + g :]
    column, coupled = shaped(rest[: g * n], (g, n)), shaped(rest[g * n : g * n + g * g], (g, g))
    rest = rest[g * n + g * g :]
    s = f[9 * m :]
    tree = GoalTree(
        shaped(f[: 7 * m], (m, 7)), prismatic, variable, multiplier, offset, begin, slot, s[:n],
        tip_slot, shaped(s[n : n + 7 * g], (g, 7)), reference_slot,
        shaped(s[n + 7 * g : n + 14 * g], (g, 7)), path, path_end, column, coupled,
        rest[2 : 2 + g],
    )  # fmt: skip
    s = s[n + 14 * g :]
    t = s[33 * m :]
    verifier = RodriguesTree(
        shaped(s[: 9 * m], (m, 3, 3)), shaped(s[9 * m : 18 * m], (m, 3, 3)),
        shaped(s[18 * m : 27 * m], (m, 3, 3)), shaped(s[27 * m : 30 * m], (m, 3)),
        shaped(s[30 * m : 33 * m], (m, 3)), prismatic, variable, multiplier, offset, begin, slot,
        tip_slot, shaped(t[: 16 * g], (g, 4, 4)), reference_slot,
        shaped(t[16 * g : 32 * g], (g, 4, 4)),
    )  # fmt: skip
    r = rest[1]
    t = t[32 * g :]
    a, b = r * g * SIZE, r * g * (SIZE + CHECK_SIZE)
    return GoalProblem(
        tree, options, verifier, o[9], o[10], rest[0] != 0,
        shaped(t[:a], (r, g, SIZE)), shaped(t[a:b], (r, g, CHECK_SIZE)),
    )  # fmt: skip
