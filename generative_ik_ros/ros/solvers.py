"""Cache of the IK solvers of one robot description, shared by all callbacks."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillRunning
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeVar, cast
from weakref import WeakValueDictionary

from generative_ik_ros.errors import (
    AmbiguousChainError,
    ClosedLoopError,
    GenerativeIKError,
    RobotDescriptionError,
)
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.limits import JointLimits, with_limits
from generative_ik_ros.robot.loop_files import with_loops
from generative_ik_ros.samplers.base import Sampler

Tips = str | tuple[tuple[str, str], ...]
"""A tip link, "" for the default one; or several, each with the link that its pose is given in."""
_Key = tuple[Tips, str, float, float, str | None]
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class CacheLimits:
    """How many solvers there are at most."""

    kept: int = 64
    """Solvers that are kept. Clients choose tolerances freely, so there may be any number."""
    loading: int = 8
    """Solvers that are loaded at once."""


LIMITS = CacheLimits()


class PreparingError(GenerativeIKError):
    """What a request needs is being loaded; the same request succeeds later."""


class RobotSolvers:
    """The solvers of one robot description, for any tip link, sampler and tolerances.

    A callback reads the node's reference to this object once and works with that, so that the
    node can replace the robot at any time.

    Args:
        text: URDF, SDF or MJCF text. Paths are refused: a topic must not be able to name files.
        base_link: Base link of every chain; empty: determined from the robot.
        tip_link: Tip link of requests that name none; empty: determined from the robot.
        device: Where learned samplers run.
        joint_limits: Limits instead of the description's, as `KinematicChain.from_urdf` has them.
        soft_limits: Whether joints stay within their soft limits.
        loops: File with closed loops and couplings of its joints; empty: none.

    Attributes:
        text: The description's text.
        key: The same with the limits, loops and couplings.
        description: The robot.
        ambiguity: Why there is no default chain; empty if there is one.
        any_tip: A tip link that a chain can be built to; empty: the default one.

    Raises:
        RobotDescriptionError: The text does not describe a usable robot.
        UnknownNameError: The base or tip link, or a joint with limits, does not exist.
        InvalidArgumentError: A joint cannot have its limits.
    """

    def __init__(
        self,
        text: str,
        base_link: str,
        tip_link: str,
        device: str,
        joint_limits: JointLimits | None = None,
        soft_limits: bool = False,
        loops: str = "",
    ):
        if not text.lstrip().startswith("<"):
            raise RobotDescriptionError(
                f"the robot description is no XML text: it starts with {text[:40]!r}"
            )
        description = with_loops(RobotDescription.from_urdf_text(text), loops or None)
        self.description = with_limits(description, joint_limits, soft_limits=soft_limits)
        self.text = text
        added = f"{description.loops} {description.couplings}" if loops else ""
        self.key = f"{joint_limits} {soft_limits} {added} {text}"
        self._base_link, self._tip_link, self._device = base_link, tip_link, device
        self._lock = threading.Lock()
        self._chains: dict[str, KinematicChain] = {}
        self._trees: OrderedDict[Tips, KinematicChain] = OrderedDict()
        self._samplers: WeakValueDictionary[tuple[Tips, str], Sampler] = WeakValueDictionary()
        self._cache: OrderedDict[_Key, Future[IKSolver]] = OrderedDict()
        self.ambiguity = self.any_tip = ""
        try:
            self.chain()
        except (AmbiguousChainError, ClosedLoopError) as error:
            # Still usable: requests can name their tip link, and tips behind loops in tip_links.
            self.ambiguity, self.any_tip = str(error), self._usable_tip(error)

    def _usable_tip(self, ambiguity: RobotDescriptionError) -> str:
        """Return the first tip link that a chain can be built to, to prepare samplers for."""
        for link in self.description.links:
            try:
                return self.chain(link).tip_link
            except GenerativeIKError:
                continue
        raise ambiguity

    def chain(self, tips: Tips = "") -> KinematicChain:
        """Return the chain to a tip link, the default one if it is empty, or the tree to several.

        A tree has what callbacks use of a chain.

        Raises:
            AmbiguousChainError: No tip was named and the robot has several.
            RobotDescriptionError: The joints on the way to the tip cannot be used.
            UnknownNameError: The link does not exist.
        """
        tips, base_link = tips or self._tip_link, self._base_link or None
        with self._lock:
            if isinstance(tips, str):
                if tips not in self._chains:
                    self._chains[tips] = KinematicChain.from_urdf(
                        self.description, base_link, tips or None
                    )
                return self._chains[tips]
            if tips not in self._trees:
                links = [tip for tip, _ in tips]
                references = {tip: reference for tip, reference in tips if reference}
                tree = KinematicTree.from_urdf(
                    self.description, base_link, links, reference_links=references
                )
                self._trees[tips] = cast(KinematicChain, tree)
                while len(self._trees) > LIMITS.kept:
                    self._trees.popitem(last=False)
            self._trees.move_to_end(tips)
            return self._trees[tips]

    def solver(
        self,
        tips: Tips,
        sampler: str,
        position_tolerance: float,
        orientation_tolerance: float,
        deadline: float = math.inf,
        pause: Callable[[], AbstractContextManager[None]] = nullcontext,
        prefer: str | None = None,
    ) -> IKSolver:
        """Return the solver for a tip link or several.

        Args:
            tips: Tip link, empty for the default one, or several tips.
            sampler: Name of the sampler, which takes seconds to load the first time.
            position_tolerance: Largest distance from the target [m].
            orientation_tolerance: Largest angle from the target [rad].
            deadline: Reading of `time.perf_counter` until which to wait [s].
            pause: Returns a context to wait in.
            prefer: What is met exactly where a target has no solution, if anything is.

        Raises:
            PreparingError: The solver is not ready by the deadline; loading goes on.
            GenerativeIKError: As `chain`, or as the sampler.
        """
        tolerances = position_tolerance, orientation_tolerance
        loading = self._loading((tips or self._tip_link, sampler, *tolerances, prefer))
        if loading.done():
            return loading.result()
        with pause():
            return result_of(
                loading, deadline, f"sampler '{sampler}' is being loaded for this arm"
            )

    def _loading(self, key: _Key) -> "Future[IKSolver]":
        """Return a solver that is ready or becomes so on a thread of its own."""
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
            if sum(not one.done() for one in self._cache.values()) >= LIMITS.loading:
                raise PreparingError(f"{LIMITS.loading} other solvers are being loaded; try again")
            loading = self._cache[key] = Future()
        load_beside(self._load, key, loading)
        return loading

    def _load(self, key: _Key, loading: "Future[IKSolver]") -> None:
        tips, name, position_tolerance, orientation_tolerance, prefer = key
        try:
            chain = self.chain(tips)
            # Loaded once for all tolerances, as long as there is this chain.
            loaded = self._samplers.get((tips, name))
            solver = IKSolver(
                chain,
                name if loaded is None or loaded.chain is not chain else loaded,
                self._device,
                position_tolerance=position_tolerance,
                orientation_tolerance=orientation_tolerance,
                prefer=prefer,
            )
            self._samplers[tips, name] = solver.sampler
            loading.set_result(solver)
            with self._lock:
                while len(self._cache) > LIMITS.kept:
                    self._cache.popitem(last=False)
        except Exception as error:
            with self._lock:
                self._cache.pop(key, None)
            loading.set_exception(error)


def load_beside(load: Callable[..., None], *arguments: object) -> None:
    """Call a function on a thread of its own; nothing can interrupt it."""
    # A daemon thread, because the interpreter waits for all others at exit.
    threading.Thread(
        target=load, args=arguments, name="generative_ik_loading", daemon=True
    ).start()


def result_of(future: "Future[_Result]", deadline: float, missing: str) -> _Result:
    """Wait for what a thread makes, and return it.

    Args:
        future: What it is going to be.
        deadline: Reading of `time.perf_counter` until which to wait [s].
        missing: What is said if it is not there by then.

    Raises:
        PreparingError: It is not there by the deadline.
        Exception: That of the future.
    """
    left = None if math.isinf(deadline) else max(deadline - time.perf_counter(), 0.0)
    try:
        return future.result(left)
    except StillRunning:
        if future.done():
            raise
        raise PreparingError(f"{missing}; try again in some seconds") from None
