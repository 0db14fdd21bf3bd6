"""Solutions and a chain in, a MarkerArray with every solution as a translucent arm out."""

# Generated messages have no stubs: pyright sees neither their constants nor their array types.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false

import colorsys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from geometry_msgs.msg import Point, Pose
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros.robot import fold
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription, Visual
from generative_ik_ros.robot.tree import link_transforms
from generative_ik_ros.ros.conversions import transforms_to_poses
from generative_ik_ros.solutions import IKSolutions

TARGET_NAMESPACE = "target"
BASE_NAMESPACE = "base"
BONE_RADIUS = 0.02
"""Radius [m] of the cylinder that stands for a link without visuals."""
AXIS_LENGTH, AXIS_WIDTH = 0.12, 0.008
_TYPES = {"box": Marker.CUBE, "cylinder": Marker.CYLINDER, "sphere": Marker.SPHERE}
MAX_TARGETS = 100
"""Most targets drawn."""
_RED, _GREEN, _BLUE = (1.0, 0.0, 0.0), (0.0, 0.8, 0.0), (0.1, 0.3, 1.0)
_GREY = (0.7, 0.7, 0.7, 1.0)


class _Part(NamedTuple):
    """One shape in A configurations: its marker type, scale, mesh and poses in the base [m]."""

    type: int
    scale: NDArray[np.float64]
    mesh_uri: str
    part_in_base: NDArray[np.float64]


def arm_namespace(order: int) -> str:
    """Return the namespace of the arm drawn at a place in the order, best first."""
    return f"solution_{order:03d}"


def clear_markers(base_link: str) -> MarkerArray:
    """Return a message that deletes everything drawn before."""
    clear = Marker(action=Marker.DELETEALL)
    clear.header.frame_id = base_link
    return MarkerArray(markers=[clear])


def solution_markers(
    chain: KinematicChain,
    solutions: IKSolutions,
    targets_in_base: NDArray[np.float64],
    limit: int,
    opacity: float,
) -> MarkerArray:
    """Draw the best solutions of every target, and the targets, deleting what was drawn before.

    Each arm has a namespace of its own, so that it can be switched off in RViz. Its hue runs
    from green for the best solution to violet for the last one drawn.

    Args:
        chain: The chain that was solved.
        solutions: What was found for the B targets.
        targets_in_base: (B, 4, 4) the targets [m].
        limit: Most arms to draw.
        opacity: Opacity of the arms, from 0 to 1.
    """
    message = clear_markers(chain.base_link)
    frame = chain.base_link
    for b, pose in enumerate(transforms_to_poses(targets_in_base[:MAX_TARGETS])):
        message.markers.append(_axes(frame, b, pose))
    chosen = _best(solutions, limit)
    if not len(chosen):
        return message
    positions = solutions.positions[chosen[:, 0], chosen[:, 1]]
    link_in_base = link_transforms(
        chain.description,
        {name: positions[:, i] for i, name in enumerate(chain.joint_names)},
        chain.base_link,
    )
    path, moving = _path_and_moving_links(chain)
    still = [link for link in path if link not in moving]
    for number, part in enumerate(_parts(chain.description, still, path, link_in_base)):
        pose = transforms_to_poses(part.part_in_base[:1])[0]
        message.markers.append(_marker(frame, BASE_NAMESPACE, number, part, 0, pose, _GREY))
    links = [link for link in chain.description.links if link in moving]
    colors = [
        colorsys.hsv_to_rgb(0.33 + 0.45 * k / max(len(chosen) - 1, 1), 0.8, 0.9)
        for k in range(len(chosen))
    ]
    for number, part in enumerate(_parts(chain.description, links, path, link_in_base)):
        for k, pose in enumerate(transforms_to_poses(part.part_in_base)):
            color = (*colors[k], opacity)
            marker = _marker(frame, arm_namespace(k), number, part, k, pose, color)
            message.markers.append(marker)
    return message


def _best(solutions: IKSolutions, limit: int) -> NDArray[np.int64]:
    """Return (A, 2) target and place of the solutions to draw: each target's best, then second."""
    places = np.arange(solutions.positions.shape[1])[:, None]
    order, target = np.nonzero(places < solutions.counts[None, :])
    return np.stack([target, order], axis=1)[:limit]


def _path_and_moving_links(chain: KinematicChain) -> tuple[list[str], set[str]]:
    """Return the links from base to tip, and all links that move with the chain's joints."""
    description = chain.description
    joints = fold.path(description, chain.base_link, chain.tip_link)
    links = [chain.base_link, *(joint.child if down else joint.parent for joint, down in joints)]
    first, down = next(step for step in joints if step[0].moves)
    below = [first.child]
    for link in below:
        below += [joint.child for joint in description.child_joints.get(link, ())]
    return links, set(below) if down else set(description.links) - set(below)


def _parts(
    description: RobotDescription,
    links: list[str],
    path: list[str],
    link_in_base: dict[str, NDArray[np.float64]],
) -> Iterator[_Part]:
    """Yield the shapes of some links; a bone to the next joint where a link has no visual."""
    following = dict(zip(path, path[1:], strict=False))
    for link in links:
        visuals = description.visuals.get(link, ())
        for visual in visuals:
            kind = _TYPES.get(visual.shape, Marker.MESH_RESOURCE)
            poses = link_in_base[link] @ visual.visual_in_link
            scale = np.broadcast_to(_scale(visual), (len(poses), 3))
            yield _Part(kind, scale, visual.mesh_uri, poses)
        if not visuals and link in following:
            bone = _bone(link_in_base[link][:, :3, 3], link_in_base[following[link]][:, :3, 3])
            if bone is not None:
                yield bone


def _scale(visual: Visual) -> tuple[float, float, float]:
    """Return a marker's scale [m] for a shape whose size is given by radii."""
    size = visual.size
    if visual.shape == "cylinder":
        return 2 * size[0], 2 * size[0], size[1]
    if visual.shape == "sphere":
        return 2 * size[0], 2 * size[0], 2 * size[0]
    return size[0], size[1], size[2]


def _bone(start: NDArray[np.float64], end: NDArray[np.float64]) -> _Part | None:
    """Return a cylinder between (A, 3) points [m]; None where they coincide."""
    along = end - start
    length = np.linalg.norm(along, axis=1)
    if length.max() < 1e-6:
        return None
    x, y, z = (along / np.maximum(length, 1e-12)[:, None]).T
    quaternions = np.stack([-y, x, np.zeros_like(x), 1.0 + z], axis=1)
    quaternions[1.0 + z < 1e-9] = (1.0, 0.0, 0.0, 0.0)
    poses = np.tile(np.eye(4), (len(start), 1, 1))
    poses[:, :3, :3] = Rotation.from_quat(quaternions).as_matrix()
    poses[:, :3, 3] = (start + end) / 2
    width = np.full_like(length, 2 * BONE_RADIUS)
    scale = np.stack([width, width, length], axis=1)
    return _Part(Marker.CYLINDER, scale, "", poses)


def _marker(
    frame: str,
    namespace: str,
    number: int,
    part: _Part,
    which: int,
    pose: Pose,
    color: tuple[float, float, float, float],
) -> Marker:
    marker = Marker(ns=namespace, id=number, type=part.type, action=Marker.ADD)
    # A zero stamp and a locked frame let RViz draw with the latest transform it has.
    marker.header.frame_id, marker.frame_locked = frame, True
    marker.pose = pose
    marker.scale.x, marker.scale.y, marker.scale.z = part.scale[which].tolist()
    marker.color.r, marker.color.g, marker.color.b, marker.color.a = color
    marker.mesh_resource = part.mesh_uri
    return marker


def _axes(frame: str, number: int, pose: Pose) -> Marker:
    """Draw a target as its three axes: x red, y green, z blue."""
    marker = Marker(ns=TARGET_NAMESPACE, id=number, type=Marker.LINE_LIST, action=Marker.ADD)
    marker.header.frame_id, marker.frame_locked = frame, True
    marker.pose = pose
    marker.scale.x = AXIS_WIDTH
    marker.color = ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0)
    ends = (Point(x=AXIS_LENGTH), Point(y=AXIS_LENGTH), Point(z=AXIS_LENGTH))
    for end, (r, g, b) in zip(ends, (_RED, _GREEN, _BLUE), strict=True):
        marker.points += [Point(), end]
        marker.colors += [ColorRGBA(r=r, g=g, b=b, a=1.0)] * 2
    return marker
