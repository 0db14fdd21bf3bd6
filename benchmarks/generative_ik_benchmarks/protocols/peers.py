"""A chain comes in, every solver at hand beside ours on the same poses goes out.

Each is asked for many distinct solutions of random reachable poses, in turns, see `run_interleaved`. Solvers
differ in what they promise, so each is judged by its own tolerance; coverage, by the reference
set, tells those that find many solutions in one place from those that find all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.interleaved import SolverFigures, run_interleaved
from generative_ik_benchmarks.metrics.coverage import coverages
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.metrics.validity import distinct_count
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.registry import peer_names, willing_peers
from generative_ik_benchmarks.protocols.references import Reference, reference_of
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.solver import PackageSolver, Solver
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.robot.random_poses import random_reachable_poses

_SLOW = 0.02


@dataclass(frozen=True)
class PeerFigures:
    """What one solver did.

    Attributes:
        figures: Share solved, times, faults.
        distinct: Distinct solutions a pose, whole turns aside.
        microseconds: Time for each distinct solution [us]; inf when it found none.
        coverage: Share of the solution set that it reached.
    """

    figures: SolverFigures
    distinct: float
    microseconds: float
    coverage: float


@dataclass(frozen=True)
class PeerTable:
    """One chain's table.

    Attributes:
        chain: Its label.
        dof: Joints to choose.
        poses: How many poses were tried; slow solvers got a tenth.
        solutions: Distinct solutions wanted a pose.
        reference: What coverage is measured against.
        rows: Ours for many solutions, ours for one, then the peers.
        absent: Why a peer did not take part.
    """

    chain: str
    dof: int
    poses: int
    solutions: int
    reference: Reference
    rows: tuple[PeerFigures, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Violations:
        """Everything untrue in our own results."""
        return self.rows[0].figures.violations + self.rows[1].figures.violations


def peer_table(
    case: ChainCase,
    *,
    poses: int = 100,
    solutions: int = 100,
    timeout: float = 0.05,
    sampler: str = "auto",
    peers: Sequence[str] = (),
    reference: ExhaustiveSettings | None = None,
    seed: int = 1,
    on_pose: Callable[[], None] = lambda: None,
) -> PeerTable:
    """Measure one chain.

    Args:
        case: The chain.
        poses: How many random reachable poses; solvers that take over 20 ms get a tenth.
        solutions: Distinct solutions wanted a pose.
        timeout: Our deadline a pose [s].
        sampler: What proposes our seeds.
        peers: Names of peers; all if empty.
        reference: How hard all solutions are looked for.
        seed: Of poses and solvers.
        on_pose: Called after each pose, for a progress bar.

    Raises:
        GenerativeIKError: The chain is refused, or a peer or sampler does not exist.
    """
    chain = case.chain
    ours: list[Solver] = [
        PackageSolver(chain, wanted, timeout, sampler, seed) for wanted in (solutions, 1)
    ]
    others, absent = willing_peers(peers or peer_names(), case, solutions, seed)
    targets = random_reachable_poses(chain, poses, seed, Oracle.of(case).forward)
    sets, quality = reference_of(chain, targets, reference)
    space = JointSpace.of(chain)
    figures, results = run_interleaved(
        case, [*ours, *others], targets, seed, slow=_SLOW, few=max(1, poses // 10), on_pose=on_pose
    )
    rows = []
    for one, result in zip(figures, results, strict=True):
        distinct = sum(distinct_count(space, found, 0.05) for found in result.found)
        references = [each.thinned for each in sets[: one.poses]]
        covered = coverages(space, result.found, references, quality.near)
        rows.append(
            PeerFigures(
                one,
                distinct / one.poses,
                1e6 * sum(result.seconds) / distinct if distinct else np.inf,
                covered.mean,
            )
        )
    return PeerTable(case.label, chain.num_joints, poses, solutions, quality, tuple(rows), absent)
