"""Pink as a tracker: one differential step a period, within the same limits."""

import numpy as np

from generative_ik_benchmarks.peers.seeded.stepping import LoneArm
from generative_ik_benchmarks.peers.tracking.base import Case, Motion, Tracker, turn_cost
from generative_ik_benchmarks.solver import imported
from generative_ik_ros.array_types import Floats


class PinkTracker(Tracker):
    """Pink (S. Caron et al., 2022): frame tasks with gain 1, solved by DAQP, see `Tracker`.

    It has the same limits of positions, velocities and accelerations, and a posture task of low
    cost for what the tips leave open.

    Raises:
        MissingDependencyError: Pink or DAQP is not installed.
        UnsupportedChainError: See `LoneArm`.
    """

    name = "Pink"

    def __init__(self, case: Case, motion: Motion):
        """Make the model and the tasks."""
        pinocchio = self._pin = imported("pinocchio", "pin", "peer 'pink'")
        self._pink = imported("pink", "pin-pink", "peer 'pink'")
        imported("daqp", "daqp", "peer 'pink'")
        tasks = imported("pink.tasks", "pin-pink", "peer 'pink'")
        limits = imported("pink.limits", "pin-pink", "peer 'pink'")
        arm = LoneArm.of(case)
        model = pinocchio.buildModelFromXML(arm.urdf)
        self._order = [arm.joint_names.index(name) for name in model.names[1:]]
        model.velocityLimit = motion.velocity[self._order]
        self._acceleration = limits.AccelerationLimit(model, motion.acceleration[self._order])
        self._limits = [
            limits.ConfigurationLimit(model), limits.VelocityLimit(model), self._acceleration,
        ]  # fmt: skip
        costs = {"position_cost": 1.0, "orientation_cost": turn_cost(case.chain)}
        self._frames = [tasks.FrameTask(tip, **costs, lm_damping=1e-3) for tip in arm.tip_links]
        posture = tasks.PostureTask(cost=1e-3)
        posture.set_target(motion.start[self._order])
        self._tasks, self._period = [*self._frames, posture], motion.period
        self._at = self._pink.Configuration(model, model.createData(), motion.start[self._order])
        self._base_in_world = arm.base_in_world

    def step(self, targets: Floats) -> Floats:
        """Return the next configuration (n,), see `Tracker`."""
        for task, target in zip(self._frames, targets, strict=True):
            task.set_target(self._pin.SE3(self._base_in_world @ target))
        try:
            velocity = self._pink.solve_ik(
                self._at, self._tasks, self._period, solver="daqp", limits=self._limits,
                safety_break=False,
            )  # fmt: skip
        except self._pink.exceptions.NoSolutionFound:
            # Its limits exclude each other: it does not look ahead.
            velocity = np.zeros(len(self._order))
        self._acceleration.set_last_integration(velocity, self._period)
        self._at.integrate_inplace(velocity, self._period)
        found = np.empty(len(self._order))
        found[self._order] = self._at.q
        return found
