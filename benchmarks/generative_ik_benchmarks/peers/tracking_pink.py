"""Pink as a tracker: one differential step a period, within the same limits."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.solver import imported


class PinkTracker:
    """Pink (S. Caron et al., 2022): a frame task with gain 1, solved by DAQP.

    It has the same limits of positions, velocities and accelerations, and a posture task of low
    cost for what the tip leaves open.

    Args:
        case: The chain; all of its robot's joints must be its own.
        start: (n,) where the arm is [rad or m].
        period: [s].
        velocity: (n,) limits [rad/s or m/s].
        acceleration: (n,) limits [rad/s^2 or m/s^2].

    Raises:
        MissingDependencyError: Pink or DAQP is not installed.
    """

    name = "Pink"

    def __init__(
        self,
        case: ChainCase,
        start: NDArray[np.float64],
        period: float,
        velocity: NDArray[np.float64],
        acceleration: NDArray[np.float64],
    ):
        """Read the robot, with the joints outside the chain locked."""
        pinocchio = self._pin = imported("pinocchio", "pin", "peer 'pink'")
        self._pink = imported("pink", "pin-pink", "peer 'pink'")
        imported("daqp", "daqp", "peer 'pink'")
        tasks = imported("pink.tasks", "pin-pink", "peer 'pink'")
        limits = imported("pink.limits", "pin-pink", "peer 'pink'")
        whole = pinocchio.buildModelFromXML(case.plain_urdf)
        names = list(case.chain.joint_names)
        locked = [i for i, name in enumerate(whole.names) if i and name not in names]
        model = pinocchio.buildReducedModel(whole, locked, pinocchio.neutral(whole))
        self._order = [names.index(name) for name in model.names[1:]]
        model.velocityLimit = velocity[self._order]
        self._acceleration = limits.AccelerationLimit(model, acceleration[self._order])
        self._limits = [
            limits.ConfigurationLimit(model), limits.VelocityLimit(model), self._acceleration,
        ]  # fmt: skip
        tip = case.chain.tip_link
        self._task = tasks.FrameTask(tip, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)
        posture = tasks.PostureTask(cost=1e-3)
        posture.set_target(start[self._order])
        self._tasks, self._period = [self._task, posture], period
        self._at = self._pink.Configuration(model, model.createData(), start[self._order])
        self._base = self._at.get_transform_frame_to_world(case.chain.base_link)
        self.unsolved = 0

    def step(self, target: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the next configuration (n,) towards a pose (4, 4)."""
        self._task.set_target(self._base * self._pin.SE3(target))
        try:
            velocity = self._pink.solve_ik(
                self._at, self._tasks, self._period, solver="daqp", limits=self._limits,
                safety_break=False,
            )  # fmt: skip
        except self._pink.exceptions.NoSolutionFound:
            # Its limits exclude each other: it does not look ahead.
            self.unsolved += 1
            velocity = np.zeros(len(self._order))
        self._acceleration.set_last_integration(velocity, self._period)
        self._at.integrate_inplace(velocity, self._period)
        found = np.empty(len(self._order))
        found[self._order] = self._at.q
        return found
