"""Obstacles on the viewer's page: drawn, added, dragged by a handle, and removed."""

from collections.abc import Callable, Mapping

import numpy as np
import viser

from generative_ik_ros.collision.obstacles import Obstacle
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.collision.shapes import Box, Cylinder, Shape, Sphere
from generative_ik_ros.drawing.colors import OBSTACLE
from generative_ik_ros.drawing.obstacles import SceneFrames, surface
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.poses import pose_matrix
from generative_ik_ros.viewer.scene import rgb_of, wxyz_of
from generative_ik_ros.viewer.session import Settings
from generative_ik_ros.viewer.surfaces import triangles

KINDS = ("box", "sphere", "cylinder")
_SELECTED = (0.45, 0.55, 0.75)


class Obstacles:
    """The obstacles of a scene, one of which can be selected.

    Args:
        server: The server of the page.
        chain: The chain, in whose base link everything is drawn.
        scene: The obstacles at first.
        on_change: Called with the scene after every change, which is drawn already; it must
            return at once.
        on_select: Called when the obstacles, or the one that is selected, have changed.
        joint_positions: Where joints outside the chain stand, by name [rad or m].

    Attributes:
        scene: The obstacles.
        selected: Name of the object at the handle; None: there is none.
        handle: The handle to drag it by.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        chain: KinematicChain | KinematicTree,
        scene: Scene,
        on_change: Callable[[Scene], None],
        on_select: Callable[[], None],
        joint_positions: Mapping[str, float] | None = None,
    ):
        """Draw the obstacles."""
        self._server, self._frames = server, SceneFrames(chain, joint_positions)
        self._size = chain.size
        self.scene, self._on_change, self._on_select = scene, on_change, on_select
        self.selected: str | None = None
        self._drawn: dict[str, viser.MeshHandle] = {}
        self._number = 0
        self.handle = server.scene.add_transform_controls(
            "/handle", scale=0.18 * self._size, line_width=3.0, depth_test=False, visible=False
        )
        for k, cloud in enumerate(scene.clouds.values()):
            server.scene.add_point_cloud(
                f"/points/{k}", self._frames.points_in_base(cloud).astype(np.float32),
                rgb_of(OBSTACLE), point_size=cloud.radius,
            )  # fmt: skip
        for obstacle in scene.obstacles:
            self._draw(obstacle)

        @self.handle.on_update
        async def _(_: viser.TransformControlsEvent) -> None:
            self._drag()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the objects, each of one shape or several."""
        return tuple(dict.fromkeys(map(_object, self.scene.obstacles)))

    def add(self, kind: str, size: float) -> None:
        """Add one of `KINDS` in front of the robot, and select it.

        Args:
            kind: What it is.
            size: Its length along each axis [m].
        """
        shapes: dict[str, Shape] = {
            "box": Box(np.full(3, size)),
            "sphere": Sphere(size / 2.0),
            "cylinder": Cylinder(size / 4.0, size),
        }
        while (name := f"{kind} {self._number}") in self.names:
            self._number += 1
        pose = np.eye(4)
        pose[:3, 3] = (0.5 * self._size, 0.0, 0.4 * self._size)
        obstacle = Obstacle(name, shapes[kind])
        obstacle = obstacle.placed(self._frames.pose_of(obstacle, pose))
        self.scene = self.scene.with_obstacle(obstacle)
        self._draw(obstacle)
        self.select(name)
        self._on_change(self.scene)

    def remove(self) -> None:
        """Remove the selected object."""
        if self.selected is None:
            return
        gone = self._parts(self.selected)
        self.scene = self.scene.without(self.selected)
        for obstacle in gone:
            self._drawn.pop(obstacle.name).remove()
        self.select(None)
        self._on_change(self.scene)

    def select(self, name: str | None) -> None:
        """Put the handle at an object; None hides it."""
        if name == self.selected:
            return
        self.selected = name
        for obstacle in self.scene.obstacles:
            shade = _SELECTED if _object(obstacle) == name else OBSTACLE
            self._drawn[obstacle.name].color = rgb_of(shade)
        if name is not None:
            pose = self._frames.obstacle_in_base(self._parts(name)[0])
            self.handle.position, self.handle.wxyz = pose[:3, 3], wxyz_of(pose)
        self.handle.visible = name is not None
        self._on_select()

    def _drag(self) -> None:
        """Move the selected object to where the handle is."""
        if self.selected is None:
            return
        pose = pose_matrix(self.handle.position, np.roll(self.handle.wxyz, -1))
        first = self._parts(self.selected)[0]
        self.scene = self.scene.moved(self.selected, self._frames.pose_of(first, pose))
        with self._server.atomic():
            for obstacle in self._parts(self.selected):
                self._place(obstacle)
        self._on_change(self.scene)

    def _parts(self, name: str) -> list[Obstacle]:
        return [one for one in self.scene.obstacles if _object(one) == name]

    def _draw(self, obstacle: Obstacle) -> None:
        mesh = self._server.scene.add_mesh_simple(
            f"/obstacles/{len(self._drawn)}-{self._number}-{obstacle.name.replace('/', ' ')}",
            *triangles(surface(obstacle.shape)),
            color=rgb_of(OBSTACLE),
            flat_shading=True,
            side="double",
            cast_shadow=False,
            receive_shadow=False,
        )
        self._drawn[obstacle.name] = mesh
        self._place(obstacle)

        @mesh.on_click
        def _(_: object) -> None:
            self.select(_object(obstacle))

    def _place(self, obstacle: Obstacle) -> None:
        pose, mesh = self._frames.obstacle_in_base(obstacle), self._drawn[obstacle.name]
        mesh.position, mesh.wxyz = pose[:3, 3], wxyz_of(pose)


def _object(obstacle: Obstacle) -> str:
    """Return the name of the object that an obstacle is, or is a part of."""
    name = obstacle.name
    return name[: name.rindex("[")] if name.endswith("]") and "[" in name[1:] else name


_NONE = "none"


class ObstaclePanel:
    """Switches for collision checks, and buttons that add and remove obstacles.

    Attributes:
        obstacles: What the buttons change; set before the panel is built.
    """

    obstacles: Obstacles

    def build(self, gui: viser.GuiApi, settings: Settings, on_change: Callable[[], None]) -> None:
        """Create the folder; `on_change` is called when a setting has changed."""
        with gui.add_folder("Collisions"):
            self._avoid = gui.add_checkbox("Avoid collisions", settings.avoid_collisions)
            self._colliding = gui.add_checkbox(
                "Show colliding", settings.show_colliding, hint="Draw those that collide in red"
            )
            self._selected = gui.add_dropdown(
                "Obstacle", (_NONE, *self.obstacles.names), hint="Or click on one, then drag it"
            )
            self._kind = gui.add_button_group("Add", KINDS)
            self._size = gui.add_slider("Size", 0.02, 1.0, 0.01, 0.2, hint="Of what is added [m]")
            remove = gui.add_button("Remove obstacle")
        for handle in (self._avoid, self._colliding):
            handle.on_update(lambda _: on_change())
        self._selected.on_update(lambda _: self._select())
        self._kind.on_click(
            lambda event: self.obstacles.add(str(event.target.value), float(self._size.value))
        )
        remove.on_click(lambda _: self.obstacles.remove())

    @property
    def settings(self) -> dict[str, bool]:
        """The settings that the user has selected here."""
        return {
            "avoid_collisions": bool(self._avoid.value),
            "show_colliding": bool(self._colliding.value),
        }

    def update(self) -> None:
        """Show which obstacles there are, and which is selected."""
        selected = self.obstacles.selected or _NONE
        options = (_NONE, *self.obstacles.names)
        if self._selected.options != options:
            self._selected.options = options
        if self._selected.value != selected:
            self._selected.value = selected

    def _select(self) -> None:
        value = str(self._selected.value)
        self.obstacles.select(None if value == _NONE else value)
