"""A chain comes in, its row of TRAC-IK's own table goes out, with ours on the same poses.

Protocol A: random reachable poses, one solution wanted, 1e-5, 5 ms, TRAC-IK from mid limits,
failures in the mean time (P. Beeson, B. Ames, TRAC-IK, Humanoids 2015, and the table in its
repository). Ours starts from its own seeds: it is asked for any solution, not for the one nearest
to mid limits.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.interleaved import SolverFigures, run_interleaved
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.registry import willing_peers
from generative_ik_benchmarks.published import TracIKRow, trac_ik_row
from generative_ik_benchmarks.solver import PackageSolver, Solver
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.robot.random_poses import random_reachable_poses

DEADLINE = 0.005
_SLOW = 0.02


@dataclass(frozen=True)
class TableRow:
    """One chain's row.

    Attributes:
        chain: Its label.
        dof: Joints to choose.
        poses: How many poses were tried.
        timeout: Our deadline a pose [s].
        published: TRAC-IK's own row for the robot.
        ours: Our figures.
        peers: SolverFigures of the peers that took part.
        absent: Why a peer did not.
    """

    chain: str
    dof: int
    poses: int
    timeout: float
    published: TracIKRow | None
    ours: SolverFigures
    peers: tuple[SolverFigures, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Violations:
        """Everything untrue in our own results."""
        return self.ours.violations


def trac_ik_table(
    case: ChainCase,
    *,
    poses: int = 10_000,
    timeout: float = DEADLINE,
    sampler: str = "auto",
    peers: Sequence[str] = ("trac-ik",),
    seed: int = 1,
    on_pose: Callable[[], None] = lambda: None,
) -> TableRow:
    """Measure one chain.

    Args:
        case: The chain.
        poses: How many random reachable poses; peers that take over 20 ms get 1 % of them.
        timeout: Our deadline a pose [s].
        sampler: What proposes our seeds.
        peers: Names of peers to run on the same poses.
        seed: Of poses and solvers.
        on_pose: Called after each pose, for a progress bar.

    Raises:
        GenerativeIKError: The chain is refused, or a peer or sampler does not exist.
    """
    chain = case.chain
    ours = PackageSolver(chain, 1, timeout, sampler, seed)
    ours.name = "ours"
    others, absent = willing_peers(peers, case, 1, seed)
    contestants: list[Solver] = [ours, *others]
    targets = random_reachable_poses(chain, poses, seed, Oracle.of(case).forward)
    figures, _ = run_interleaved(
        case, contestants, targets, seed, slow=_SLOW, few=max(1, poses // 100), on_pose=on_pose
    )
    published = trac_ik_row(case.stem, chain.num_joints)
    return TableRow(
        case.label,
        chain.num_joints,
        poses,
        timeout,
        published,
        figures[0],
        tuple(figures[1:]),
        absent,
    )
