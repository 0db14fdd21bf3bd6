"""Links and obstacles by the frames that carry them, and which are checked against which."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.collision.body import Body, CollisionLink, Pairs
from generative_ik_ros.collision.cloud import cloud_body
from generative_ik_ros.collision.frames import MovingFrames
from generative_ik_ros.collision.packed_shapes import PackedPrimitives, shape_tuples
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.collision.shapes import Mesh, Shape
from generative_ik_ros.collision.stored import at_origin, stored_bodies
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

_surfaces: WeakKeyDictionary[Body, _core.BodySurface] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Part:
    """A link, an attached object, or an obstacle.

    Attributes:
        name: For messages.
        frame: The frame that carries it.
        pose: (4, 4) its own frame in that one [m].
        shapes: Its solids, in its own frame.
        body: What the check knows of it; None for primitive obstacles.
        padding: Distance that it keeps from other parts of the robot [m].
        points: (P, 3) centres of a cloud's balls [m], or None.
        radius: Radius of these [m].
    """

    name: str
    frame: int
    pose: Floats
    shapes: tuple[Shape, ...]
    body: Body | None = None
    padding: float = 0.0
    points: Floats | None = None
    radius: float = 0.0

    def placed(self, frames: Floats) -> Floats:
        """Return its pose (4, 4) in the root link, given the check's frames (F, 12) [m]."""
        numbers, pose = frames[self.frame], np.eye(4)
        pose[:3, :3], pose[:3, 3] = numbers[:9].reshape(3, 3), numbers[9:]
        return pose @ self.pose


@dataclass(frozen=True, eq=False)
class Parts:
    """All parts of a robot and of a scene.

    Attributes:
        frames: The robot's frames.
        bodies: Parts with a body: first those that move, from base to tip, then those that stand.
        num_moving: How many of them move.
        pairs: Indices of bodies that are checked against each other, and the distance to keep [m].
        primitives: Obstacles that are primitives.
        allowed: Pairs of a body and a primitive that are not checked.
        padding: Distance to keep from obstacles [m].
    """

    frames: MovingFrames
    bodies: tuple[Part, ...]
    num_moving: int
    pairs: tuple[tuple[int, int, float], ...]
    primitives: tuple[Part, ...]
    allowed: tuple[tuple[int, int], ...]
    padding: float

    @classmethod
    def of(
        cls,
        links: Iterable[CollisionLink],
        frames: MovingFrames,
        scene: Scene,
        *,
        unchecked: Pairs,
        unchecked_links: Container[str] = (),
    ) -> "Parts":
        """Sort links and obstacles.

        Args:
            links: The links, and what is attached to them.
            frames: What moves them.
            scene: The obstacles; what it attaches is among the links already.
            unchecked: Pairs of links that are not checked.
            unchecked_links: Links that are not checked against obstacles.

        Raises:
            UnknownNameError: The scene names a link that the robot does not have.
            InvalidArgumentError: An obstacle's frame moves.
        """
        parts = [_part(link, frames) for link in links]
        parts.sort(key=lambda part: (part.frame == 0, part.frame))
        num_moving = sum(part.frame > 0 for part in parts)
        pairs = [
            (i, j, parts[i].padding + parts[j].padding)
            for i in range(num_moving)
            for j in range(i + 1, len(parts))
            if parts[i].frame != parts[j].frame
            and frozenset((parts[i].name, parts[j].name)) not in unchecked
        ]
        primitives, solids = [], list(parts)
        met = [i for i in range(num_moving) if parts[i].name not in unchecked_links]
        for part in _obstacles(frames, scene):
            if part.body is None:
                primitives.append(part)
                continue
            for i in met:
                if (part.name, parts[i].name) not in scene.allowed:
                    pairs.append((i, len(solids), scene.padding))
            solids.append(part)
        allowed = (
            [
                (i, k)
                for k, part in enumerate(primitives)
                for i in range(num_moving)
                if i not in met or (part.name, parts[i].name) in scene.allowed
            ]
            if scene.allowed or len(met) < num_moving
            else []
        )
        return cls(
            frames, tuple(solids), num_moving, tuple(pairs), tuple(primitives), tuple(allowed),
            scene.padding,
        )  # fmt: skip

    @cached_property
    def packed_primitives(self) -> PackedPrimitives:
        """The primitives in groups of eight."""
        shapes = [part.shapes[0] for part in self.primitives]
        poses = [
            part.pose @ shape.pose for part, shape in zip(self.primitives, shapes, strict=True)
        ]
        return PackedPrimitives(shapes, _stacked(poses))

    def arrays(self) -> tuple[Any, ...]:
        """Pack everything, as a `CollisionWorld` takes it."""
        frames, primitives = self.frames, self.packed_primitives
        bodies = [part for part in self.bodies if part.body is not None]
        ints, trees, extremes = _core.pack_bodies(
            [part.body.packed for part in bodies if part.body is not None],
            np.array([part.frame for part in bodies], np.int64),
            _stacked([part.pose for part in bodies]),
        )
        lane_of = {int(k): lane for lane, k in enumerate(primitives.order) if k >= 0}
        return (
            frames.num_variables, frames.floats, frames.ints, ints, self.num_moving, trees,
            extremes,
            np.array([pair[:2] for pair in self.pairs], np.int64).reshape(-1, 2),
            np.array([distance for _, _, distance in self.pairs], np.float64),
            primitives.rows, primitives.kinds, primitives.corners,
            np.array([(i, lane_of[k]) for i, k in self.allowed], np.int64).reshape(-1, 2),
            self.padding,
        )  # fmt: skip

    def world(self) -> _core.CollisionWorld:
        """Return what checks configurations."""
        return _core.CollisionWorld(*self.arrays())

    def surfaces(self) -> tuple[Floats, Ints]:
        """Pack the convex pieces of bodies and primitives, as `ShapeDistances` takes them.

        Those of a body are kept as long as the body.
        """
        missing = {p.body: p for p in self.bodies if p.body and p.body not in _surfaces}
        things = [
            body.cover.packed if body.exact else shape_tuples(part.shapes)
            for body, part in missing.items()
        ]
        _surfaces.update(zip(missing, _core.BodySurface.build(things), strict=True))
        own = [_surfaces[part.body] for part in self.bodies if part.body]
        poses, packed = _stacked([part.pose for part in self.bodies]), self.packed_primitives
        return _core.pack_surfaces(own, poses, *packed.given, packed.order)

    def named(self, i: int, j: int) -> tuple[Part, Part]:
        """Return two parts by the numbers that the check gives them."""
        if j >= 0:
            return self.bodies[i], self.bodies[j]
        return self.bodies[i], self.primitives[self.packed_primitives.order[-1 - j]]

    def margin(self, i: int, j: int) -> float:
        """Return the distance that two parts have to keep [m]; numbers as in `named`."""
        return self.padding if j < 0 else self._margins[i, j]

    @cached_property
    def _margins(self) -> dict[tuple[int, int], float]:
        return {(i, j): margin for i, j, margin in self.pairs}


def _stacked(poses: Sequence[Floats]) -> Floats:
    return np.array(poses, np.float64).reshape(-1, 4, 4)


def _part(link: CollisionLink, frames: MovingFrames) -> Part:
    frame, pose = frames.link_frame[link.parent], frames.link_in_frame[link.parent]
    return Part(link.name, frame, pose, link.shapes, link.body, link.padding)


def _obstacles(frames: MovingFrames, scene: Scene) -> list[Part]:
    root = np.eye(4)

    def pose(frame: str | None, name: str) -> Floats:
        if frame is None:
            return root
        if frame not in frames.link_frame:
            raise UnknownNameError("link", frame, frames.link_frame)
        if frames.link_frame[frame]:
            raise InvalidArgumentError(
                f"{name} is fixed to the link '{frame}', which the chain moves; attach it to the "
                "robot with CollisionModel.attach"
            )
        return frames.link_in_frame[frame]

    meshes = [obstacle for obstacle in scene.obstacles if isinstance(obstacle.shape, Mesh)]
    solids = [(at_origin(mesh.shape),) for mesh in meshes]
    # Not on disk: the meshes that a robot meets in its life are many.
    bodies = iter(zip(solids, stored_bodies(solids, on_disk=False), strict=True))
    found = []
    for obstacle in scene.obstacles:
        shape, at = obstacle.shape, pose(obstacle.frame, obstacle.name)
        if isinstance(shape, Mesh):
            own, body = next(bodies)
            found.append(Part(obstacle.name, 0, at @ shape.pose, own, body))
        else:
            found.append(Part(obstacle.name, 0, at, (shape,)))
    for name, cloud in scene.clouds.items():
        at = pose(cloud.frame, f"the cloud '{name}'")
        body = cloud_body(cloud)
        found.append(Part(name, 0, at, (), body, points=cloud.points, radius=cloud.radius))
    return found
