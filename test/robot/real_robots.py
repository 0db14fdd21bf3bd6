"""Chains of real robots at hand, and pinocchio's kinematics of them.

They are those of example-robot-data on the package index, where it is installed, and those of a
folder of URDF files with a list of chains in SOURCES.md, where GENERATIVE_IK_ROBOTS names one.
"""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from generative_ik_ros.robot.chain import KinematicChain

try:
    from generative_ik_benchmarks.chains import known_cases, listed_cases
    from generative_ik_benchmarks.robots import EXAMPLE_ROBOTS, example_robots_folder
except ImportError:  # the benchmarks are a package of their own
    EXAMPLE = None
    _CASES = []
else:
    EXAMPLE = example_robots_folder()
    _LISTED = os.environ.get("GENERATIVE_IK_ROBOTS")
    _CASES = known_cases(list(EXAMPLE_ROBOTS)) if EXAMPLE else []
    _CASES += listed_cases(Path(_LISTED)) if _LISTED else []

needs_real_robots = pytest.mark.skipif(
    EXAMPLE is None, reason="needs: pip install ./benchmarks (which brings example-robot-data)"
)


@dataclass(frozen=True)
class RealChain:
    """A chain of a real robot."""

    robot: str
    path: Path
    base_link: str
    tip_link: str

    def __str__(self):
        return f"{self.robot.removesuffix('.urdf')}-{self.base_link}-{self.tip_link}"

    @property
    def text(self):
        """The URDF; compi's has no limits at all, which pinocchio refuses."""
        text = self.path.read_text(encoding="utf-8")
        return text.replace('"revolute"', '"continuous"') if self.robot == "compi.urdf" else text

    @lru_cache  # noqa: B019 (a row is a constant)
    def load(self) -> KinematicChain:
        return KinematicChain.from_urdf(self.text, self.base_link, self.tip_link)


REAL_CHAINS = [
    RealChain(case.robot, case.urdf_path, case.base_link, case.tip_link) for case in _CASES
]


def example_robot(file):
    """Path of a description in example-robot-data; skips where it is not installed."""
    if EXAMPLE is None:
        pytest.skip("needs: pip install ./benchmarks (which brings example-robot-data)")
    return EXAMPLE / file


class PinocchioChain:
    """Forward kinematics and Jacobian of a chain by pinocchio, sharing no code with ours."""

    def __init__(self, urdf_text, base_link, tip_link):
        pin = pytest.importorskip("pinocchio")
        self._pin = pin
        self._model = pin.buildModelFromXML(urdf_text)
        self._data = self._model.createData()
        self._base = self._model.getFrameId(base_link, pin.FrameType.BODY)
        self._tip = self._model.getFrameId(tip_link, pin.FrameType.BODY)
        self._mimics = [
            (
                joint.get("name"),
                mimic.get("joint"),
                float(mimic.get("multiplier", 1)),
                float(mimic.get("offset", 0)),
            )
            for joint in ElementTree.fromstring(urdf_text).iter("joint")
            for mimic in joint.findall("mimic")
        ]

    def _values(self, names, q):
        values = dict(zip(names, q, strict=True))
        return values | {
            name: factor * values[of] + offset
            for name, of, factor, offset in self._mimics
            if of in values
        }

    def _update(self, names, q):
        full = self._pin.neutral(self._model)
        for name, value in self._values(names, q).items():
            joint = self._model.joints[self._model.getJointId(name)]
            turned = [np.cos(value), np.sin(value)] if joint.nq == 2 else value
            full[joint.idx_q : joint.idx_q + joint.nq] = turned
        self._pin.computeJointJacobians(self._model, self._data, full)
        self._pin.updateFramePlacements(self._model, self._data)

    def tip_in_base(self, names, q):
        self._update(names, q)
        frames = self._data.oMf
        return (frames[self._base].inverse() * frames[self._tip]).homogeneous

    def jacobian(self, names, q):
        """(6, n) velocity of the tip against the base, seen in the base."""
        self._update(names, q)
        world = self._pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        tip, base = (
            self._pin.getFrameJacobian(self._model, self._data, frame, world)
            for frame in (self._tip, self._base)
        )
        frames = self._data.oMf
        arm = frames[self._tip].translation - frames[self._base].translation
        carried = np.cross(base[3:], arm, axisa=0, axisc=0)
        to_base = frames[self._base].rotation.T
        full = np.concatenate(
            [to_base @ (tip[:3] - base[:3] - carried), to_base @ (tip[3:] - base[3:])]
        )
        columns = np.zeros((6, len(names)))
        ways = [(name, name, 1.0) for name in names]
        ways += [(name, of, factor) for name, of, factor, _ in self._mimics if of in names]
        for name, of, factor in ways:
            joint = self._model.joints[self._model.getJointId(name)]
            columns[:, names.index(of)] += factor * full[:, joint.idx_v]
        return columns
