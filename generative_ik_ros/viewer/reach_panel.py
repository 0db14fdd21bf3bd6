"""A reachability map on the viewer's page: voxels with clip planes, and numbers of one of them."""

import threading
from collections.abc import Callable

import numpy as np
import trimesh
import viser

from generative_ik_ros.array_types import Floats
from generative_ik_ros.drawing.colors import ORANGE, as_bytes, by_index, legend
from generative_ik_ros.reach.export import columns
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.reach.voxel_grid import VoxelGrid
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.viewer.scene import add_batch

_UNITS = {"limit_margin": "", "manipulability": "", "num_solutions": "", "clearance": " m"}


class ReachPanel:
    """Voxels coloured by their reachability index, those in front of the first joint cut away.

    Only voxels at the surface of what is shown are sent to the page.

    Args:
        server: The server of the page.
        chain: The chain.
        reach: Its map.
        on_pick: Called with a reached pose (4, 4) of a voxel that was clicked on.

    Attributes:
        grid: The voxels.
        shown: (I, J, K) those between the clip planes that reach the least index.
        drawn: (I, J, K) those at their surface.
        picked: Row in the map of the voxel that was clicked on, if any.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        chain: KinematicChain,
        reach: ReachabilityMap,
        on_pick: Callable[[Floats], None],
    ):
        """Create the panel, and draw the voxels."""
        self.reach, self.grid, self._on_pick = reach, VoxelGrid(reach), on_pick
        self.picked: int | None = None
        self._server, self._drawing = server, threading.Lock()
        self._top = float(self.grid.index.max())
        self._add_controls(server.gui, chain)
        made = trimesh.creation.box(np.full(3, self.grid.resolution))
        self.handle = add_batch(server, "/reach/voxels", made, lod="off", flat_shading=True)
        # Colours are to be read, also on the faces that turn away from the light.
        server.scene.add_light_ambient("/reach/light", intensity=0.5)
        middle = (self.grid.lower + self.grid.upper) / 2.0
        size = float((self.grid.upper - self.grid.lower).max())
        server.initial_camera.look_at = middle
        server.initial_camera.position = middle + size * np.array([0.55, -1.25, 0.5])
        # The diagonals of the faces are edges, too.
        edges = made.edges_unique[made.edges_unique_length < 1.1 * self.grid.resolution]
        self._mark = server.scene.add_line_segments(
            "/reach/picked",
            made.vertices[edges].astype(np.float32),
            ORANGE,
            thickness=0.06 * self.grid.resolution,
            visible=False,
        )

        # A click on a batch of meshes does not say which of them it was.
        @server.scene.on_click()
        def _(event: viser.SceneClickEvent) -> None:
            self.pick(np.array(event.ray_origin), np.array(event.ray_direction))

        self.draw()

    def _add_controls(self, gui: viser.GuiApi, chain: KinematicChain) -> None:
        grid, hint = self.grid, "Clip planes: what lies between them is shown"
        with gui.add_folder("Reachability"):
            self.visible = gui.add_checkbox("Show voxels", True)
            self.clip = []
            for axis, name in enumerate("xyz"):
                low, high = float(grid.lower[axis]), float(grid.upper[axis])
                cut = low + grid.half(chain) * grid.resolution if axis == 1 else low
                slider = gui.add_multi_slider(
                    f"{name} [m]", low, high, grid.resolution, (cut, high), hint=hint
                )
                self.clip.append(slider)
            self.least = gui.add_slider("Least index", 0.0, round(self._top, 2), 0.01, 0.0)
            picture = legend(by_index, 1.0)
            gui.add_image(picture, label=f"Reachability index 0 to {self._top:.2f}")
            self.readout = gui.add_markdown("Click on a voxel for its numbers.")
        for handle in (self.visible, *self.clip, self.least):
            handle.on_update(lambda _: self.draw())

    def draw(self) -> None:
        """Draw the voxels that the controls select."""
        with self._drawing, self._server.atomic():
            shown = self.grid.index >= max(float(self.least.value), 1e-9)
            for axis, slider in enumerate(self.clip):
                low, high = slider.value
                centres = self.grid.centres(axis)
                shape = [-1 if one == axis else 1 for one in range(3)]
                shown &= ((centres > low) & (centres < high)).reshape(shape)
            self.shown, self.drawn = shown, self.grid.exposed(shown)
            rows = self.grid.row[self.drawn]
            self.handle.visible = bool(self.visible.value) and len(rows) > 0
            if len(rows):
                shades = by_index(self.grid.index[self.drawn] / self._top)
                turns = np.tile(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (len(rows), 1))
                self.handle.batched_positions = self.reach.positions[rows].astype(np.float32)
                self.handle.batched_wxyzs = turns
                self.handle.batched_colors = as_bytes(shades)
            picked = self.picked is not None and bool(shown[self.grid.row == self.picked][0])
            self._mark.visible = self.handle.visible and picked

    def pick(self, origin: Floats, along: Floats) -> None:
        """Mark the first voxel on a ray (3,), (3,) from the camera, and tell its numbers."""
        row = self.grid.hit(self.drawn, origin, along) if self.handle.visible else None
        if row is None:
            return
        self.picked = row
        self.readout.content = describe(self.reach, row)
        self._mark.position = self.reach.positions[row]
        self._mark.visible = True
        self._on_pick(reached_pose(self.reach, row))


def describe(reach: ReachabilityMap, row: int) -> str:
    """Return what a map says of one of its positions, in Markdown."""
    found = {name: float(one[0]) for name, one in columns(reach, np.array([row])).items()}
    x, y, z = (found.pop(name) for name in "xyz")
    index, reached, tried = (found.pop(name) for name in ("index", "reached", "tried"))
    told = [
        f"**Index {index:.3f}** at ({x:.3f}, {y:.3f}, {z:.3f}) m",
        f"{reached:.0f} of {tried:.0f} orientations are reached",
        *(
            f"{name.replace('_', ' ')}: up to {value:.4g}{_UNITS[name]}"
            for name, value in found.items()
        ),
    ]
    return "  \n".join(told)


def reached_pose(reach: ReachabilityMap, row: int) -> Floats:
    """Return a pose (4, 4) at a position with any reached: that of the best manipulability [m].

    Without it, the one in the direction with the most reached turns.
    """
    reached = reach.reachable[row]
    score = reached * (1.0 + reached.sum(axis=1, keepdims=True))
    if reach.manipulability is not None:
        score = np.where(reached, reach.manipulability[row], -1.0)
    pose = np.eye(4)
    pose[:3, :3] = reach.orientations[np.unravel_index(np.argmax(score), score.shape)]
    pose[:3, 3] = reach.positions[row]
    return pose
