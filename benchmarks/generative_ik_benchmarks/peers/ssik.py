"""The analytic solver `ssik`, in its fastest form: a module generated for the arm."""

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.closed_form import require_revolute_joints
from generative_ik_benchmarks.peers.seeded import SeededSolver
from generative_ik_benchmarks.peers.tracking import Case, Motion, Tracker
from generative_ik_benchmarks.solver import Solver, UnsupportedChainError, imported
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits


class Ssik(Solver, SeededSolver):
    """Every branch of a six-axis arm, and those of a seven-axis arm at sampled free angles.

    `ssik` sorts arms into families with a closed form each. What it solves at run time from a
    description is many times slower than the module that its code generator writes for the arm,
    so that module is generated, as its manual recommends, and measured. Arms without a family
    get an elimination that takes seconds to minutes to prepare and is kept in its own cache;
    seven-axis arms without one are refused here: `ssik` sweeps a locked joint, which takes
    seconds a pose.

    Raises:
        MissingDependencyError: `ssik` is not installed.
        UnsupportedChainError: It cannot take the chain.
    """

    position_tolerance = orientation_tolerance = 1e-5

    def __init__(self, case: ChainCase):
        """Sort the arm into its family and generate its module."""
        arm = ssik_arm(case.chain, (6, 7), "peer 'ssik'")
        if arm.solver_name.startswith("jointlock"):
            raise UnsupportedChainError(
                f"has no closed form for it; its sweep ({arm.solver_name}) takes seconds a pose"
            )
        self.name, self._joints = f"ssik, {arm.solver_name}", case.chain.num_joints
        self._solve: Callable[..., list] = generated_module(arm).solve

    def solve(self, tip_in_base: Floats) -> Floats:
        """Return all solutions (k, n) that it has, each at one turn, see `Solver`."""
        found = self._solve(tip_in_base, enumerate_windings=False)
        return np.array([one.q for one in found], np.float64).reshape(-1, self._joints)

    def near(self, tip_in_base: Floats, seed_state: Floats) -> Floats | None:
        """Return its first solution (n,) by the Euclidean distance from a seed state, or None."""
        found = self._solve(tip_in_base, q_seed=seed_state, max_solutions=1, seed_metric="wrap_l2")
        return found[0].q if found else None


class SsikTracker(Tracker):
    """`ssik.Tracker`, which may go to targets that jump, see `Tracker`.

    It has no limits of accelerations.

    Raises:
        MissingDependencyError: `ssik` is not installed.
        UnsupportedChainError: It is a tree, or `ssik` has no closed form for it.
    """

    name = "ssik"

    def __init__(self, case: Case, motion: Motion):
        """Sort the arm into its family."""
        ssik = imported("ssik", "ssik", "peer 'ssik'")
        if isinstance(case, TreeCase):
            raise UnsupportedChainError("is for one tip only")
        arm = ssik_arm(case.chain, (6, 7), "peer 'ssik'")
        if arm.solver_name.startswith("jointlock"):
            raise UnsupportedChainError(f"has no closed form for it ({arm.solver_name})")
        # As `Manipulator.from_prebuilt` does: many times faster.
        arm._prebuilt = generated_module(arm)
        self._time, self._period = 0.0, motion.period
        self._tracker = ssik.Tracker(
            arm, motion.start, max_joint_speed=motion.velocity, allow_jump=True, t0=0.0
        )

    def step(self, targets: Floats) -> Floats:
        """Return the next configuration (n,), see `Tracker`."""
        self._time += self._period
        return np.array(self._tracker.update(targets[0], self._time).q)


def ssik_arm(chain: KinematicChain, counts: tuple[int, ...], what: str) -> Any:  # noqa: ANN401
    """Return `ssik`'s description of a chain, from the chain's own frames instead of its URDF.

    Args:
        chain: The chain.
        counts: Numbers of joints that are taken.
        what: What needs it, for errors.

    Raises:
        MissingDependencyError: `ssik` is not installed.
        UnsupportedChainError: The chain has other joints.
    """
    ssik = imported("ssik", "ssik", what)
    require_revolute_joints(chain, counts)
    return ssik.Manipulator.from_transforms(
        np.concatenate([chain.joint_origins, chain.tip_in_last_joint[None]]),
        chain.joint_axes,
        limits=np.stack(finite_limits(chain), axis=1),
    )


def analytic_branches(chain: KinematicChain, targets: Floats) -> list[Floats]:
    """Return every branch (k, 6) of poses (P, 4, 4) inside the limits, each at one turn [rad].

    A pose of six revolute joints has at most 16 solutions (E. J. F. Primrose, On the input-output
    equation of the general 7R mechanism, 1986), 8 where three axes intersect in a point or are
    parallel. For an arm without such a geometry `ssik` prepares its elimination at the first pose,
    which takes it from a second to minutes, and keeps the result in a cache of its own.

    Raises:
        MissingDependencyError: `ssik` is not installed.
        UnsupportedChainError: The chain is another kind.
    """
    arm = ssik_arm(chain, (6,), "counting analytic branches")
    found = [
        arm.solve(target, respect_limits=True, enumerate_windings=False) for target in targets
    ]
    return [np.array([one.q for one in some], np.float64).reshape(-1, 6) for some in found]


def generated_module(arm: Any) -> Any:  # noqa: ANN401 (ssik's)
    """Write the module of an arm into a file, import it from there and return it."""
    codegen = imported("ssik.core.codegen", "ssik", "peer 'ssik'")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm_ik.py"
        codegen.emit_artifact(
            kb=arm.kinbody, plan=arm.dispatch_plan, module_name="arm_ik", output_path=str(path)
        )
        spec = importlib.util.spec_from_file_location("arm_ik", path)
        if spec is None or spec.loader is None:
            raise UnsupportedChainError("the generated module cannot be imported")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def solvers(case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    """Return it once; it has all its solutions at once."""
    return [Ssik(case)]


def seeded(case: ChainCase, seconds: float) -> list[SeededSolver]:
    """Return it once; it does not iterate."""
    solver = Ssik(case)
    solver.name = "ssik"
    return [solver]
