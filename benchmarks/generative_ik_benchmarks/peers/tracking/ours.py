"""Ours, by the contract of the others."""

from generative_ik_benchmarks.peers.tracking.base import Motion, Tracker
from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.pipeline import IKSolver


class Ours(Tracker):
    """`IKSolver.track`, see `Tracker`.

    Args:
        solver: The solver, with the robot's geometry if it is to keep away from a scene.
        motion: Start and limits.
        scene: Obstacles, or none.
    """

    name = "ours"

    def __init__(self, solver: IKSolver, motion: Motion, scene: Scene | None = None):
        """Make the tracker."""
        self._single = hasattr(solver.chain, "tip_link")
        self._tracker = solver.track(
            motion.start, motion.period, velocity_limits=motion.velocity,
            acceleration_limits=motion.acceleration, scene=scene,
        )  # fmt: skip
        if scene is not None:
            self.name = "ours, boxes"

    def step(self, targets: Floats) -> Floats:
        """Return the next configuration (n,), see `Tracker`."""
        return self._tracker.step(targets[0] if self._single else targets).positions
