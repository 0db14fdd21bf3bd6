"""Messages as moveit_msgs has them, without ROS: the same attributes, with the same defaults."""

from types import SimpleNamespace as Message

import numpy as np

ADD, REMOVE, APPEND, MOVE = b"\0", b"\1", b"\2", b"\3"
BOX, SPHERE, CYLINDER, CONE, PRISM = 1, 2, 3, 4, 5


def header(frame_id=""):
    return Message(frame_id=frame_id)


def pose(x=0.0, y=0.0, z=0.0, quaternion=(0.0, 0.0, 0.0, 1.0)):
    return Message(position=Message(x=x, y=y, z=z), orientation=_quaternion(quaternion))


def transform(x=0.0, y=0.0, z=0.0, quaternion=(0.0, 0.0, 0.0, 1.0)):
    return Message(translation=Message(x=x, y=y, z=z), rotation=_quaternion(quaternion))


def _quaternion(numbers):
    return Message(**dict(zip("xyzw", numbers, strict=True)))


def primitive(kind, *dimensions):
    return Message(type=kind, dimensions=list(dimensions))


def mesh(vertices, triangles):
    return Message(
        vertices=[Message(x=x, y=y, z=z) for x, y, z in vertices],
        triangles=[Message(vertex_indices=np.array(one, np.uint32)) for one in triangles],
    )


def collision_object(name="box", operation=ADD, frame_id="", at=None, **fields):
    """A CollisionObject; `at` is its pose."""
    message = Message(
        header=header(frame_id),
        id=name,
        pose=at or pose(),
        operation=operation,
        primitives=[],
        primitive_poses=[],
        meshes=[],
        mesh_poses=[],
        planes=[],
        plane_poses=[],
    )
    message.__dict__.update(fields)
    return message


def box(name="box", size=(0.1, 0.2, 0.3), at=None, **fields):
    return collision_object(name, at=at, primitives=[primitive(BOX, *size)], **fields)


def attached(link, own, touch_links=()):
    return Message(link_name=link, object=own, touch_links=list(touch_links))


def robot_state(joints=None, carried=(), is_diff=True, root=None):
    """A RobotState; `root` moves a virtual joint."""
    joints = joints or {}
    return Message(
        joint_state=Message(name=list(joints), position=list(joints.values())),
        multi_dof_joint_state=Message(
            joint_names=[] if root is None else ["virtual"],
            transforms=[] if root is None else [root],
        ),
        attached_collision_objects=list(carried),
        is_diff=is_diff,
    )


def matrix(names=(), rows=(), defaults=None):
    defaults = defaults or {}
    return Message(
        entry_names=list(names),
        entry_values=[Message(enabled=list(row)) for row in rows],
        default_entry_names=list(defaults),
        default_entry_values=list(defaults.values()),
    )


def planning_scene(*objects, is_diff=True, state=None, **fields):
    message = Message(
        robot_model_name="",
        fixed_frame_transforms=[],
        robot_state=state or robot_state(is_diff=is_diff),
        allowed_collision_matrix=matrix(),
        link_padding=[],
        link_scale=[],
        world=Message(collision_objects=list(objects), octomap=octomap()),
        is_diff=is_diff,
    )
    message.__dict__.update(fields)
    return message


def octomap(own=None, frame_id="", at=None):
    """An OctomapWithPose; without an Octomap of its own, an empty one."""
    empty = Message(id="", binary=False, resolution=0.0, data=[])
    return Message(header=header(frame_id), origin=at or pose(), octomap=own or empty)


def fixed_frame(parent, child, moved):
    return Message(header=header(parent), child_frame_id=child, transform=moved)
