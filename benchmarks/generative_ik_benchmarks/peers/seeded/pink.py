"""Pink: steps of differential inverse kinematics on pinocchio's model."""

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.seeded.base import SeededSolver
from generative_ik_benchmarks.peers.seeded.stepping import Stepping, norms
from generative_ik_benchmarks.solver import imported
from generative_ik_ros.array_types import Floats


class PinkNear(Stepping):
    """Pink (S. Caron et al., 2022), a frame task, solved by DAQP, see `Stepping`.

    Raises:
        MissingDependencyError: Pink or DAQP is not installed.
        UnsupportedChainError: See `Stepping`.
    """

    name = "Pink"

    def __init__(self, case: ChainCase, seconds: float):
        """Make the model and the task."""
        self._pink = imported("pink", "pin-pink", "peer 'pink'")
        imported("daqp", "daqp", "peer 'pink'")
        tasks = imported("pink.tasks", "pin-pink", "peer 'pink'")
        limits = imported("pink.limits", "pin-pink", "peer 'pink'")
        self._pin = imported("pinocchio", "pin", "peer 'pink'")
        super().__init__(case, seconds)
        self._model = self._pin.buildModelFromXML(self.arm.urdf)
        self._data = self._model.createData()
        self._task = tasks.FrameTask(
            self.arm.tip_link, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-2
        )
        self._limits = [limits.ConfigurationLimit(self._model, 1.0)]
        # The arm is a chain of joints with one number each: pinocchio has them in its order.
        assert tuple(self._model.names)[1:] == self.arm.joint_names  # noqa: S101

    def start(self, tip_in_world: Floats, seed_state: Floats) -> None:
        """Set the target, see `Stepping`."""
        self._task.set_target(self._pin.SE3(tip_in_world))
        self._configuration = self._pink.Configuration(self._model, self._data, seed_state)

    def errors(self) -> tuple[float, float]:
        """Return distance [m] and angle [rad] from the pose, see `Stepping`."""
        return norms(self._task.compute_error(self._configuration))

    def step(self) -> bool:
        """Solve one quadratic program, see `Stepping`."""
        try:
            velocity = self._pink.solve_ik(
                self._configuration, [self._task], 1.0, solver="daqp", damping=1e-9,
                limits=self._limits, safety_break=False,
            )  # fmt: skip
        except self._pink.exceptions.NoSolutionFound:
            return False
        self._configuration.integrate_inplace(velocity, 1.0)
        return True

    def positions(self) -> Floats:
        """Return where the arm is (n,), see `Stepping`."""
        return np.array(self._configuration.q)


def solvers(case: ChainCase, seconds: float) -> list[SeededSolver]:
    """Return it once."""
    return [PinkNear(case, seconds)]
