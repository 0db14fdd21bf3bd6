"""Publishers of the latest solutions and of their markers."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

import math
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from builtin_interfaces.msg import Time
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from generative_ik_ros.array_types import Floats
from generative_ik_ros.drawing.tips import tips_in_base
from generative_ik_ros.msg import IKSolutions as IKSolutionsMsg
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.ros import conversions
from generative_ik_ros.ros.markers import SolutionMarkers
from generative_ik_ros.ros.served import Served
from generative_ik_ros.ros.topics import MarkerTopic
from generative_ik_ros.solutions import IKSolutions


class Solved(NamedTuple):
    """A chain, its target poses in the base link (B, 4, 4) [m], and their solutions.

    Of a tree with K tips (B, K, 4, 4), each in its tip's reference link.
    `dragged` says whether the target comes from the interactive marker, which is there already;
    `note` is said instead of what the solutions say of themselves.
    """

    chain: KinematicChain
    targets_in_base: Floats
    solutions: IKSolutions
    dragged: bool = False
    note: str = ""


class Hit(NamedTuple):
    """What a target is blocked by.

    Attributes:
        pair: The names of two things that collide.
        tip: (3,) where the closest configuration's first tip is, in the base link [m].
        frame: The base link.
    """

    pair: tuple[str, str]
    tip: Floats
    frame: str


def hit_of(solved: Solved) -> Hit | None:
    """Return what the first target that is reached in collision only is blocked by, if any."""
    for target, pair in enumerate(solved.solutions.blocked_by or ()):
        if pair is not None:
            closest = solved.solutions.best_effort[target : target + 1]
            tip = tips_in_base(solved.chain, closest)[0, 0, :3, 3]
            return Hit(pair, tip, solved.chain.base_link)
    return None


class Results(MarkerTopic):
    """Publishes `~/solutions` immediately and `~/solution_markers` from a timer.

    Args:
        follow: Called with the chain and first target of what is shown, if it was not dragged.

    Attributes:
        hit: What the closest configurations that were solved for last collide with.
    """

    def __init__(
        self, node: Node, served: Served, follow: Callable[[KinematicChain, Floats], None]
    ):
        self._served, self._follow = served, follow
        self._unshown: Solved | None = None
        self._shown: Solved | None = None
        self._again = math.inf
        self.hit: Hit | None = None
        self._pictures = SolutionMarkers()
        self._solutions_out = node.create_publisher(IKSolutionsMsg, "~/solutions", 10)
        super().__init__(node, "~/solution_markers", served.settings.marker_rate)

    def publish(self, solved: Solved, stamp: Time) -> None:
        """Publish the solutions if anyone subscribes; the timer publishes the markers.

        Those for several tips are in the reply and in the markers only, those for any pose of a
        goal set in the reply only.
        """
        if solved.solutions.target_of is not None:
            return
        self._unshown = solved
        self.hit = hit_of(solved)
        several = isinstance(solved.chain, KinematicTree)  # The message has one tip.
        if several or not self._solutions_out.get_subscription_count():
            return
        message = IKSolutionsMsg(tip_link=solved.chain.tip_link)
        message.header.frame_id = solved.chain.base_link
        message.header.stamp = stamp
        message.targets = conversions.transforms_to_poses(solved.targets_in_base)
        conversions.fill_results(message, solved.solutions)
        self._solutions_out.publish(message)

    def _forget(self) -> None:
        self._unshown = self._shown = self.hit = None

    def show_initial(self, solved: Solved | None) -> None:
        """Show a result unless that of a request is about to be shown."""
        self._unshown = self._unshown or solved

    def show_again(self) -> None:
        """Show what was shown last, because RViz was started or reset.

        It is shown once more a little later: what RViz draws before it knows a transform stays
        marked as an error otherwise, though it appears.
        """
        self._unshown = self._unshown or self._shown
        settled = 2.0  # s after its start, RViz has learnt of all transforms
        self._again = time.monotonic() + settled

    def _next(self) -> tuple[str, Callable[[], MarkerArray | bytes]] | None:
        if time.monotonic() > self._again:
            self._again, self._unshown = math.inf, self._unshown or self._shown
        solved, self._unshown = self._unshown, None
        if solved is None:
            return None
        self._shown = solved
        if not solved.dragged:
            self._follow(solved.chain, solved.targets_in_base[0])
        return solved.chain.base_link, partial(self._draw, solved)

    def _draw(self, solved: Solved) -> MarkerArray | bytes:
        settings = self._served.settings
        # What drawing has left behind when it failed is not used again.
        pictures, self._pictures = self._pictures, SolutionMarkers()
        message = pictures.draw(
            solved.chain,
            solved.solutions,
            solved.targets_in_base,
            settings.marker_limit,
            settings.marker_opacity,
            settings.marker_meshes,
        )
        self._pictures = pictures
        return message
