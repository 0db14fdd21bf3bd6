"""Solvers that retarget key points of a hand: fingertips to places, frame after frame."""

import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from generative_ik_benchmarks.chains import plain_text
from generative_ik_benchmarks.peers.tracking import Tracker
from generative_ik_benchmarks.solver import UnsupportedChainError, imported
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.kinematic_tree import Kinematics, KinematicTree
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.tracking.tracker import Tracker as OurTracker

PERIOD = 1.0 / 60.0
"""Time between two frames [s]."""
_SPEED, _ACCELERATION = 10.0, 1000.0
"""Limits of the tracker's joints [rad/s, rad/s^2]: those of a frame, not of motors."""


class TrackerRetargeter(Tracker):
    """Ours: a tracker that stays near the middle of the joints' ranges where tips leave it open.

    Without that, fingers drift to joint limits, and stay there where the tips go on.
    """

    name = "ours, tracker"

    def __init__(self, tree: KinematicTree, urdf: str, start: Floats):
        """Make the tracker."""
        self._tracker = _tracker(tree, start)

    def step(self, targets: Floats) -> Floats:
        """See `Tracker`."""
        return self._tracker.step(targets).positions


class FingersRetargeter(Tracker):
    """Ours: a tracker for each finger, so that one out of reach does not hold up the others.

    Raises:
        UnsupportedChainError: Fingers share joints.
    """

    name = "ours, a tracker a finger"

    def __init__(self, tree: KinematicTree, urdf: str, start: Floats):
        """Make the trackers."""
        if not fingers_are_apart(tree):
            raise UnsupportedChainError("fingers share joints")
        self._of = [[tree.names.index(name) for name in chain.names] for chain in tree.chains]
        self._trackers = [
            _tracker(chain, start[joints])
            for chain, joints in zip(tree.chains, self._of, strict=True)
        ]

    def step(self, targets: Floats) -> Floats:
        """See `Tracker`."""
        found = np.empty(sum(map(len, self._of)))
        for joints, tracker, tip in zip(self._of, self._trackers, targets, strict=True):
            found[joints] = tracker.step(tip).positions
        return found


def fingers_are_apart(tree: KinematicTree) -> bool:
    """Say whether no joint moves two tips."""
    return sum(chain.num_joints for chain in tree.chains) == tree.num_joints


def _tracker(robot: Kinematics, start: Floats) -> OurTracker:
    """Return a tracker of the places of tips."""
    return IKSolver(robot).track(
        start, PERIOD, velocity_limits=_SPEED, acceleration_limits=_ACCELERATION,
        region=[TaskSpaceRegion.position_only()] * len(robot.tip_links),
        posture=(robot.lower + robot.upper) / 2.0,
    )  # fmt: skip


class SolveRetargeter(Tracker):
    """Ours: a call for the solution nearest to the frame before, else the best effort."""

    name = "ours, solve"

    def __init__(self, tree: KinematicTree, urdf: str, start: Floats):
        """Make the solver."""
        self._solver = IKSolver(tree, orientation_tolerance=math.inf)
        self._last = start

    def step(self, targets: Floats) -> Floats:
        """See `Tracker`."""
        found = self._solver.solve(targets[None], 1, self._last, timeout=PERIOD)
        if found.counts[0]:
            self._last = found.of(0)[0]
        elif np.isfinite(found.best_effort[0]).all():
            self._last = found.best_effort[0]
        return self._last


class DexRetargeter(Tracker):
    """The position retargeting of dex-retargeting (Y. Qin et al., AnyTeleop, RSS 2023).

    Raises:
        MissingDependencyError: It is not installed.
    """

    name = "dex-retargeting"
    limit_slack = 2e-3

    def __init__(self, tree: KinematicTree, urdf: str, start: Floats):
        """Build its optimizer, without its low-pass filter."""
        module: Any = imported(
            "dex_retargeting.retargeting_config", "dex_retargeting", "peer 'dex-retargeting'"
        )
        self._base, self._names = tree.base_link, tree.joint_names
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "hand.urdf"
            file.write_text(plain_text(urdf))
            config = module.RetargetingConfig(
                type="position", urdf_path=str(file), target_link_names=list(tree.tip_links),
                target_link_human_indices=np.arange(tree.num_tips), low_pass_alpha=1.0,
            )  # fmt: skip
            self._retargeting = config.build()
        theirs = self._retargeting.joint_names
        if set(theirs) != set(tree.joint_names):
            raise UnsupportedChainError("it takes other joints of this hand")
        self._order = [theirs.index(name) for name in tree.joint_names]
        begin = np.empty(len(theirs))
        begin[self._order] = start
        self._retargeting.set_qpos(begin)

    def step(self, targets: Floats) -> Floats:
        """See `Tracker`."""
        found = self._retargeting.retarget(targets[:, :3, 3].astype(np.float32))
        return np.asarray(found, np.float64)[self._order]


RETARGETERS: dict[str, Callable[[KinematicTree, str, Floats], Tracker]] = {
    "tracker": TrackerRetargeter,
    "fingers": FingersRetargeter,
    "solve": SolveRetargeter,
    "dex-retargeting": DexRetargeter,
}
"""By name; each takes the fingers, what they were read from, and the configuration (n,) at the
first frame [rad]. Of the targets only the places count."""
