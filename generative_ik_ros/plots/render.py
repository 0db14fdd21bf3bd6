"""Pictures of triangles by a depth buffer, with things that can be looked through."""

from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Floats, Ints


@dataclass(frozen=True)
class Rendering:
    """How pictures are made."""

    fine: int = 2
    """Pixels along each side of one of the picture: edges are smooth."""
    behind: float = 2e-3
    """Where surfaces coincide, the one that was drawn first stays [m]."""
    together: float = 2e6
    """Pixels that are filled at once, about."""


RENDERING = Rendering()

_LIGHT = np.array([0.5, 0.75, 1.0])
"""Where the light comes from: right, up, and from the camera."""


class Picture:
    """A picture in the making: first what is solid, then what can be looked through.

    Args:
        points: (N, 3) what must be in the picture [m].
        azimuth: Of the camera, about z from x [deg].
        elevation: Of the camera above the x-y plane [deg].
        width: In pixels.
        height: In pixels; None: what the points fill.
    """

    def __init__(
        self,
        points: Floats,
        azimuth: float,
        elevation: float,
        width: int = 1400,
        height: int | None = 1050,
    ):
        """Place a camera without perspective, and begin with white."""
        angles = np.radians([azimuth, elevation])
        cos, sin = np.cos(angles), np.sin(angles)
        back = np.array([cos[0] * cos[1], sin[0] * cos[1], sin[1]])
        right = np.array([-sin[0], cos[0], 0.0])
        self._view = np.stack([right, np.cross(back, right), back])
        seen = points @ self._view.T
        low, high = seen.min(axis=0), seen.max(axis=0)
        wide, tall, _ = high - low
        if height is None:
            height = int(width * tall / wide)
        width, height = RENDERING.fine * width, RENDERING.fine * height
        self._scale = 0.97 * min(width / wide, height / tall)
        self._middle = (low + high)[:2] / 2.0
        self._center = np.array([width, height]) / 2.0
        self._colors = np.ones((height, width, 3))
        self._depth = np.full((height, width), -np.inf)

    def add(
        self, triangles: Floats, color: Floats, opacity: float = 1.0, *, lit: bool = True
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
        _fill(depth, drawn, corners, shades)
        if opacity < 1.0:
            over = depth > self._depth
            self._colors[over] += opacity * (drawn[over] - self._colors[over])

    def pixels(self) -> Floats:
        """Return the picture (height, width, 3), from 0 to 1."""
        height, width, _ = self._colors.shape
        fine = RENDERING.fine
        squares = self._colors.reshape(height // fine, fine, width // fine, fine, 3)
        return squares.mean(axis=(1, 3))

    def place(self, points: Floats) -> Floats:
        """Return where points (N, 3) [m] are in the picture: (N, 2) columns and rows."""
        seen = (points @ self._view.T)[:, :2]
        fine = (seen - self._middle) * (self._scale, -self._scale) + self._center
        return fine / RENDERING.fine - 0.5


def _fill(depth: Floats, colors: Floats, triangles: Floats, shades: Floats) -> None:
    """Fill triangles (T, 3, 3) of corners x, y and height where they are in front.

    Where several of them coincide, the first one stays. Their shades are (T, 3).
    """
    flat_depth, flat_colors = depth.reshape(-1), colors.reshape(-1, 3)
    sides = triangles[:, 1:, :2] - triangles[:, :1, :2]
    area = sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]
    broad = np.abs(area) > 1e-12
    triangles, shades, area = triangles[broad], shades[broad], area[broad]
    work = np.cumsum(np.abs(area) / 2.0 + np.ptp(triangles[..., 1], axis=1))
    ends = np.flatnonzero(np.diff(work // RENDERING.together)) + 1
    for some in np.split(np.arange(len(triangles)), ends):
        owner, pixel, height = _pixels_in(triangles[some], area[some], depth.shape)
        highest = flat_depth + RENDERING.behind
        above = height > highest[pixel]
        owner, pixel, height = owner[above], pixel[above], height[above]
        np.maximum.at(highest, pixel, height)
        # Of the highest ones of a pixel the first is written last.
        top = np.flatnonzero(height >= highest[pixel] - RENDERING.behind)[::-1]
        flat_depth[pixel[top]] = height[top]
        flat_colors[pixel[top]] = shades[some[owner[top]]]


def _pixels_in(
    triangles: Floats, area: Floats, shape: tuple[int, int]
) -> tuple[Ints, Ints, Floats]:
    """Return what lies in triangles (T, 3, 3) of twice an area (T,), one triangle after the other.

    Returns:
        The triangle, the pixel, counted row by row, and the height of each (F,).
    """
    x, y, z = np.moveaxis(triangles, -1, 0)
    low = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, shape[0])
    high = np.clip(np.floor(y.max(axis=1) - 0.5) + 1.0, low, shape[0])
    triangle, row = _runs(low, high - low)
    # Barycentric coordinates (R, 3): along a row they are linear, from the left edge on.
    slopes = np.stack([y[:, 1] - y[:, 2], y[:, 2] - y[:, 0], y[:, 0] - y[:, 1]], axis=1)
    slopes = (slopes / area[:, None])[triangle]
    down = np.stack([x[:, 2] - x[:, 1], x[:, 0] - x[:, 2], x[:, 1] - x[:, 0]], axis=1)
    down = (down / area[:, None])[triangle]
    from_first = row[:, None] + 0.5 - y[triangle, :1]
    shares = down * from_first - slopes * x[triangle, :1] + np.array([1.0, 0.0, 0.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        crossed = -shares / slopes
    left = np.where(slopes > 0.0, crossed, -np.inf).max(axis=1)
    right = np.where(slopes < 0.0, crossed, np.inf).min(axis=1)
    right[((slopes == 0.0) & (shares < 0.0)).any(axis=1)] = -np.inf
    first = np.clip(np.ceil(left - 0.5), 0, shape[1])
    last = np.clip(np.floor(right - 0.5) + 1.0, first, shape[1])
    span, column = _runs(first, last - first)
    height = np.einsum("rk,rk->r", shares, z[triangle])[span]
    height += np.einsum("rk,rk->r", slopes, z[triangle])[span] * (column + 0.5)
    return triangle[span], row[span] * shape[1] + column, height


def _runs(first: Floats, counts: Floats) -> tuple[Ints, Ints]:
    """Return runs of whole numbers, each from one of `first` (N,) on, and which run each is in."""
    lengths = counts.astype(np.int64)
    run = np.repeat(np.arange(len(lengths)), lengths)
    begins = np.cumsum(lengths) - lengths - first.astype(np.int64)
    return run, np.arange(len(run)) - begins[run]
