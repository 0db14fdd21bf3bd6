"""Chains with mimic joints, prismatic joints, and joints passed from child to parent."""

from bad_urdfs import GOOD_URDF
from test_chain import LIMIT, Z, link, mimic, robot

from generative_ik_ros.robot.chain import KinematicChain

MIMICS = robot(
    link(1, origin="0.1 0.2 0.3", rpy="0.4 0.5 0.6"),
    link(2, inside='<axis xyz="1 2 3"/>' + LIMIT, origin="0.5 0 0.1", rpy="1 0 0"),
    link(3, "prismatic", '<axis xyz="0 1 1"/>' + mimic("j1", 0.1, 0.02)),
    link(4, inside='<axis xyz="0 1 0"/>' + mimic("j2", -1.5, 0.3), origin="0 0 0.4"),
    link(5, "prismatic", Z + '<limit lower="-0.5" upper="0.5"/>', rpy="0 0.7 0"),
    link(6, "fixed", "", origin="0.1 0.1 0.1", rpy="0.1 0 0"),
)
CHAINS = {
    "good": KinematicChain.from_urdf(GOOD_URDF),
    "back": KinematicChain.from_urdf(GOOD_URDF, "tip", "base"),
    "mimics": KinematicChain.from_urdf(MIMICS),
    "mimics back": KinematicChain.from_urdf(MIMICS, "l6", "l0"),
}
