"""PlaCo as a tracker: one differential step a period, with limits of positions and velocities."""

import numpy as np

from generative_ik_benchmarks.peers.seeded.stepping import LoneArm
from generative_ik_benchmarks.peers.tracking.base import Case, Motion, Tracker, turn_cost
from generative_ik_benchmarks.solver import imported
from generative_ik_ros.array_types import Floats


class PlacoTracker(Tracker):
    """PlaCo (Rhoban, 2023): soft frame tasks, see `Tracker`.

    It has no limits of accelerations; and a joint task of low weight for what the tips leave open.

    Raises:
        MissingDependencyError: PlaCo is not installed.
        UnsupportedChainError: See `LoneArm`.
    """

    name = "PlaCo"

    def __init__(self, case: Case, motion: Motion):
        """Make the robot and the tasks."""
        placo = imported("placo", "placo", "peer 'placo'")
        self._arm = arm = LoneArm.of(case)
        self._robot = placo.RobotWrapper("", placo.Flags.ignore_collisions, arm.urdf)
        self._solver = placo.KinematicsSolver(self._robot)
        self._solver.mask_fbase(True)
        self._solver.dt = motion.period
        self._solver.enable_velocity_limits(True)
        start = dict(zip(arm.joint_names, motion.start.tolist(), strict=True))
        for name, limit in zip(arm.joint_names, motion.velocity.tolist(), strict=True):
            self._robot.set_velocity_limit(name, limit)
            self._robot.set_joint(name, start[name])
        self._robot.update_kinematics()
        self._frames = [self._solver.add_frame_task(tip, np.eye(4)) for tip in arm.tip_links]
        for task, tip in zip(self._frames, arm.tip_links, strict=True):
            task.configure(tip, "soft", 1.0, turn_cost(case.chain))
        posture = self._solver.add_joints_task()
        posture.set_joints(start)
        posture.configure("posture", "soft", 1e-6)

    def step(self, targets: Floats) -> Floats:
        """Return the next configuration (n,), see `Tracker`."""
        for task, target in zip(self._frames, targets, strict=True):
            task.T_world_frame = self._arm.base_in_world @ target
        try:
            self._solver.solve(True)
        except RuntimeError:
            pass  # It stays where it is.
        self._robot.update_kinematics()
        return np.array([self._robot.get_joint(name) for name in self._arm.joint_names])
