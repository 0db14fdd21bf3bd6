"""Look-up of coordinate frames in the robot description and in TF."""

from collections import defaultdict
from functools import lru_cache

from builtin_interfaces.msg import Time as TimeMsg
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.time import Time
from std_msgs.msg import Header

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidTargetError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.tree import link_transforms
from generative_ik_ros.ros.conversions import transform_to_matrix
from generative_ik_ros.ros.scheduler import Scheduler

try:
    import tf2_ros
except ImportError:  # the Python package index has ROS without tf2
    tf2_ros = None


class UnknownFrameError(InvalidTargetError):
    """The targets' frame cannot be transformed to the chain's base link."""


@lru_cache(maxsize=64)
def fixed_frames(description: RobotDescription, base_link: str) -> dict[str, Floats]:
    """Return the pose of each link that is fixed to the base link, in that link, (4, 4) [m]."""
    neighbours: dict[str, list[str]] = defaultdict(list)
    for joint in description.joints:
        if joint.type == "fixed":
            neighbours[joint.parent].append(joint.child)
            neighbours[joint.child].append(joint.parent)
    found: list[tuple[str, str | None]] = [(base_link, None)]
    for link, origin in found:
        found += [(other, link) for other in neighbours[link] if other != origin]
    frames = link_transforms(description, {}, base_link)
    return {link: frames[link][0] for link, _ in found}


class Frames:
    """Looks up frames: links fixed to the base in the description, all others in TF.

    Args:
        node: Listens to TF.
        scheduler: Lets another request run while one waits for TF.
    """

    def __init__(self, node: Node, scheduler: Scheduler):
        """Subscribe to TF if tf2_ros is installed."""
        self._buffer, self._scheduler = None, scheduler
        if tf2_ros is not None:
            self._buffer = tf2_ros.Buffer(node=node)
            self._listener = tf2_ros.TransformListener(self._buffer, node, spin_thread=False)

    def frame_in_base(
        self,
        frame_id: str,
        stamp: TimeMsg,
        description: RobotDescription,
        base_link: str,
        tf_timeout: float,
    ) -> Floats | None:
        """Return the pose of a frame in the base link, (4, 4) [m]; None if they are the same.

        Args:
            frame_id: Name of the frame; empty: the base link. A leading slash, as in ROS 1, is
                ignored.
            stamp: Time of the pose; zero: the latest available. Not used for fixed links.
            description: The robot.
            base_link: Base link of the chain.
            tf_timeout: Longest wait for a transform that is not available yet [s].

        Raises:
            UnknownFrameError: The frame is neither fixed to the base nor available in TF.
        """
        frame_id = frame_id.removeprefix("/")
        if frame_id in ("", base_link):
            return None
        fixed = fixed_frames(description, base_link)
        if frame_id in fixed:
            return fixed[frame_id]
        if self._buffer is None or tf2_ros is None:
            raise UnknownFrameError(
                f"frame '{frame_id}' is not fixed to the base link '{base_link}', and tf2_ros is "
                "not installed to look it up; give targets in one of: " + ", ".join(fixed)
            )
        try:
            with self._scheduler.suspended():
                transform = self._buffer.lookup_transform(
                    base_link, frame_id, Time.from_msg(stamp), Duration(seconds=tf_timeout)
                )
        except tf2_ros.TransformException as error:
            raise UnknownFrameError(
                f"frame '{frame_id}' cannot be transformed to the base link '{base_link}': {error}"
            ) from error
        return transform_to_matrix(transform.transform)

    def in_base(
        self, header: Header, targets: Floats, chain: KinematicChain, tf_timeout: float
    ) -> Floats:
        """Return targets (B, 4, 4) or (B, K, 4, 4) of a header's frame in a chain's base link.

        Raises:
            UnknownFrameError: As `frame_in_base`.
        """
        frame_in_base = self.frame_in_base(
            header.frame_id, header.stamp, chain.description, chain.base_link, tf_timeout
        )
        return targets if frame_in_base is None else in_base(chain, targets, frame_in_base)


def in_base(chain: KinematicChain, targets: Floats, frame_in_base: Floats) -> Floats:
    """Return targets (B, 4, 4) or (B, K, 4, 4) of a frame in the base link of a chain or tree.

    Those of tips that are held to another link stay as they are.
    """
    moved = frame_in_base @ targets
    if isinstance(chain, KinematicTree):
        held = [link != chain.base_link for link in chain.reference_links]
        moved[:, held] = targets[:, held]
    return moved
