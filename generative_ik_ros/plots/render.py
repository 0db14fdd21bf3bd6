"""Pictures of triangles by a depth buffer, with things that can be looked through."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Rendering:
    """How pictures are made."""

    fine: int = 2
    """Pixels along each side of one of the picture: edges are smooth."""
    behind: float = 2e-3
    """Where surfaces coincide, the one that was drawn first stays [m]."""


RENDERING = Rendering()

_LIGHT = np.array([0.5, 0.75, 1.0])
"""Where the light comes from: right, up, and from the camera."""


@dataclass(frozen=True)
class View:
    """Where a picture of arms is seen from, and how they look.

    Attributes:
        azimuth: Of the camera about the vertical [deg].
        elevation: Of the camera above the horizon [deg].
        faint: Opacity of the arms that matter less.
        size: Width and height in pixels.
    """

    azimuth: float
    elevation: float
    faint: float
    size: tuple[int, int] = (1400, 1050)

    def of(self, points: NDArray[np.float64]) -> "Picture":
        """Begin a picture that has points (N, 3) in it [m]."""
        return Picture(self.size, points, np.radians(self.azimuth), np.radians(self.elevation))


class Picture:
    """A picture in the making: first what is solid, then what can be looked through.

    Args:
        size: Width and height in pixels.
        points: (N, 3) what must be in the picture [m].
        azimuth: Of the camera, about z from x [rad].
        elevation: Of the camera above the x-y plane [rad].
    """

    def __init__(
        self, size: tuple[int, int], points: NDArray[np.float64], azimuth: float, elevation: float
    ):
        """Place a camera without perspective, and begin with white."""
        width, height = RENDERING.fine * size[0], RENDERING.fine * size[1]
        cos, sin = np.cos([azimuth, elevation]), np.sin([azimuth, elevation])
        back = np.array([cos[0] * cos[1], sin[0] * cos[1], sin[1]])
        right = np.array([-sin[0], cos[0], 0.0])
        self._view = np.stack([right, np.cross(back, right), back])
        seen = points @ self._view.T
        low, high = seen.min(axis=0), seen.max(axis=0)
        self._scale = 0.97 * min(width / (high - low)[0], height / (high - low)[1])
        self._middle = (low + high)[:2] / 2.0
        self._center = np.array([width, height]) / 2.0
        self._colors = np.ones((height, width, 3))
        self._depth = np.full((height, width), -np.inf)

    def add(
        self,
        triangles: NDArray[np.float64],
        color: NDArray[np.float64],
        opacity: float = 1.0,
        *,
        lit: bool = True,
    ) -> None:
        """Draw triangles (T, 3, 3) [m] in a colour (3,), or (T, 3), over what is there.

        Of what can be looked through, the surface nearest to the camera is drawn. Without light,
        colours stay as they are, however a surface is turned.
        """
        depth = self._depth if opacity == 1.0 else self._depth.copy()
        drawn = self._colors if opacity == 1.0 else self._colors.copy()
        seen = triangles @ self._view.T
        normals = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-15)
        facing = normals * np.where(normals[:, 2:] < 0.0, -1.0, 1.0)
        light = np.clip(facing @ (_LIGHT / np.linalg.norm(_LIGHT)), 0.0, 1.0)
        bright = (0.5 + 0.55 * light if lit else np.ones(len(triangles)))[:, None]
        shades = np.clip(bright * color, 0.0, 1.0)
        pixels = (seen[..., :2] - self._middle) * (self._scale, -self._scale) + self._center
        corners = np.concatenate([pixels, seen[..., 2:]], axis=-1)
        for triangle, shade in zip(corners, shades, strict=True):
            _fill(depth, drawn, triangle, shade)
        if opacity < 1.0:
            over = depth > self._depth
            self._colors[over] += opacity * (drawn[over] - self._colors[over])

    def pixels(self) -> NDArray[np.float64]:
        """Return the picture (height, width, 3), from 0 to 1."""
        height, width, _ = self._colors.shape
        fine = RENDERING.fine
        squares = self._colors.reshape(height // fine, fine, width // fine, fine, 3)
        return squares.mean(axis=(1, 3))

    def place(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where points (N, 3) [m] are in the picture: (N, 2) columns and rows."""
        seen = (points @ self._view.T)[:, :2]
        fine = (seen - self._middle) * (self._scale, -self._scale) + self._center
        return fine / RENDERING.fine - 0.5


def _fill(
    depth: NDArray[np.float64],
    colors: NDArray[np.float64],
    triangle: NDArray[np.float64],
    shade: NDArray[np.float64],
) -> None:
    """Fill a triangle of corners x, y and height (3, 3) above the picture where it is in front."""
    flat = triangle[:, :2]
    low = np.maximum(np.ceil(flat.min(axis=0) - 0.5).astype(int), 0)
    high = np.minimum(np.floor(flat.max(axis=0) - 0.5).astype(int) + 1, depth.shape[::-1])
    (ax, ay, first), (bx, by, second), (cx, cy, third) = triangle.tolist()
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if (high <= low).any() or abs(area) < 1e-12:
        return
    x = np.arange(low[0], high[0]) + 0.5
    y = np.arange(low[1], high[1])[:, None] + 0.5
    # Barycentric coordinates.
    b = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
    c = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
    height = first + b * (second - first) + c * (third - first)
    there = slice(low[1], high[1]), slice(low[0], high[0])
    inside = (b >= 0.0) & (c >= 0.0) & (b + c <= 1.0) & (height > depth[there] + RENDERING.behind)
    depth[there][inside] = height[inside]
    colors[there][inside] = shade
