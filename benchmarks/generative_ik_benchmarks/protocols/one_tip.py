"""A chain beside the same chain as a tree of one tip: the same solutions, in the same time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.interleaved import in_warm_turns
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.protocol import Listing
from generative_ik_benchmarks.text import Quartiles, number, spread
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.random_poses import random_reachable_poses

_ROUNDS = 5
"""Times that each call is measured, see `in_warm_turns`."""


@dataclass(frozen=True)
class OneTipFigures:
    """Calls of one kind."""

    targets: int = figure("Poses of a call.")
    wanted: int = figure("Solutions of each.")
    calls: int = figure("How many pairs of calls there were.")
    chain: float = figure("Median time of the chain's [us].")
    ratio: Quartiles = figure("The tree's time over it, pair by pair.")
    different: int = figure("Pairs whose solutions are not the same.")


def one_tip_figures(
    case: ChainCase, count: int, batch: int, seed: int, on_share: Callable[[float], None]
) -> Iterator[OneTipFigures]:
    """Measure one solution, ten and a hundred, of single poses and of batches."""
    chain = case.chain
    tree = KinematicTree.from_urdf(chain.description, chain.base_link, (chain.tip_link,))
    of_chain, of_tree = IKSolver(chain), IKSolver(tree)
    poses = random_reachable_poses(chain, count * batch, seed, Oracle.of(case).forward)
    batches = poses.reshape(count, batch, 4, 4)
    kinds = [(each, wanted) for each in (poses[:count, None], batches) for wanted in (1, 10, 100)]
    for kind, (calls, wanted) in enumerate(kinds):
        spent, different = [], 0
        for turn, targets in enumerate(calls):
            # A chain takes a single pose as (4, 4), too; the result is the same.
            asked = targets[0] if len(targets) == 1 else targets
            pair = (
                partial(of_chain.solve, asked, wanted),
                partial(of_tree.solve, targets[:, None] if len(targets) > 1 else targets, wanted),
            )
            (one, first), (other, second) = in_warm_turns(pair, turn, _ROUNDS)
            spent.append((first, second))
            different += not np.array_equal(one.positions, other.positions, equal_nan=True)
            on_share((kind + (turn + 1) / count) / len(kinds))
        first, second = np.transpose(spent)
        yield OneTipFigures(
            targets=len(calls[0]), wanted=wanted, calls=count, chain=1e6 * float(np.median(first)),
            ratio=Quartiles.of(second / first), different=different,
        )  # fmt: skip


def one_tip_listing(chains: dict[str, tuple[OneTipFigures, ...]]) -> Listing:
    """Show the figures of chains."""
    columns = (
        ("chain", lambda chain, _: chain),
        ("poses", lambda _, row: str(row.targets)),
        ("solutions", lambda _, row: str(row.wanted)),
        ("calls", lambda _, row: str(row.calls)),
        ("chain us", lambda _, row: number(row.chain)),
        ("as a tree, times as long", lambda _, row: spread(row.ratio)),
        ("different", lambda _, row: str(row.different)),
    )
    heading = (
        "A chain and the same chain as a tree of one tip, each call in turns and five times, of "
        "which the median counts. poses: of a call. solutions: wanted of each. as a tree: "
        "call by call over the chain's, median (quartiles). different: calls with others."
    )
    rows = [(chain, row) for chain, every in chains.items() for row in every]
    return Listing(heading, columns, rows)
