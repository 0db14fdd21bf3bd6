"""Fuzz targets: robot descriptions and semantic descriptions."""

from pathlib import Path

import numpy as np
from fuzz_mutate import mutated, pick

from generative_ik_ros.drawing.start import bent_configuration
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.known import robots_directory
from generative_ik_ros.robot.srdf import SemanticDescription

_EXTRA = Path(__file__).resolve().parents[3] / "shared" / "robots"
_ALL_KINDS = """<?xml version="1.0"?>
<robot name="all"><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
<link name="f"><visual><origin xyz="0 0 1" rpy="1 0 0"/><geometry><box size="1 1 1"/></geometry>
<material name="m"><color rgba="1 0 0 1"/></material></visual></link>
<joint name="j1" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="j2" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
<limit lower="0" upper="1" effort="1" velocity="1"/></joint>
<joint name="j3" type="continuous"><parent link="c"/><child link="d"/><axis xyz="0 1 0"/></joint>
<joint name="j4" type="revolute"><parent link="d"/><child link="e"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="j1" multiplier="-2"/></joint>
<joint name="j5" type="fixed"><parent link="e"/><child link="f"/><origin rpy="0 1 0"/></joint>
</robot>"""
_SDF = """<sdf version="1.11"><model name="all" canonical_link="a"><pose>0 0 1 0 0 0</pose>
<link name="a"/><link name="b"><pose relative_to="j1">0 0 1 0 0 0</pose></link><link name="c">
<pose relative_to="b" rotation_format="quat_xyzw">1 0 0 0 0 0 1</pose><visual name="v"><geometry>
<box><size>1 1 1</size></box></geometry></visual></link><joint name="j1" type="revolute">
<pose relative_to="a" degrees="true">0 0 1 90 0 0</pose><parent>a</parent><child>b</child><axis>
<xyz expressed_in="__model__">0 0 1</xyz><limit><lower>-2</lower><upper>2</upper></limit></axis>
</joint><joint name="j2" type="prismatic"><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz>
<limit><lower>0</lower><upper>1</upper></limit></axis></joint><frame name="t" attached_to="d::e">
<pose>0 0 1 0 0 0</pose></frame><model name="d"><pose relative_to="c"/><link name="e"/></model>
<joint name="j3" type="revolute"><parent>c</parent><child>d</child><axis><xyz>0 1 0</xyz><limit>
<lower>-1</lower><upper>1</upper></limit><mimic joint="j1"><multiplier>-2</multiplier><reference>1
</reference></mimic></axis></joint></model></sdf>"""
_MJCF = """<mujoco model="all"><compiler angle="radian"/><default><joint axis="0 1 0"/></default>
<asset><mesh name="m" file="m.stl" scale="1 1 1"/></asset><worldbody>
<geom type="plane" size="1 1 1"/>
<body name="b" pos="0 0 1" euler="1 0 0"><joint name="j1" range="-2 2" pos="0 0 1" ref="0.5"/>
<joint name="j2" type="slide" range="0 1"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/>
<frame pos="0 1 0"><body name="c" quat="1 1 0 0"><joint name="j3" range="-1 1" limited="true"/>
<geom type="mesh" mesh="m"/><site name="t" pos="0 0 1"/></body></frame></body><body name="d"><joint
name="j4"/><geom size="0.1"/></body></worldbody><equality><joint joint1="j3" joint2="j1"
polycoef="0 -2 0 0 0"/><connect body1="d" body2="b" anchor="0 0 0"/></equality><tendon><fixed
name="f" limited="true" range="0 1"><joint joint="j4" coef="1"/></fixed></tendon></mujoco>"""
_SRDF = """<robot name="all"><group name="arm"><chain base_link="a" tip_link="f"/></group>
<group name="hand"><joint name="j4"/><link name="f"/></group>
<group name="both"><group name="arm"/><group name="hand"/></group>
<end_effector name="tool" parent_link="f" group="hand" parent_group="arm"/>
<disable_collisions link1="a" link2="b" reason="Adjacent"/></robot>"""


class Urdf:
    """Robot descriptions as received over a topic."""

    def prepare(self) -> None:
        """Read the descriptions to mutate."""
        paths = [*robots_directory().glob("*.urdf"), *sorted(_EXTRA.glob("*.urdf"))]
        texts = [path.read_text(encoding="utf-8") for path in sorted(paths)]
        # Long descriptions are slow to read: the short one is used half of the time.
        self._corpus = texts + [_ALL_KINDS] * len(texts)

    def case(self, rng: np.random.Generator) -> bytes:
        """Return a mutated description."""
        return mutated(rng, self._corpus).encode("utf-8", "replace")

    def run(self, case: bytes, rng: np.random.Generator) -> str:
        """Read the description and solve for its chains."""
        try:
            description = RobotDescription.from_urdf_text(case.decode())
        except GenerativeIKError as error:
            return type(error).__name__
        outcome = "read, no chain"
        tips = [None, str(pick(rng, description.links))]
        for tip in tips:
            try:
                chain = KinematicChain.from_urdf(description, None, tip)
            except GenerativeIKError:
                continue
            self._use(chain, rng)
            outcome = "read and solved"
        return outcome

    @staticmethod
    def _use(chain: KinematicChain, rng: np.random.Generator) -> None:
        """Use a chain as the node does."""
        target = chain.forward(bent_configuration(chain))
        assert np.isfinite(target).all(), "forward kinematics is not finite"
        assert np.isfinite(chain.reach) and len(chain.fingerprint) == 16
        if chain.num_joints > 30:
            return
        found = IKSolver(chain).solve(target, 4, timeout=0.1, random_seed=int(rng.integers(100)))
        solutions = found.of(0)
        gap = chain.forward(solutions)[:, :3, 3] - target[:3, 3]
        assert (np.linalg.norm(gap, axis=1) <= 1.1e-5).all(), "a solution is false"
        assert (solutions >= chain.lower).all() and (solutions <= chain.upper).all(), "outside"


class Formats(Urdf):
    """The same in SDF and, where MuJoCo is installed, MJCF."""

    def prepare(self) -> None:
        """Take one of each."""
        self._corpus = [_SDF, _MJCF]


class Srdf:
    """Semantic descriptions as received over a topic."""

    def prepare(self) -> None:
        """Read the robot of the groups."""
        self._robot = RobotDescription.from_urdf_text(_ALL_KINDS)

    def case(self, rng: np.random.Generator) -> bytes:
        """Return a mutated description."""
        return mutated(rng, [_SRDF, _SRDF, _ALL_KINDS]).encode("utf-8", "replace")

    def run(self, case: bytes, rng: np.random.Generator) -> str:
        """Read the description and build its groups."""
        from generative_ik_ros.robot.joint_group import JointGroup

        try:
            semantic = SemanticDescription.from_srdf(case.decode())
        except GenerativeIKError as error:
            return type(error).__name__
        outcome = "read, no group"
        for name in semantic.groups:
            try:
                group = JointGroup.from_srdf(self._robot, semantic, name)
                group.chain()
            except GenerativeIKError:
                continue
            outcome = "read, with groups"
        return outcome
