"""From which end an arm is completed."""

from generative_ik_ros.learned.ggik.autoregressive.known_distances import KnownDistances
from generative_ik_ros.learned.graph.arm_graph import ArmGraph


def from_better_end(arm: ArmGraph) -> ArmGraph:
    """Return the arm, in double precision, or the same arm from its tip.

    The graph has no direction. Known distances decide more of the Panda's joints from its tip,
    since its shoulder is spherical and its wrist is not.
    """
    tip_first = ArmGraph(arm.lines.from_tip())
    decided = [sum(map(bool, KnownDistances.of(end.links).counts)) for end in (arm, tip_first)]
    return tip_first if decided[1] > decided[0] else arm
