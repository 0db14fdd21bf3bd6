"""Random restarts of a local solver of several tips, on pinocchio's model: what peers share."""

import time
from abc import abstractmethod
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np

from generative_ik_benchmarks.oracle import ROOT_JOINTS, JointValues
from generative_ik_benchmarks.solver import Solver, UnsupportedChainError
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.joints import finite_limits

Accepts = Callable[[Floats], bool]
"""Says whether a configuration (n,) will do."""
WORLD = "world"
_ITERATIONS = 200
"""Most steps of a local search."""
_STREAM = 5
"""Separates the random numbers of starts from those of goals."""
_PATIENCE, _GAIN = 20, 0.5
"""A search is given up when so many steps have not made the error this many times as small."""


class TreeRestarts(Solver):
    """Local searches from uniformly random configurations until one ends at the goal.

    A goal is given up after some seconds; `accepts` says whether a solution (n,) will do, None
    that each does.

    Raises:
        UnsupportedChainError: A joint mimics one of the tree's.
    """

    position_tolerance = orientation_tolerance = tolerance = 1e-5

    def __init__(
        self, case: TreeCase, seconds: float, seed: int = 0, accepts: Accepts | None = None
    ):
        """Build a model of the tree's joints only."""
        import pinocchio

        self.pin: Any = pinocchio
        self.case, self.seconds, self.accepts = case, seconds, accepts
        names = case.chain.joint_names
        text = _without_namesakes(case.plain_urdf)
        text = with_root(text) if case.floating_base else text
        whole = self.pin.buildModelFromXML(text)
        if len(JointValues(whole, text, names).moving) > len(names):
            raise UnsupportedChainError("takes no mimic joints")
        others = [k for k in range(1, whole.njoints) if whole.names[k] not in names]
        self.model = self.pin.buildReducedModel(whole, others, self.pin.neutral(whole))
        self.values = JointValues(self.model, text, names)
        self.lower, self.upper = finite_limits(case.chain)
        self._own = [self.model.joints[self.model.getJointId(name)] for name in names]
        self.limited = np.isfinite(case.chain.lower) & np.isfinite(case.chain.upper)
        for joint, low, high in zip(self._own, self.lower, self.upper, strict=True):
            if joint.nq == 1:
                self.model.lowerPositionLimit[joint.idx_q] = low
                self.model.upperPositionLimit[joint.idx_q] = high
        self.base = case.base_link or WORLD
        # A stream of its own: goals drawn with the same seed must not be where it starts.
        self._rng = np.random.default_rng((seed, _STREAM))

    @abstractmethod
    def aim(self, goals: Floats) -> None:
        """Take goals (K, 4, 4)."""

    @abstractmethod
    def errors(self, q: Floats) -> Floats:
        """Return the errors (K, 6) of the tips from the goals, as the logarithm, for q."""

    @abstractmethod
    def step(self, q: Floats) -> Floats | None:
        """Return where a step leads from q, whose errors were asked for last; None: nowhere."""

    def solve(self, tip_in_base: Floats) -> Floats:
        """Return the one solution (1, n) or none (0, n) for goals (K, 4, 4), see `Solver`."""
        deadline = time.perf_counter() + self.seconds
        self.aim(tip_in_base)
        while time.perf_counter() < deadline:
            start = self.values.of(self._rng.uniform(self.lower, self.upper))
            found = self._descend(start, deadline)
            if found is not None:
                row = self.row(found)
                if self._inside(row) and (self.accepts is None or self.accepts(row)):
                    return row[None]
        return np.empty((0, len(self.lower)))

    def _descend(self, q: Floats | None, deadline: float) -> Floats | None:
        """Step from pinocchio's vector q until all tips are there; return such a vector, or None.

        A search is given up when some steps have not made the error half as small.
        """
        worst: list[float] = []
        for _ in range(_ITERATIONS):
            if q is None:
                break
            error = float(np.linalg.norm(self.errors(q).reshape(-1, 2, 3), axis=2).max())
            # The logarithm's translation is not quite the distance: half the tolerance is within.
            if error <= 0.5 * self.tolerance:
                return q
            worst.append(error)
            old = worst[:-_PATIENCE]
            stuck = bool(old) and min(worst[-_PATIENCE:]) > _GAIN * min(old)
            if stuck or time.perf_counter() > deadline:
                break
            q = self.step(q)
        return None

    def row(self, q: Floats) -> Floats:
        """Return the configuration (n,) of pinocchio's vector."""
        return np.array(
            [
                q[joint.idx_q] if joint.nq == 1 else np.arctan2(q[joint.idx_q + 1], q[joint.idx_q])
                for joint in self._own
            ]
        )

    def frame(self, link: str) -> int:
        """Return the number of a link."""
        return self.model.getFrameId(link, self.pin.FrameType.BODY)

    def reference(self, tip: str) -> str:
        """Return the link in which the goal of a tip is given."""
        return self.case.reference_links.get(tip, self.base)

    def _inside(self, row: Floats) -> bool:
        low, high = row >= self.lower - self.limit_slack, row <= self.upper + self.limit_slack
        return bool(((low & high) | ~self.limited).all())


def _without_namesakes(urdf: str) -> str:
    """Return a description whose fixed joints do not have names of links.

    Pinocchio makes a frame of each, and refuses to lock joints where two have one name.
    """
    robot = ElementTree.fromstring(urdf)
    for joint in robot.iter("joint"):
        if joint.get("type") == "fixed":
            joint.set("name", f"fixed joint {joint.get('name')}")
    return ElementTree.tostring(robot, encoding="unicode")


def with_root(urdf: str) -> str:
    """Return a description with six more joints between the world and its root.

    They have no bounds; the root's pose is Trans(x, y, z) Rz(yaw) Ry(pitch) Rx(roll).
    """
    robot = ElementTree.fromstring(urdf)
    children = {
        child.get("link") for joint in robot.iter("joint") for child in joint.iter("child")
    }
    root = next(str(link.get("name")) for link in robot.iter("link")
                if link.get("name") not in children)  # fmt: skip
    names = [WORLD, *(f"after_{joint}" for joint in ("x", "y", "z", "yaw", "pitch")), root]
    joints = [ROOT_JOINTS[k] for k in (0, 1, 2, 5, 4, 3)]
    axes = ("1 0 0", "0 1 0", "0 0 1", "0 0 1", "0 1 0", "1 0 0")
    for name in names[:-1]:
        ElementTree.SubElement(robot, "link", name=name)
    for k, (name, axis) in enumerate(zip(joints, axes, strict=True)):
        kind = "prismatic" if k < 3 else "revolute"
        joint = ElementTree.SubElement(robot, "joint", name=name, type=kind)
        ElementTree.SubElement(joint, "parent", link=names[k])
        ElementTree.SubElement(joint, "child", link=names[k + 1])
        ElementTree.SubElement(joint, "axis", xyz=axis)
        ElementTree.SubElement(joint, "limit", lower="-1e3", upper="1e3", effort="1", velocity="1")
    return ElementTree.tostring(robot, encoding="unicode")
