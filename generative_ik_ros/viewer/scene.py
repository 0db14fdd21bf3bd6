"""The three-dimensional scene on the viewer's page: arms, and a target to drag for each tip.

The mesh of each rigid body is sent once. Each frame then updates its pose in all arms with one
message, so that a hundred arms need as many messages as one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import trimesh
import viser
from scipy.spatial.transform import Rotation

from generative_ik_ros.array_types import Floats
from generative_ik_ros.drawing import colors
from generative_ik_ros.drawing.tips import tips_in_base
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.poses import pose_matrix
from generative_ik_ros.viewer.surfaces import Surfaces, triangles


@dataclass(frozen=True)
class ArmLook:
    """How opaque arms are."""

    opacity: float = 0.35
    """Initial opacity of the arms, low enough to see through a hundred of them."""
    rejected_opacity: float = 0.1
    """Of configurations that collide."""
    dimmed: float = 0.08
    """Opacity of the arms while one is highlighted."""


LOOK = ArmLook()


class Stage:
    """The robot's base, its arms, one highlighted arm, and the targets.

    Args:
        server: The server of the page.
        chain: The chain, or a tree with K tips.
        surfaces: The robot's geometry.
        two: Whether the camera is to see a robot beside it, too.

    Attributes:
        targets: The handle of each tip.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        chain: KinematicChain | KinematicTree,
        surfaces: Surfaces,
        two: bool = False,
    ):
        """Draw the base and send the surfaces of the moving bodies."""
        self._server, self._chain, self._bodies = server, chain, surfaces.bodies
        self.opacity = LOOK.opacity
        size = chain.size
        scene = server.scene
        scene.set_up_direction("+z")
        # Bright light washes out the colours, and the shadows of a hundred arms are expensive.
        scene.configure_default_lights(cast_shadow=False)
        scene.configure_environment_map("warehouse", environment_intensity=0.3)
        scene.add_grid("/grid", 6.0 * size, 6.0 * size, cell_size=0.25, section_size=1.0)
        self._set_camera(size, two)
        base = surfaces.of_body[self._bodies.base]
        frame = self._bodies.frames(np.zeros((1, chain.num_joints)))[self._bodies.base, 0]
        # What is below this frame stands to the right of the robot, as the camera is at first.
        aside = (1.0 * size, 0.96 * size, 0.0)
        self._aside = scene.add_frame("/beside", show_axes=False, position=aside, visible=False)
        for name in ("/base", "/beside/base") if len(base.faces) else ():
            scene.add_mesh_simple(
                name,
                *triangles(base),
                color=rgb_of(colors.STILL),
                wxyz=wxyz_of(frame),
                position=frame[:3, 3],
            )
        self._moving = [k for k in self._bodies.moving if len(surfaces.of_body[k].faces)]
        self._arms = self._send_bodies("/arms", surfaces)
        self._colliding = self._send_bodies("/colliding", surfaces)
        self._solo = self._send_bodies("/solo", surfaces)
        self._beside = self._send_bodies("/beside/arms", surfaces)
        self.targets = [
            scene.add_transform_controls(
                f"/target/{link}", scale=0.22 * size, line_width=3.0, depth_test=False
            )
            for link in chain.tip_links
        ]
        self._missing = scene.add_line_segments(
            "/missing",
            np.zeros((1, 2, 3), np.float32),
            rgb_of(colors.CLOSEST),
            thickness=0.008,
            visible=False,
        )

    def place_target(self, target: Floats) -> None:
        """Move the target (4, 4), or (K, 4, 4) of a tree, without triggering `on_drag`."""
        for handle, pose in zip(self.targets, target.reshape(-1, 4, 4), strict=True):
            handle.wxyz, handle.position = wxyz_of(pose), pose[:3, 3]

    def on_drag(self, call: Callable[[Floats], None]) -> None:
        """Call with every target that a handle is dragged to, in order; all tips' for a tree."""

        async def dragged(_: viser.TransformControlsEvent) -> None:
            call(self.target_in_base())

        for handle in self.targets:
            handle.on_update(dragged)

    def target_in_base(self) -> Floats:
        """Return the target (4, 4), or (K, 4, 4) of a tree [m]."""
        poses = [pose_matrix(one.position, np.roll(one.wxyz, -1)) for one in self.targets]
        return np.array(poses) if isinstance(self._chain, KinematicTree) else poses[0]

    def show_arms(self, positions: Floats, shades: Floats) -> None:
        """Draw arms in (A, n) configurations and (A, 3) colours in place of the current ones."""
        self._place(self._arms, positions, shades)

    def show_colliding(self, positions: Floats) -> None:
        """Draw arms in (M, n) configurations that collide in place of the current ones."""
        shades = np.tile(colors.REJECTED, (len(positions), 1))
        self._place(self._colliding, positions, shades)
        for handle in self._colliding:
            if handle.opacity != LOOK.rejected_opacity:
                handle.opacity = LOOK.rejected_opacity

    def show_beside(self, positions: Floats, shades: Floats) -> None:
        """Draw a robot beside the other in (A, n) configurations; none removes it."""
        self._place(self._beside, positions, shades)
        if self._aside.visible != (len(positions) > 0):
            self._aside.visible = len(positions) > 0

    def show_solo(
        self, position: Floats | None, color: tuple[float, float, float] = colors.BLUE
    ) -> None:
        """Draw one highlighted arm and dim the others; None removes it."""
        positions = np.empty((0, self._chain.num_joints)) if position is None else position[None]
        self._place(self._solo, positions, np.array([color])[: len(positions)])
        dimmed = self.opacity if position is None else min(self.opacity, LOOK.dimmed)
        self.set_opacity(dimmed)

    def show_missing(self, position: Floats | None, target: Floats) -> None:
        """Draw lines from the tips of a configuration (n,) to the target; None removes them."""
        if position is not None:
            tips = tips_in_base(self._chain, position[None])[0]
            ends = np.stack([tips, target.reshape(-1, 4, 4)], axis=1)[:, :, :3, 3]
            self._missing.points = ends.astype(np.float32)
        self._missing.visible = position is not None

    def show_line(self, points: Floats) -> None:
        """Draw a line through points (P, 3), such as the way of the tip [m]."""
        if len(points) > 1:
            pairs = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
            self._server.scene.add_line_segments(
                "/path", pairs, rgb_of(colors.ORANGE), thickness=0.004
            )

    def set_opacity(self, opacity: float) -> None:
        """Set the opacity of the arms."""
        for handle in (*self._arms, *self._beside):
            if handle.opacity != opacity:
                handle.opacity = opacity

    def _send_bodies(self, name: str, surfaces: Surfaces) -> list[viser.BatchedMeshHandle]:
        look = {"opacity": 1.0, "side": "double", "visible": False}
        return [
            add_batch(self._server, f"{name}/{self._bodies.links[k]}", surfaces.of_body[k], **look)
            for k in self._moving
        ]

    def _place(
        self, handles: list[viser.BatchedMeshHandle], positions: Floats, shades: Floats
    ) -> None:
        frames = self._bodies.frames(positions)[self._moving] if len(positions) else None
        rgb = colors.as_bytes(shades)
        for i, handle in enumerate(handles):
            if frames is not None:
                handle.batched_positions = frames[i, :, :3, 3].astype(np.float32)
                handle.batched_wxyzs = wxyz_of(frames[i]).astype(np.float32)
                handle.batched_colors = rgb
            if handle.visible != (frames is not None):
                handle.visible = frames is not None

    def _set_camera(self, size: float, two: bool) -> None:
        camera, centre = self._server.initial_camera, np.array([0.25, 0.0, 0.3])
        if two:
            centre += [0.5, 0.48, 0.0]
        camera.position = (centre + (2.0 if two else 1.0) * np.array([1.25, -1.3, 0.5])) * size
        camera.look_at = centre * size
        camera.fov = np.radians(45.0)


def add_batch(
    server: viser.ViserServer,
    name: str,
    surface: trimesh.Trimesh,
    **look: Any,  # noqa: ANN401 (as viser takes them)
) -> viser.BatchedMeshHandle:
    """Send a surface that is drawn in many places, in one at first."""
    return server.scene.add_batched_meshes_simple(
        name,
        *triangles(surface),
        batched_wxyzs=np.array([[1.0, 0.0, 0.0, 0.0]], np.float32),
        batched_positions=np.zeros((1, 3), np.float32),
        batched_colors=np.zeros((1, 3), np.uint8),
        cast_shadow=False,
        receive_shadow=False,
        **look,
    )


def wxyz_of(frames: Floats) -> Floats:
    """Return the quaternions of frames (..., 4, 4), w first."""
    return np.roll(Rotation.from_matrix(frames[..., :3, :3]).as_quat(), 1, axis=-1)


def rgb_of(color: tuple[float, float, float]) -> tuple[int, int, int]:
    """Return a colour as viser takes one."""
    red, green, blue = colors.as_bytes(np.array(color)).tolist()
    return red, green, blue
