"""Chains of the robots that `example-robot-data` on the package index has, a line each."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from generative_ik_ros.errors import MissingDependencyError

_PACKAGE = "example-robot-data"
_FOLDER = Path("share", _PACKAGE, "robots")

_UR, _TIAGO = "ur_description/urdf", "tiago_description/robots"
_TALOS = "talos_data/robots/talos_full_v2.urdf"
_G1 = "g1_description/urdf/g1_29dof_rev_1_0.urdf"
_ALEX = "alex_description/urdf/alex_nub_hands.urdf"
_PR2, _BAXTER = "pr2_description/urdf/pr2.urdf", "baxter_description/urdf/baxter.urdf"
_ROMEO, _ICUB = "romeo_description/urdf/romeo.urdf", "icub_description/robots/icub.urdf"
_PANDA = "panda_description/urdf/panda.urdf"
_HUMAN = "human_description/robots/human.urdf"

EXAMPLE_ROBOTS = {
    "ur3": (f"{_UR}/ur3_robot.urdf", "base_link", "tool0"),
    "ur5": (f"{_UR}/ur5_robot.urdf", "base_link", "tool0"),
    "ur5_limited": (f"{_UR}/ur5_joint_limited_robot.urdf", "base_link", "tool0"),
    "kinova": ("kinova_description/robots/kinova.urdf", "base", "j2s6s200_end_effector"),
    "z1": ("z1_description/urdf/z1.urdf", "link00", "gripperStator"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "link_base", "link_eef"),
    "so100": ("so_arm_description/urdf/so100.urdf", "base", "gripper"),
    "so101": ("so_arm_description/urdf/so101.urdf", "base_link", "gripper_frame_link"),
    "hextilt_arm": (
        "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
        "hextilt__base_link",
        "flying_arm_5__gripper",
    ),
    "anymal_arm": (
        "anymal_b_simple_description/robots/anymal-kinova.urdf",
        "base",
        "j2s6s200_end_effector",
    ),
    "panda_left_finger": (_PANDA, "panda_link0", "panda_leftfinger"),
    "panda_right_finger": (_PANDA, "panda_link0", "panda_rightfinger"),
    "baxter_arm": (_BAXTER, "torso", "left_gripper"),
    "baxter_hand_to_hand": (_BAXTER, "left_gripper", "right_gripper"),
    "pr2_arm": (_PR2, "torso_lift_link", "l_gripper_tool_frame"),
    "pr2_lift_and_arm": (_PR2, "base_link", "l_gripper_tool_frame"),
    "tiago_arm": (f"{_TIAGO}/tiago.urdf", "torso_lift_link", "hand_tool_link"),
    "tiago": (f"{_TIAGO}/tiago.urdf", "base_footprint", "hand_tool_link"),
    "tiago_hand_to_hand": (
        f"{_TIAGO}/tiago_dual.urdf",
        "hand_left_tool_link",
        "hand_right_tool_link",
    ),
    "tiago_pro": (
        "tiago_pro_description/robots/tiago_pro.urdf",
        "base_footprint",
        "gripper_left_base_link",
    ),
    "talos_arm": (_TALOS, "torso_2_link", "gripper_left_base_link"),
    "talos_waist_and_arm": (_TALOS, "base_link", "gripper_left_base_link"),
    "talos_leg": (_TALOS, "base_link", "left_sole_link"),
    "talos_foot_to_hand": (_TALOS, "left_sole_link", "gripper_left_base_link"),
    "talos_hand_to_hand": (_TALOS, "gripper_left_base_link", "gripper_right_base_link"),
    "romeo_arm": (_ROMEO, "torso", "l_gripper"),
    "romeo_waist_and_arm": (_ROMEO, "base_link", "l_gripper"),
    "icub_arm": (_ICUB, "chest", "l_gripper"),
    "icub_waist_and_arm": (_ICUB, "base_link", "l_gripper"),
    "g1_arm": (_G1, "torso_link", "left_rubber_hand"),
    "g1_waist_and_arm": (_G1, "pelvis", "left_rubber_hand"),
    "g1_foot_to_hand": (_G1, "left_ankle_roll_link", "left_rubber_hand"),
    "alex_waist_and_arm": (_ALEX, "Pelvis", "leftNub"),
    "alex_hand_to_hand": (_ALEX, "leftNub", "rightNub"),
    "centauro_arm": ("centauro_description/urdf/centauro.urdf", "pelvis", "ball1_tip"),
    "simple_humanoid": (
        "simple_humanoid_description/urdf/simple_humanoid.urdf",
        "base_link",
        "l_wrist",
    ),
    "human_waist_and_arm": (_HUMAN, "middle_pelvis", "left_hand"),
    "human_foot_to_hand": (_HUMAN, "left_foot", "left_hand"),
    "allegro_finger": (
        "allegro_hand_description/urdf/allegro_left_hand.urdf",
        "palm_link",
        "link_3.0_tip",
    ),
    "solo12_leg": ("solo_description/robots/solo12.urdf", "base_link", "FL_FOOT"),
    "double_pendulum": (
        "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
        "base_link",
        "link2",
    ),
}
"""File, base link and tip link by name: two to nineteen joints, revolute with narrow and with wide
limits, continuous, prismatic, and one that mimics another."""


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
    return folder / EXAMPLE_ROBOTS[name][0]
