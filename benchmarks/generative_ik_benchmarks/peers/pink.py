"""Pink: differential inverse kinematics by quadratic programs, from random restarts."""

import time
from typing import Any

import numpy as np

from generative_ik_benchmarks.peers.tree_restarts import ITERATIONS, Patience, TreeRestarts
from generative_ik_benchmarks.solver import imported
from generative_ik_ros.array_types import Floats


class Pink(TreeRestarts):
    """Pink (S. Caron et al., 2022), a frame task for each tip, solved by DAQP.

    Each step is a whole Gauss-Newton step with its Levenberg-Marquardt damping, within the joint
    limits; velocities are not limited, for no time passes.

    Raises:
        MissingDependencyError: Pink or DAQP is not installed.
    """

    def __init__(self, *arguments: Any, **more: Any):  # noqa: ANN401 (of `TreeRestarts`)
        """Make a task for each tip."""
        super().__init__(*arguments, **more)
        self.name = "Pink, restarts"
        self._pink = imported("pink", "pin-pink", "peer 'pink'")
        imported("daqp", "daqp", "peer 'pink'")
        tasks = imported("pink.tasks", "pin-pink", "peer 'pink'")
        limits = imported("pink.limits", "pin-pink", "peer 'pink'")
        self._limits = [limits.ConfigurationLimit(self.model, 1.0)]
        costs = {"position_cost": 1.0, "orientation_cost": 1.0, "lm_damping": 1e-2}
        self._relative = [self.reference(tip) != "world" for tip in self.case.tip_links]
        self._tasks = [
            tasks.RelativeFrameTask(tip, self.reference(tip), **costs)
            if relative
            else tasks.FrameTask(tip, **costs)
            for tip, relative in zip(self.case.tip_links, self._relative, strict=True)
        ]

    def descend(self, goals: Floats, q: Floats, deadline: float) -> Floats | None:
        """Step until all tips are there, see `TreeRestarts`."""
        for task, goal in zip(self._tasks, goals, strict=True):
            task.set_target(self.pin.SE3(goal))
        configuration = self._pink.Configuration(self.model, self.model.createData(), q)
        patience = Patience()
        for _ in range(ITERATIONS):
            errors = np.array([task.compute_error(configuration) for task in self._tasks])
            parts = np.linalg.norm(errors.reshape(-1, 2, 3), axis=2)
            # The logarithm's translation is not quite the distance: half the tolerance is within.
            if parts.max() <= 0.5 * self.tolerance:
                return configuration.q
            if patience.ends(float(parts.max())) or time.perf_counter() > deadline:
                return None
            try:
                velocity = self._pink.solve_ik(
                    configuration, self._tasks, 1.0, solver="daqp", damping=1e-9,
                    limits=self._limits, safety_break=False,
                )  # fmt: skip
            except self._pink.exceptions.NoSolutionFound:
                return None
            configuration.integrate_inplace(velocity, 1.0)
        return None
