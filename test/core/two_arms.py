"""A waist with two arms of six joints, whose hands can meet: the robot of an example."""

from pathlib import Path

from generative_ik_ros import KinematicTree

URDF = Path(__file__).resolve().parents[2] / "examples" / "two_arms.urdf"
HANDS = "left_hand", "right_hand"


def two_arms(tip_links=HANDS, **options):
    """Return the tree of both hands."""
    return KinematicTree.from_urdf(URDF, tip_links=tip_links, **options)
