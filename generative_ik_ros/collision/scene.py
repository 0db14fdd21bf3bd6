"""Scenes: the obstacles around a robot, as primitives, meshes and a cloud of points."""

import math
from collections.abc import Iterable, Sequence
from os import PathLike

from numpy.typing import ArrayLike

from generative_ik_ros.arguments import file_path, listed_items
from generative_ik_ros.collision.cloud import OCTOMAP, POINTS, PointCloud
from generative_ik_ros.collision.obstacles import (
    AttachedObject,
    Obstacle,
    check_frame,
    check_name,
    check_names_once,
)
from generative_ik_ros.collision.shape_forms import MAX_OBSTACLES, named_shapes
from generative_ik_ros.collision.shape_poses import one_pose
from generative_ik_ros.collision.shapes import (
    MAX_SIZE,
    Box,
    Capsule,
    Cylinder,
    Mesh,
    Sphere,
    unchecked,
)
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError, shown
from generative_ik_ros.robot.rigid import inverse


class Scene:
    """Obstacles around a robot; it never changes, and changes of it are new scenes.

    Boxes, spheres, cylinders, capsules and meshes are lists, or mappings from names. Without
    names, obstacles are called box_0, box_1, sphere_0 and so on. Their poses are (4, 4), a
    position x y z, or seven numbers x y z qx qy qz qw, in `frame`.

    Args:
        boxes: `Box` records, or (size, pose), with lengths along x, y and z [m].
        spheres: `Sphere` records, or (radius, pose).
        cylinders: `Cylinder` records, or (radius, length, pose); the axis is z.
        capsules: `Capsule` records, or (radius, length, pose), the length without the caps.
        meshes: `Mesh` records, `trimesh.Trimesh`, paths of STL, OBJ, DAE or PLY files, pairs of
            one of these and a pose, (vertices, faces), or (vertices, faces, pose).
        points: (P, 3) points of a depth camera or scanner [m], P up to 5,000,000, in `frame`. Rows
            with NaN or infinity, which cameras write where they see nothing, are left out.
        point_radius: Every point stands for a ball of this radius [m].
        padding: The smallest accepted distance between robot and obstacles [m], a safety margin:
            obstacles and links keep their sizes.
        frame: The link in whose frame all of this is given; the chain must not move it. None: the
            robot's root link.
        allowed: Pairs (obstacle, link) that may touch.

    Attributes:
        obstacles: All but the points.
        cloud: The points; None if there are none.
        octomap: Likewise, the occupied cells of an octomap, which files can have.
        padding: See above.
        allowed: Pairs (name in `obstacles`, link) that may touch.
        attached: What the robot carries; only scenes from files have such objects.

    Raises:
        InvalidArgumentError: An obstacle is in none of these forms, two have the same name, or a
            number is not finite or out of range. The message names the obstacle.
        UnknownNameError: `allowed` names an obstacle that does not exist.
    """

    obstacles: tuple[Obstacle, ...]
    cloud: PointCloud | None
    octomap: PointCloud | None
    padding: float
    allowed: frozenset[tuple[str, str]]
    attached: tuple[AttachedObject, ...]

    def __init__(
        self,
        boxes: Iterable[object] = (),
        spheres: Iterable[object] = (),
        cylinders: Iterable[object] = (),
        capsules: Iterable[object] = (),
        meshes: Iterable[object] = (),
        points: ArrayLike | None = None,
        *,
        point_radius: float = 0.01,
        padding: float = 0.0,
        frame: str | None = None,
        allowed: Iterable[tuple[str, str]] = (),
    ) -> None:
        check_frame("frame", frame)
        kinds = (
            (Box, boxes),
            (Sphere, spheres),
            (Cylinder, cylinders),
            (Capsule, capsules),
            (Mesh, meshes),
        )
        obstacles: list[Obstacle] = []
        for kind, entries in kinds:
            for name, shape in named_shapes(kind, entries):
                if not name:
                    check_name("an obstacle's name", name)
                obstacles.append(unchecked(Obstacle, name=name, shape=shape, frame=frame))
        cloud = None if points is None else PointCloud.of(points, point_radius, frame)
        self._set(tuple(obstacles), cloud, None, padding, allowed)

    @classmethod
    def of(
        cls,
        obstacles: Iterable[Obstacle],
        *,
        cloud: PointCloud | None = None,
        octomap: PointCloud | None = None,
        padding: float = 0.0,
        allowed: Iterable[tuple[str, str]] = (),
        attached: Iterable[AttachedObject] = (),
    ) -> "Scene":
        """Make a scene of records, whose frames may differ; arguments are those of the class."""
        scene = cls.__new__(cls)
        obstacles = listed_items("obstacles", obstacles, Obstacle, "Obstacle records")
        attached = listed_items("attached", attached, AttachedObject, "AttachedObject records")
        for name, points in ("cloud", cloud), ("octomap", octomap):
            if not isinstance(points, PointCloud | None):
                raise InvalidArgumentError(f"{name} must be a PointCloud, not {shown(points)}")
        scene._set(obstacles, cloud, octomap, padding, allowed, attached)
        return scene

    @classmethod
    def from_yaml(
        cls,
        path: str | PathLike[str],
        *,
        package_dirs: Sequence[str | PathLike[str]] = (),
        padding: float = 0.0,
        frame: str | None = None,
    ) -> "Scene":
        """Read a MoveIt planning scene, or a world of cuRobo (docs/scenes.md).

        Args:
            path: A YAML file.
            package_dirs: Folders in which packages are looked up that addresses of meshes name
                (package://NAME/REST); those of the ROS environment follow.
            padding: See `Scene`.
            frame: The link in whose frame those obstacles are for which the file names none.

        Raises:
            InvalidArgumentError: The file cannot be read, is neither, or has an obstacle that
                cannot be one; the message names the file and the entry.
        """
        # Imported here: scenes that are made by code need no YAML.
        from generative_ik_ros.collision.scene_files import read_scene

        check_frame("frame", frame)
        read = read_scene(file_path("path", path), package_dirs, frame)
        return cls.of(
            read.obstacles,
            octomap=read.octomap,
            padding=padding,
            allowed=read.allowed,
            attached=read.attached,
        )

    @property
    def clouds(self) -> dict[str, PointCloud]:
        """The clouds that there are, by the names that they have in messages."""
        named = {POINTS: self.cloud, OCTOMAP: self.octomap}
        return {name: cloud for name, cloud in named.items() if cloud is not None}

    def with_obstacle(self, obstacle: Obstacle) -> "Scene":
        """Return the scene with one more obstacle."""
        return self._changed(obstacles=(*self.obstacles, obstacle))

    def without(self, name: str) -> "Scene":
        """Return the scene without an obstacle, or without all parts of an object.

        Raises:
            UnknownNameError: There is none of that name.
        """
        gone = {one.name for one in self._parts(name)}
        return self._changed(
            obstacles=[one for one in self.obstacles if one.name not in gone],
            allowed={pair for pair in self.allowed if pair[0] not in gone},
        )

    def moved(self, name: str, pose: ArrayLike) -> "Scene":
        """Return the scene with an obstacle at another pose in its frame.

        Args:
            name: An obstacle; or an object of several parts, of which the first takes the pose,
                and the others move with it.
            pose: (4, 4), a position, or seven numbers x y z qx qy qz qw [m].

        Raises:
            UnknownNameError: There is none of that name.
        """
        goal, (first, *others) = one_pose(name, pose), self._parts(name)
        shift = goal @ inverse(first.shape.pose)
        moved = {one.name: one.placed(one_pose(name, shift @ one.shape.pose)) for one in others}
        moved[first.name] = first.placed(goal)
        return self._changed(obstacles=[moved.get(one.name, one) for one in self.obstacles])

    def with_points(
        self, points: ArrayLike | None, *, point_radius: float = 0.01, frame: str | None = None
    ) -> "Scene":
        """Return the scene with other points, or with none; arguments are those of the class."""
        cloud = None if points is None else PointCloud.of(points, point_radius, frame)
        return self._changed(cloud=cloud)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Scene never changes; see Scene.with_obstacle ('{name}')")

    def __repr__(self) -> str:
        points = sum(len(cloud.points) for cloud in self.clouds.values())
        return f"Scene({len(self.obstacles)} obstacles, {points} points, padding={self.padding})"

    def _changed(self, **changes: object) -> "Scene":
        return Scene.of(**{**vars(self), **changes})

    def _parts(self, name: str) -> list[Obstacle]:
        known = isinstance(name, str)
        parts = [one for one in self.obstacles if known and one.part_of(name)]
        if not parts:
            raise UnknownNameError("obstacle", name, [one.name for one in self.obstacles])
        return parts

    def _set(
        self,
        obstacles: tuple[Obstacle, ...],
        cloud: PointCloud | None,
        octomap: PointCloud | None,
        padding: object,
        allowed: Iterable[tuple[str, str]],
        attached: tuple[AttachedObject, ...] = (),
    ) -> None:
        """Check what concerns the scene as a whole, and keep it."""
        if len(obstacles) > MAX_OBSTACLES:
            raise InvalidArgumentError(
                f"{len(obstacles)} obstacles are too many; at most {MAX_OBSTACLES}"
            )
        names = check_names_once(obstacles)
        self.__dict__.update(
            obstacles=obstacles,
            cloud=cloud,
            octomap=octomap,
            padding=_padding(padding),
            allowed=_allowed(allowed, obstacles, names if octomap is None else {*names, OCTOMAP}),
            attached=attached,
        )


def _padding(value: object) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)  # pyright: ignore
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0.0 <= number <= MAX_SIZE:
        raise InvalidArgumentError(
            f"padding must be a distance from 0 to {MAX_SIZE} [m], not {shown(value)}"
        )
    return number


def _allowed(
    pairs: Iterable[tuple[str, str]], obstacles: tuple[Obstacle, ...], names: set[str]
) -> frozenset[tuple[str, str]]:
    """Check pairs (obstacle, link); an object's name stands for all of its parts."""
    found: set[tuple[str, str]] = set()
    for pair in listed_items("allowed", pairs, (tuple, list), "pairs (obstacle, link)"):
        if [type(name) for name in pair] != [str, str]:
            raise InvalidArgumentError(
                f"allowed must be pairs (obstacle, link), not {shown(pair)}"
            )
        parts = [pair[0]] if pair[0] in names else []
        parts = parts or [one.name for one in obstacles if one.part_of(pair[0])]
        if not parts:
            raise UnknownNameError("obstacle", pair[0], sorted(names))
        found.update((part, pair[1]) for part in parts)
    return frozenset(found)
