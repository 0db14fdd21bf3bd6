"""Robots with several tips: both hands, hands and feet, fingers, a tray between two hands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from generative_ik_benchmarks.chains import RobotCase
from generative_ik_benchmarks.robots import example_robots_folder
from generative_ik_ros.errors import check_names
from generative_ik_ros.robot.kinematic_tree import KinematicTree

Bounds = tuple[tuple[float, ...], tuple[float, ...]]
"""Lower and upper bounds of x y z roll pitch yaw [m and rad]."""

FREE_BASE: Bounds = ((-0.5, -0.5, -0.5, -0.5, -0.5, -3.1), (0.5, 0.5, 0.5, 0.5, 0.5, 3.1))
"""Of a humanoid's root, about where it stands."""


@dataclass(frozen=True)
class TreeCase(RobotCase):
    """One tree to evaluate; with a floating base, `base_link` is "" for the world.

    Attributes:
        tip_links: The links that are placed.
        reference_links: Tips whose pose is given in another link than the base.
        floating_base: Bounds of the root's pose in the world; None: it stands.
    """

    tip_links: tuple[str, ...]
    reference_links: Mapping[str, str] = field(default_factory=dict)
    floating_base: Bounds | None = None

    @property
    def label(self) -> str:
        """How tables name the tree."""
        tips = ", ".join(
            f"{tip} in {self.reference_links[tip]}" if tip in self.reference_links else tip
            for tip in self.tip_links
        )
        return f"{self.robot}: {self.base_link or 'world'} -> {tips}"

    @cached_property
    def chain(self) -> KinematicTree:
        """The tree; revolute joints without limits are taken as continuous.

        Raises:
            RobotDescriptionError: The description is refused.
        """
        return KinematicTree.from_urdf(
            self.urdf,
            self.base_link or None,
            self.tip_links,
            reference_links=dict(self.reference_links) or None,
            missing_limits="continuous",
            floating_base=self.floating_base,
        )


_TABLE = """
baxter baxter_description/urdf/baxter torso left_gripper right_gripper
pr2 pr2_description/urdf/pr2 base_link l_gripper_tool_frame r_gripper_tool_frame
pr2_tray pr2_description/urdf/pr2 base_link l_gripper_tool_frame r_gripper_tool_frame:l_gripper_tool_frame
tiago_dual tiago_description/robots/tiago_dual base_footprint hand_left_tool_link hand_right_tool_link
tiago_pro tiago_pro_description/robots/tiago_pro base_footprint gripper_left_base_link gripper_right_base_link
alex alex_description/urdf/alex_nub_hands Pelvis leftNub rightNub
centauro centauro_description/urdf/centauro pelvis ball1_tip ball2_tip
allegro allegro_hand_description/urdf/allegro_left_hand palm_link link_3.0_tip link_7.0_tip link_11.0_tip link_15.0_tip
talos talos_data/robots/talos_full_v2 world gripper_left_base_link gripper_right_base_link left_sole_link right_sole_link
g1 g1_description/urdf/g1_29dof_rev_1_0 world left_rubber_hand right_rubber_hand left_ankle_roll_link right_ankle_roll_link
romeo romeo_description/urdf/romeo world l_gripper r_gripper l_sole r_sole
icub icub_description/robots/icub world l_gripper r_gripper l_sole r_sole
"""  # noqa: E501 (a line each)
"""Name, file without its ending, base link and tips (TIP:REFERENCE); world: a floating base."""


def example_trees(names: Sequence[str] = ()) -> list[TreeCase]:
    """Return trees of example-robot-data, all or some; none where it is not installed.

    Raises:
        UnknownNameError: There is no such tree.
    """
    rows = {name: row for name, *row in map(str.split, _TABLE.strip().splitlines())}
    check_names("tree", names, rows)
    folder = example_robots_folder()
    if folder is None:
        return []
    return [_of_row(folder, name, rows[name]) for name in names or rows]


def _of_row(folder: Path, name: str, row: Sequence[str]) -> TreeCase:
    file, base, *tips = row
    pairs = [tip.partition(":") for tip in tips]
    floats = base == "world"
    return TreeCase(
        name,
        folder / f"{file}.urdf",
        "" if floats else base,
        tuple(tip for tip, _, _ in pairs),
        {tip: reference for tip, _, reference in pairs if reference},
        FREE_BASE if floats else None,
    )
