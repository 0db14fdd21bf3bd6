"""A chain comes in, how surely and fast its reachable poses are solved goes out.

Poses are reached by configurations uniform in the joint limits. Ours is asked for many solutions
and for one; peers run on the same poses, see `run_interleaved`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.interleaved import SolverFigures, run_interleaved
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.registry import willing_peers
from generative_ik_benchmarks.solver import PackageSolver, Solver
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.robot.random_poses import random_reachable_poses


@dataclass(frozen=True)
class ReachabilityRow:
    """One chain's row.

    Attributes:
        chain: Its label.
        dof: Joints to choose; 0 where the chain was refused.
        poses: How many poses were tried.
        ours: Our figures: for many solutions, then for one.
        peers: SolverFigures of the peers that took part.
        absent: Why a peer, or (under "ours") the chain itself, did not.
    """

    chain: str
    dof: int
    poses: int
    ours: tuple[SolverFigures, ...]
    peers: tuple[SolverFigures, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Violations:
        """Everything untrue in our own results."""
        return sum((figures.violations for figures in self.ours), Violations())


def reachability(
    case: ChainCase,
    *,
    poses: int = 1000,
    solutions: int = 20,
    timeout: float = 0.02,
    sampler: str = "auto",
    peers: Sequence[str] = (),
    seed: int = 1,
    on_pose: Callable[[], None] = lambda: None,
) -> ReachabilityRow:
    """Measure one chain.

    Args:
        case: The chain.
        poses: How many random reachable poses.
        solutions: Distinct solutions wanted a pose; a second contestant of ours wants just one.
        timeout: Our deadline a pose [s].
        sampler: What proposes our seeds.
        peers: Names of peers to run on the same poses.
        seed: Of poses and solvers.
        on_pose: Called after each pose, for a progress bar.

    Raises:
        MissingDependencyError: pinocchio, which checks everything, is not installed.
        UnknownNameError: A peer or sampler of that name does not exist.
    """
    try:
        chain = case.chain
    except GenerativeIKError as error:
        return ReachabilityRow(case.label, 0, 0, (), (), {"ours": f"refused: {error}"})
    ours: list[Solver] = [
        PackageSolver(chain, wanted, timeout, sampler, seed) for wanted in (solutions, 1)
    ]
    others, absent = willing_peers(peers, case, 1, seed)
    targets = random_reachable_poses(chain, poses, seed, Oracle.of(case).forward)
    figures, _ = run_interleaved(case, [*ours, *others], targets, seed, on_pose=on_pose)
    split = len(ours)
    return ReachabilityRow(
        case.label, chain.num_joints, poses, tuple(figures[:split]), tuple(figures[split:]), absent
    )
