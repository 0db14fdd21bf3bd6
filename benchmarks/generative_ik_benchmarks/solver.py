"""The contract of every solver that is measured, and this package's solver behind it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import MissingDependencyError, importing
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.kinematic_tree import Kinematics

AnySolver = TypeVar("AnySolver")


class UnsupportedChainError(Exception):
    """A solver cannot take this chain; the message says why. A finding, not a misuse."""


class Promises(ABC):
    """What a solver promises, and is checked by.

    Attributes:
        name: How tables name it.
        position_tolerance: What it promises for the distance of the tip from the pose [m].
        orientation_tolerance: What it promises for the angle between them [rad].
        limit_slack: How far beyond the limits its own rounding can reach [rad or m].
    """

    name: str
    position_tolerance: float
    orientation_tolerance: float
    limit_slack: float = 1e-9


class Solver(Promises):
    """A solver of poses of one chain."""

    @abstractmethod
    def solve(self, tip_in_base: Floats) -> Floats:
        """Return the configurations (k, n) found for one pose (4, 4), none: (0, n)."""

    def solve_many(self, targets: Floats) -> object:
        """Solve poses (N, 4, 4), in one call where the solver has such calls.

        What is returned is the solver's own: this is for its time.
        """
        return [self.solve(target) for target in targets]


def if_available(
    name: str, make: Callable[[], AnySolver], absent: dict[str, str]
) -> AnySolver | None:
    """Return a solver, or None and note why it cannot take part.

    It cannot where making it raises MissingDependencyError or UnsupportedChainError.
    """
    try:
        return make()
    except (MissingDependencyError, UnsupportedChainError) as reason:
        absent[name] = str(reason)
        return None


def taking_part(
    names: Iterable[str], make: Callable[[str], list[AnySolver]]
) -> tuple[list[AnySolver], dict[str, str]]:
    """Return the solvers that can take part, and why the others cannot, by name."""
    absent: dict[str, str] = {}
    made = [if_available(name, partial(make, name), absent) for name in names]
    return [solver for some in made if some is not None for solver in some], absent


class PackageSolver(Solver):
    """This package's own solver.

    Args:
        chain: The chain or tree.
        num_solutions: Distinct solutions wanted for each pose.
        timeout: Deadline for each pose [s]; None: until the search is exhausted.
        sampler: What proposes the seeds.
        seed: Root of the random seeds. Each call gets its own, which no other solver has: what
            is kept of a random seed would make the second of two solvers look faster.
    """

    def __init__(
        self,
        chain: Kinematics,
        num_solutions: int,
        timeout: float | None,
        sampler: str = "auto",
        seed: int = 0,
    ):
        """Make the solver."""
        self.name = f"ours, {num_solutions}"
        self.solver = IKSolver(chain, sampler=sampler)
        self.position_tolerance = self.solver.position_tolerance
        self.orientation_tolerance = self.solver.orientation_tolerance
        self._num_solutions, self._timeout = num_solutions, timeout
        which = f"{chain.base_link} {chain.tip_links} {sampler} {num_solutions}"
        self._seed = int(
            np.random.SeedSequence([seed, crc32(which.encode())]).generate_state(1)[0]
        )

    def solve(self, tip_in_base: Floats) -> Floats:
        """Return the distinct solutions (k, n), see `Solver`."""
        self._seed += 1
        return self.solver.solve(
            tip_in_base, self._num_solutions, timeout=self._timeout, random_seed=self._seed
        ).of(0)

    def solve_many(self, targets: Floats) -> object:
        """Solve poses (N, 4, 4) in one call."""
        return self.solver.solve(targets, self._num_solutions, timeout=self._timeout)


def imported(module: str, package: str, what: str) -> Any:  # noqa: ANN401 (a module)
    """Import a module.

    Args:
        module: Its name.
        package: The name of its package on the index.
        what: What needs it, for the error.

    Raises:
        MissingDependencyError: It is not installed.
    """
    with importing(
        f"{what} needs {package}", f"./benchmarks in a checkout, or pip install {package}"
    ):
        return import_module(module)
