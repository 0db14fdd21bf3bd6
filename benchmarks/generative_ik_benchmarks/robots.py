"""Chains of the robots that `example-robot-data` on the package index has, a line each."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import yaml

from generative_ik_ros.errors import MissingDependencyError

_PACKAGE = "example-robot-data"
_FOLDER = Path("share", _PACKAGE, "robots")

_TABLE = """
ur3 ur_description/urdf/ur3_robot base_link tool0
ur5 ur_description/urdf/ur5_robot base_link tool0
ur5_limited ur_description/urdf/ur5_joint_limited_robot base_link tool0
kinova kinova_description/robots/kinova base j2s6s200_end_effector
z1 z1_description/urdf/z1 link00 gripperStator
xarm7 xarm_description/urdf/xarm7 link_base link_eef
so100 so_arm_description/urdf/so100 base gripper
so101 so_arm_description/urdf/so101 base_link gripper_frame_link
hextilt_arm hextilt_description/urdf/hextilt_flying_arm_5 hextilt__base_link flying_arm_5__gripper
anymal_arm anymal_b_simple_description/robots/anymal-kinova base j2s6s200_end_effector
panda_left_finger panda_description/urdf/panda panda_link0 panda_leftfinger
panda_right_finger panda_description/urdf/panda panda_link0 panda_rightfinger
baxter_arm baxter_description/urdf/baxter torso left_gripper
baxter_hand_to_hand baxter_description/urdf/baxter left_gripper right_gripper
pr2_arm pr2_description/urdf/pr2 torso_lift_link l_gripper_tool_frame
pr2_lift_and_arm pr2_description/urdf/pr2 base_link l_gripper_tool_frame
tiago_arm tiago_description/robots/tiago torso_lift_link hand_tool_link
tiago tiago_description/robots/tiago base_footprint hand_tool_link
tiago_hand_to_hand tiago_description/robots/tiago_dual hand_left_tool_link hand_right_tool_link
tiago_pro tiago_pro_description/robots/tiago_pro base_footprint gripper_left_base_link
talos_arm talos_data/robots/talos_full_v2 torso_2_link gripper_left_base_link
talos_waist_and_arm talos_data/robots/talos_full_v2 base_link gripper_left_base_link
talos_leg talos_data/robots/talos_full_v2 base_link left_sole_link
talos_foot_to_hand talos_data/robots/talos_full_v2 left_sole_link gripper_left_base_link
talos_hand_to_hand talos_data/robots/talos_full_v2 gripper_left_base_link gripper_right_base_link
romeo_arm romeo_description/urdf/romeo torso l_gripper
romeo_waist_and_arm romeo_description/urdf/romeo base_link l_gripper
icub_arm icub_description/robots/icub chest l_gripper
icub_waist_and_arm icub_description/robots/icub base_link l_gripper
g1_arm g1_description/urdf/g1_29dof_rev_1_0 torso_link left_rubber_hand
g1_waist_and_arm g1_description/urdf/g1_29dof_rev_1_0 pelvis left_rubber_hand
g1_foot_to_hand g1_description/urdf/g1_29dof_rev_1_0 left_ankle_roll_link left_rubber_hand
alex_waist_and_arm alex_description/urdf/alex_nub_hands Pelvis leftNub
alex_hand_to_hand alex_description/urdf/alex_nub_hands leftNub rightNub
centauro_arm centauro_description/urdf/centauro pelvis ball1_tip
simple_humanoid simple_humanoid_description/urdf/simple_humanoid base_link l_wrist
human_waist_and_arm human_description/robots/human middle_pelvis left_hand
human_foot_to_hand human_description/robots/human left_foot left_hand
allegro_finger allegro_hand_description/urdf/allegro_left_hand palm_link link_3.0_tip
solo12_leg solo_description/robots/solo12 base_link FL_FOOT
double_pendulum double_pendulum_description/urdf/double_pendulum_continuous base_link link2
"""
"""Name, file without its ending, base link and tip link: two to nineteen joints, revolute with
narrow and with wide limits, continuous, prismatic, and one that mimics another."""

EXAMPLE_ROBOTS = {name: chain for name, *chain in map(str.split, _TABLE.strip().splitlines())}
"""File without its ending, base link and tip link, by name."""


def example_robots_folder() -> Path | None:
    """Return the folder that the files of `EXAMPLE_ROBOTS` are in; None if it is not installed."""
    try:
        installed = distribution(_PACKAGE)
    except PackageNotFoundError:
        return None
    folder = Path(str(installed.locate_file(Path("cmeel.prefix") / _FOLDER)))
    return folder if folder.is_dir() else None


def example_robot_urdf(name: str) -> Path:
    """Return the description of one of `EXAMPLE_ROBOTS`.

    Raises:
        MissingDependencyError: The package is not installed.
    """
    folder = example_robots_folder()
    if folder is None:
        raise MissingDependencyError(
            f"robot '{name}' is one of {_PACKAGE}, which is not installed: pip install {_PACKAGE}"
        )
    return folder / f"{EXAMPLE_ROBOTS[name][0]}.urdf"


def read_yaml(path: Path) -> Any:  # noqa: ANN401 (whatever it holds)
    """Return what a file of a robot, a scene or a problem holds."""
    return yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
