"""An arm of revolute joints among obstacles, as the native core takes it."""

from typing import Any

from generative_ik_ros import CollisionModel, Scene
from generative_ik_ros.collision.checker import placed_parts
from generative_ik_ros.collision.frames import MovingFrames


def cell_arrays(num_joints: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return what a CollisionWorld and its ShapeDistances take."""
    links = "".join(
        f"<link name='l{k}'><collision><geometry><box size='0.1 0.1 0.3'/></geometry></collision>"
        "</link>"
        for k in range(num_joints + 1)
    )
    joints = "".join(
        f"<joint name='j{k}' type='revolute'><parent link='l{k}'/><child link='l{k + 1}'/>"
        "<origin xyz='0 0 0.2'/><axis xyz='1 0 0'/>"
        "<limit lower='-2' upper='2' effort='1' velocity='1'/></joint>"
        for k in range(num_joints)
    )
    model = CollisionModel.from_urdf(f"<robot name='cell'>{links}{joints}</robot>")
    scene = Scene(
        boxes={"box": ((0.2, 0.2, 0.2), (0.5, 0.0, 0.5))},
        cylinders={"post": (0.1, 1.0, (0.0, 0.6, 0.5))},
        allowed=[("post", "l3")],
    )
    frames = MovingFrames.of(model.description, [f"j{k}" for k in range(num_joints)], {})
    parts = placed_parts(model, frames, scene)
    return parts.arrays(), parts.surfaces()
