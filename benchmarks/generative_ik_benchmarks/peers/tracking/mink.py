"""mink as a tracker: one differential step a period, with limits of positions and velocities."""

import numpy as np

from generative_ik_benchmarks.peers.seeded.mink import with_masses
from generative_ik_benchmarks.peers.seeded.stepping import LoneArm
from generative_ik_benchmarks.peers.tracking.base import Case, Motion, Tracker, turn_cost
from generative_ik_benchmarks.solver import imported
from generative_ik_ros.array_types import Floats


class MinkTracker(Tracker):
    """mink (K. Zakka, 2024): frame tasks with gain 1, solved by DAQP, see `Tracker`.

    It has no limits of accelerations; and a posture task of low cost for what the tips leave open.

    Raises:
        MissingDependencyError: mink or DAQP is not installed.
        UnsupportedChainError: See `LoneArm`.
    """

    name = "mink"

    def __init__(self, case: Case, motion: Motion):
        """Make the model and the tasks."""
        self._mink = mink = imported("mink", "mink", "peer 'mink'")
        imported("daqp", "daqp", "peer 'mink'")
        mujoco = imported("mujoco", "mujoco", "peer 'mink'")
        arm = LoneArm.of(case)
        model = mujoco.MjModel.from_xml_string(with_masses(arm.urdf))
        names = [model.joint(i).name for i in range(model.njnt)]
        self._order = [arm.joint_names.index(name) for name in names]
        velocities = dict(zip(arm.joint_names, motion.velocity, strict=True))
        self._limits = [
            mink.ConfigurationLimit(model, gain=1.0), mink.VelocityLimit(model, velocities),
        ]  # fmt: skip
        costs = {"position_cost": 1.0, "orientation_cost": turn_cost(case.chain)}
        self._frames = [
            mink.FrameTask(tip, "body", **costs, lm_damping=1e-3) for tip in arm.tip_links
        ]
        posture = mink.PostureTask(model, cost=1e-3)
        posture.set_target(motion.start[self._order])
        self._tasks, self._period = [*self._frames, posture], motion.period
        self._at = mink.Configuration(model, motion.start[self._order])
        self._base_in_world = arm.base_in_world

    def step(self, targets: Floats) -> Floats:
        """Return the next configuration (n,), see `Tracker`."""
        for task, target in zip(self._frames, targets, strict=True):
            task.set_target(self._mink.SE3.from_matrix(self._base_in_world @ target))
        try:
            velocity = self._mink.solve_ik(
                self._at, self._tasks, self._period, solver="daqp", limits=self._limits
            )
            self._at.integrate_inplace(velocity, self._period)
        except self._mink.NoSolutionFound:
            pass  # It stays where it is.
        found = np.empty(len(self._order))
        found[self._order] = self._at.q
        return found
