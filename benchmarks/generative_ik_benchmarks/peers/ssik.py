"""A chain comes in, the analytic solver `ssik` on it goes out, in its fastest form."""

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.plain import require_turning_joints
from generative_ik_benchmarks.solver import Solver, UnsupportedChainError
from generative_ik_ros.errors import MissingDependencyError
from generative_ik_ros.robot.random_poses import finite_limits


class Ssik(Solver):
    """Every branch of a six-axis arm, and those of a seven-axis arm at sampled free angles.

    `ssik` sorts arms into families with a closed form each. What it solves at run time from a
    description is many times slower than the module that its code generator writes for the arm,
    so that module is generated, as its manual recommends, and measured. Arms without a family
    get an elimination that takes seconds to minutes to prepare and is kept in its own cache;
    seven-axis arms without one are refused here: `ssik` sweeps a locked joint, which takes
    seconds a pose.

    Args:
        case: The chain.

    Raises:
        MissingDependencyError: `ssik` is not installed.
        UnsupportedChainError: It cannot take the chain.
    """

    position_tolerance = orientation_tolerance = 1e-5

    def __init__(self, case: ChainCase):
        """Sort the arm into its family and generate its module."""
        try:
            import ssik
            from ssik.core.codegen import emit_artifact
        except ImportError as error:
            raise MissingDependencyError(
                "peer 'ssik' needs ssik 8, which is not installed: "
                "pip install 'generative_ik_ros[bench]' (or: pip install ssik)"
            ) from error
        chain = case.chain
        require_turning_joints(chain, (6, 7))
        arm = ssik.Manipulator.from_transforms(
            np.concatenate([chain.joint_origins, chain.tip_in_last_joint[None]]),
            chain.joint_axes,
            limits=np.stack(finite_limits(chain), axis=1),
        )
        if arm.solver_name.startswith("jointlock"):
            raise UnsupportedChainError(
                f"has no closed form for it; its sweep ({arm.solver_name}) takes seconds a pose"
            )
        self.name, self._joints = f"ssik, {arm.solver_name}", chain.num_joints

        def emit(path: str) -> None:
            emit_artifact(
                kb=arm.kinbody, plan=arm.dispatch_plan, module_name="arm_ik", output_path=path
            )

        self._solve = _generated(emit)

    def solve(self, tip_in_base: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return all solutions (k, n) that it has, each at one turn, see `Solver`."""
        found = self._solve(tip_in_base, enumerate_windings=False)
        return np.array([one.q for one in found], np.float64).reshape(-1, self._joints)


def _generated(emit: Callable[[str], None]) -> Callable[..., list]:
    """Write the module into a file, import it from there and return its `solve`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm_ik.py"
        emit(str(path))
        spec = importlib.util.spec_from_file_location("arm_ik", path)
        if spec is None or spec.loader is None:
            raise UnsupportedChainError("the generated module cannot be imported")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.solve


def contestants(case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    """Return it once; it has all its solutions at once."""
    return [Ssik(case)]
