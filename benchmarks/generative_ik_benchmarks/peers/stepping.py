"""What solvers of differential inverse kinematics share: steps from a seed state to a pose."""

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.seeded import SeededSolver
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.fold import path

_UNLIMITED = 1e3
"""A limit that is none, for joints that turn freely [rad]."""


@dataclass(frozen=True)
class LoneArm:
    """A chain or tree as the description of a robot that has no other joints, and no shapes.

    Attributes:
        urdf: The description.
        joint_names: The joints, in the order of the configurations.
        base_link: The frame of the poses.
        tip_links: The links that they place.
        base_in_world: (4, 4) that frame in the description's root.
    """

    urdf: str
    joint_names: tuple[str, ...]
    base_link: str
    tip_links: tuple[str, ...]
    base_in_world: Floats

    @property
    def tip_link(self) -> str:
        """The tip of a chain."""
        return self.tip_links[0]

    @classmethod
    def of(cls, case: ChainCase | TreeCase) -> "LoneArm":
        """Return the arm of a chain or tree.

        Raises:
            UnsupportedChainError: It has mimic joints, runs up the tree, or has tips whose poses
                are not given in its base.
        """
        chain, base = case.chain, case.base_link
        tips = case.tip_links if isinstance(case, TreeCase) else (case.tip_link,)
        if isinstance(case, TreeCase) and (case.reference_links or case.floating_base):
            raise UnsupportedChainError("takes no tips relative to others, and no floating base")
        route = [joint for tip in tips for joint in path(chain.description, base, tip)]
        if any(joint.mimic for joint, _ in route):
            raise UnsupportedChainError("takes no mimic joints")
        if not all(down for _, down in route):
            raise UnsupportedChainError("takes no chains that run up the tree")
        urdf = _alone(case)
        root = chain.description.root
        base_in_world = Oracle(urdf, root, base, ()).forward(np.empty((1, 0)))[0]
        return cls(urdf, tuple(chain.joint_names), base, tips, base_in_world)


def _alone(case: ChainCase | TreeCase) -> str:
    """Return the description with other joints fixed, and free ones in wide limits."""
    robot = ElementTree.fromstring(case.plain_urdf)
    for joint in robot.iter("joint"):
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)
        if joint.get("name") not in case.chain.joint_names:
            joint.set("type", "fixed")
        elif joint.get("type") == "continuous":
            joint.set("type", "revolute")
            for limit in joint.findall("limit"):
                joint.remove(limit)
            bound = str(_UNLIMITED)
            facts = {"lower": f"-{bound}", "upper": bound, "effort": "1", "velocity": "1"}
            ElementTree.SubElement(joint, "limit", facts)
    return ElementTree.tostring(robot, encoding="unicode")


class Stepping(SeededSolver):
    """Steps by a quadratic program each until the tip is at the pose, or some seconds are over.

    A step is a whole one: no time passes, and velocities are not limited.

    Raises:
        UnsupportedChainError: The chain has mimic joints, or runs up the tree.
    """

    limit_slack = 1e-6

    def __init__(self, case: ChainCase, seconds: float):
        """Make the description of the arm alone."""
        self.arm, self._seconds = LoneArm.of(case), seconds

    @abstractmethod
    def start(self, tip_in_world: Floats, seed_state: Floats) -> None:
        """Begin at a seed state (n,) with a pose (4, 4)."""

    @abstractmethod
    def errors(self) -> tuple[float, float]:
        """Return how far the tip is from the pose [m], and the angle between them [rad]."""

    @abstractmethod
    def step(self) -> bool:
        """Make a step; return whether there is one."""

    @abstractmethod
    def positions(self) -> Floats:
        """Return where the arm is (n,)."""

    def near(self, tip_in_base: Floats, seed_state: Floats) -> Floats | None:
        """Return where the steps end (n,), see `SeededSolver`."""
        deadline = time.perf_counter() + self._seconds
        self.start(self.arm.base_in_world @ tip_in_base, seed_state)
        while True:
            distance, angle = self.errors()
            # The logarithm's translation is not quite the distance: half of it is within.
            if max(distance / self.position_tolerance, angle / self.orientation_tolerance) <= 0.5:
                return self.positions()
            if time.perf_counter() > deadline or not self.step():
                return None


class FrameTaskNear(Stepping):
    """Steps of mink or Pink: one frame task, solved by DAQP.

    Attributes:
        library: Its module.
        none_found: What it raises where there is no step.
        task: The frame task.
        limits: Those of steps.
        configuration: Where the arm is.
        more: What else its `solve_ik` is told.
    """

    library: Any
    none_found: type[Exception]
    task: Any
    limits: Sequence[Any]
    configuration: Any
    more: Mapping[str, Any] = {}

    def errors(self) -> tuple[float, float]:
        """Return distance [m] and angle [rad] from the pose, see `Stepping`."""
        twist = self.task.compute_error(self.configuration)
        return float(np.linalg.norm(twist[:3])), float(np.linalg.norm(twist[3:]))

    def step(self) -> bool:
        """Solve one quadratic program, see `Stepping`."""
        try:
            velocity = self.library.solve_ik(
                self.configuration, [self.task], 1.0, solver="daqp", damping=1e-9,
                limits=self.limits, **self.more,
            )  # fmt: skip
        except self.none_found:
            return False
        self.configuration.integrate_inplace(velocity, 1.0)
        return True

    def positions(self) -> Floats:
        """Return where the arm is (n,), see `Stepping`."""
        return np.array(self.configuration.q)
