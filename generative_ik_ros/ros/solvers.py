"""Cache of the IK solvers of one robot description, shared by all callbacks."""

import threading
from functools import lru_cache

from generative_ik_ros.errors import AmbiguousChainError, GenerativeIKError, RobotDescriptionError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription

MAX_SOLVERS = 64
"""Size of the cache. Clients choose tolerances freely, so the number of solvers is unbounded."""


class RobotSolvers:
    """The solvers of one robot description, for any tip link, sampler and tolerances.

    A callback reads the node's reference to this object once and works with that, so that the
    node can replace the robot at any time.

    Args:
        text: URDF text. Paths are refused: a topic must not be able to name files.
        base_link: Base link of every chain; empty: determined from the robot.
        tip_link: Tip link of requests that name none; empty: determined from the robot.
        device: Device that learned samplers run on.

    Attributes:
        text: The URDF text.
        description: The robot.
        ambiguity: Why there is no default chain; empty if there is one.
        any_tip: A tip link that a chain can be built to; empty: the default one.

    Raises:
        RobotDescriptionError: The text does not describe a usable robot.
        UnknownNameError: The base or tip link does not exist.
    """

    def __init__(self, text: str, base_link: str, tip_link: str, device: str):
        """Parse the description and build the default chain."""
        if not text.lstrip().startswith("<"):
            raise RobotDescriptionError(
                f"the robot description is not URDF text: it starts with {text[:40]!r}"
            )
        self.text = text
        self.description = RobotDescription.from_urdf(text)
        self._base_link, self._tip_link, self._device = base_link, tip_link, device
        self._lock = threading.Lock()
        self._chains: dict[str, KinematicChain] = {}
        self._building: dict[tuple[str, str, float, float], threading.Lock] = {}
        self._cached = lru_cache(MAX_SOLVERS)(self._build)
        self.ambiguity = self.any_tip = ""
        try:
            self.chain()
        except AmbiguousChainError as error:
            # Still usable: requests can name their tip link.
            self.ambiguity, self.any_tip = str(error), self._usable_tip(error)

    def _usable_tip(self, ambiguity: AmbiguousChainError) -> str:
        """Return the first tip link that a chain can be built to, for warming up."""
        for link in self.description.links:
            try:
                return self.chain(link).tip_link
            except GenerativeIKError:
                continue
        raise ambiguity

    def chain(self, tip_link: str = "") -> KinematicChain:
        """Return the chain to a tip link; empty: the default one.

        Raises:
            AmbiguousChainError: No tip was named and the robot has several.
            RobotDescriptionError: The joints on the way to the tip cannot be used.
            UnknownNameError: The link does not exist.
        """
        tip_link = tip_link or self._tip_link
        with self._lock:
            if tip_link not in self._chains:
                self._chains[tip_link] = KinematicChain.from_urdf(
                    self.description, self._base_link or None, tip_link or None
                )
            return self._chains[tip_link]

    def solver(
        self, tip_link: str, sampler: str, position_tolerance: float, orientation_tolerance: float
    ) -> IKSolver:
        """Return the solver for a tip link [tolerances in m and rad]; raises as `chain` does."""
        key = (tip_link or self._tip_link, sampler, position_tolerance, orientation_tolerance)
        with self._lock:
            building = self._building.setdefault(key, threading.Lock())
        # Loading a learned sampler takes seconds: only requests for the same solver wait for it.
        with building:
            try:
                return self._cached(*key)
            finally:
                with self._lock:
                    self._building.pop(key, None)

    def _build(
        self, tip_link: str, sampler: str, position_tolerance: float, orientation_tolerance: float
    ) -> IKSolver:
        return IKSolver(
            self.chain(tip_link),
            sampler,
            self._device,
            position_tolerance=position_tolerance,
            orientation_tolerance=orientation_tolerance,
        )
