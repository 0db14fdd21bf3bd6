"""Solvers of one pose that start at a seed state: their contract, ours, and those of others."""

from abc import abstractmethod
from collections.abc import Sequence
from importlib import import_module

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.solver import Promises, taking_part
from generative_ik_ros.array_types import Floats
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.rigid import TURN

SEEDED_PEERS = ("ssik", "trac-ik", "frankik", "pink", "mink", "placo")
"""`seeded` of the module of each, with an underscore, takes the chain and the longest time of a
call [s]."""


class SeededSolver(Promises):
    """A solver that is asked for one configuration at a pose, near a seed state."""

    position_tolerance: float = 1e-5
    orientation_tolerance: float = 1e-5

    @abstractmethod
    def near(self, tip_in_base: Floats, seed_state: Floats) -> Floats | None:
        """Return a configuration (n,) at a pose (4, 4) for a seed state (n,); None: none found."""


class Ours(SeededSolver):
    """One solution of a pose, the nearest to a seed state.

    Args:
        solver: The solver.
        timeout: Of a call [s]; consistency limits of a turn are asked for as well. None: nothing
            but the nearest is asked for.
    """

    names = "ours", "ours, limits and timeout"

    def __init__(self, solver: IKSolver, timeout: float | None = None):
        """Take over its tolerances."""
        self._solver, self._timeout, self._limits = solver, timeout, None
        self.name = self.names[timeout is not None]
        if timeout is not None:
            self._limits = np.full(solver.chain.num_joints, TURN)
        self.position_tolerance = solver.position_tolerance
        self.orientation_tolerance = solver.orientation_tolerance

    def near(self, tip_in_base: Floats, seed_state: Floats) -> Floats | None:
        """Return the nearest solution (n,), see `SeededSolver`."""
        found = self._solver.solve(
            tip_in_base, 1, seed_state, consistency_limits=self._limits, timeout=self._timeout
        ).of(0)
        return found[0] if len(found) else None


def available_seeded(
    names: Sequence[str], case: ChainCase, seconds: float
) -> tuple[list[SeededSolver], dict[str, str]]:
    """Return the solvers of `SEEDED_PEERS` that can take part, and why the others cannot.

    Those that iterate give up after some seconds.
    """

    def make(name: str) -> list[SeededSolver]:
        module = import_module(f"{__package__}.{name.replace('-', '_')}")
        return module.seeded(case, seconds)

    return taking_part(names, make)
