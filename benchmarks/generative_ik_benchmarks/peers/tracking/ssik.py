"""`ssik`'s Tracker: the continuation of a branch in closed form, within limits of velocities."""

import numpy as np

from generative_ik_benchmarks.peers.ssik import generated_module, ssik_arm
from generative_ik_benchmarks.peers.tracking.base import Case, Motion, Tracker
from generative_ik_benchmarks.solver import UnsupportedChainError, imported
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.array_types import Floats


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
