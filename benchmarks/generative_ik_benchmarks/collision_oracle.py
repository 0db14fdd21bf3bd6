"""Collisions by pinocchio and coal on the triangles of a robot's mesh files, as the truth.

Shares no code with the package. Meshes are parsed here, line by line: the importer behind
pinocchio's reader garbles triangles of OBJ files with several materials.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.oracle import JointValues, require_oracle
from generative_ik_benchmarks.tree_cases import TreeCase
from generative_ik_ros.array_types import Floats, Ints

TOUCHING = 1e-7
"""Closer than this is penetration [m]. With a margin of exactly 0 coal misses some collisions of a
mesh with a box whose faces are parallel."""


@dataclass(frozen=True)
class Solid:
    """An obstacle.

    Attributes:
        name: Its name.
        kind: "box", "sphere", "cylinder" or "capsule".
        size: Lengths; a radius; radius and length, of a capsule without its caps [m].
        pose: (4, 4) in the robot's root link [m].
    """

    name: str
    kind: str
    size: tuple[float, ...]
    pose: Floats


class RobotOracle:
    """A robot's collision shapes, and which of them a chain's joints move against each other.

    Args:
        case: The chain or tree; only the order of its joints is taken from the package.
        joint_positions: Positions of other joints; else the one nearest to zero within limits.
        srdf: Its disabled pairs are not checked.
        unchecked: Pairs of links that are not checked where there is no such file.
        own_triangles: Whether OBJ and STL files are parsed here; else by pinocchio.

    Attributes:
        shapes: How many collision shapes the robot has.
    """

    def __init__(
        self,
        case: ChainCase | TreeCase,
        *,
        joint_positions: Mapping[str, float] | None = None,
        srdf: Path | None = None,
        unchecked: Iterable[frozenset[str]] = (),
        own_triangles: bool = True,
    ):
        """Read the description and the meshes."""
        require_oracle()
        import pinocchio

        pin: Any = pinocchio
        self._pin = pin
        self.model = pin.buildModelFromXML(case.urdf)
        self.geometry = pin.buildGeomFromUrdfString(
            self.model,
            case.urdf,
            pin.GeometryType.COLLISION,
            package_dirs=[str(folder) for folder in case.package_dirs],
        )
        self.shapes = len(self.geometry.geometryObjects)
        self.solids: dict[int, Floats] = {}
        """(F, 3, 3) triangles of the shapes that are meshes read here [m]."""
        for i in range(self.shapes) if own_triangles else ():
            self._read_mesh(i)
        self._place_joints(case.urdf, case.chain.joint_names, joint_positions or {})
        self._choose_pairs(srdf, set(unchecked))

    def _read_mesh(self, i: int) -> None:
        shape = self.geometry.geometryObjects[i]
        triangles = file_triangles(Path(shape.meshPath)) if shape.meshPath else None
        if triangles is None:
            return
        vertices, faces = triangles
        vertices = vertices * np.asarray(shape.meshScale)
        shape.geometry = surface(vertices, faces)
        self.solids[i] = vertices[faces]

    def _place_joints(self, text: str, names: Sequence[str], given: Mapping[str, float]) -> None:
        """Find where the chain's joints go, and place all others but those that mimic one."""
        model = self.model
        mimics = {
            joint.get("name")
            for joint in ElementTree.fromstring(text).iter("joint")
            if joint.find("mimic") is not None
        }
        low, high = model.lowerPositionLimit, model.upperPositionLimit
        standing = {
            name: given.get(name, float(np.clip(0.0, low[joint.idx_q], high[joint.idx_q])))
            for name, joint in zip(model.names, model.joints, strict=True)
            if name in given or (joint.nq == 1 and name not in mimics)
        }
        self.values = JointValues(model, text, names, standing)
        self._moved_by = [
            frozenset(self.values.moving.intersection(model.supports[shape.parentJoint]))
            for shape in self.geometry.geometryObjects
        ]

    def _choose_pairs(self, srdf: Path | None, unchecked: set[frozenset[str]]) -> None:
        geometry, moved_by = self.geometry, self._moved_by
        geometry.addAllCollisionPairs()
        if srdf is not None:
            self._pin.removeCollisionPairs(self.model, geometry, str(srdf))
        links = [self.model.frames[s.parentFrame].name for s in geometry.geometryObjects]
        # Numbers first: the pairs are views, which change when others are removed.
        pairs = [(pair.first, pair.second) for pair in geometry.collisionPairs]
        geometry.removeAllCollisionPairs()
        for i, j in pairs:
            spared = srdf is None and frozenset((links[i], links[j])) in unchecked
            if moved_by[i] != moved_by[j] and not spared:
                geometry.addCollisionPair(self._pin.CollisionPair(i, j))

    def standing(self, link: str) -> Floats:
        """Return the pose (4, 4) of a link that the chain does not move in the root link [m]."""
        data = self.model.createData()
        self._pin.framesForwardKinematics(self.model, data, self.values.standing)
        return data.oMf[self.model.getFrameId(link)].homogeneous

    def among(self, obstacles: Iterable[Solid]) -> "WorldOracle":
        """Return the robot among obstacles; what the chain does not move is not checked."""
        geometry = self.geometry.copy()
        for item in obstacles:
            pose = self._pin.SE3(item.pose)
            shape = self._pin.GeometryObject(item.name, 0, pose, _primitive(item))
            index = geometry.addGeometryObject(shape)
            for i in range(self.shapes):
                if self._moved_by[i]:
                    geometry.addCollisionPair(self._pin.CollisionPair(i, index))
        return WorldOracle(self, geometry)


class WorldOracle:
    """A robot among obstacles."""

    def __init__(self, robot: RobotOracle, geometry: Any):  # noqa: ANN401 (pinocchio's)
        """Make room for results."""
        self._pin, self.robot, self._geometry = robot._pin, robot, geometry
        self._data = robot.model.createData()
        self._managers: dict[float, Any] = {}
        self._plain = self._pin.GeometryData(self._geometry)

    def collides(self, q: Floats, margin: float = TOUCHING) -> bool:
        """Say whether a checked pair is closer than a margin [m] in a configuration (n,)."""
        if margin not in self._managers:
            data = self._pin.GeometryData(self._geometry)
            for request in data.collisionRequests:
                request.security_margin = margin
                request.distance_upper_bound = margin
            kind = self._pin.BroadPhaseManager_DynamicAABBTreeCollisionManager
            # It refers to the data without keeping them.
            self._managers[margin] = kind(self.robot.model, self._geometry, data), data
        manager, _ = self._managers[margin]
        positions = self.robot.values.of(q)
        return self._pin.computeCollisions(self.robot.model, self._data, manager, positions, True)

    def closest(self, q: Floats) -> tuple[float, str, str]:
        """Return the smallest distance of a checked pair [m], and the names of its shapes."""
        geometry, data = self._geometry, self._plain
        self._pin.updateGeometryPlacements(
            self.robot.model, self._data, geometry, data, self.robot.values.of(q)
        )
        self._pin.computeDistances(geometry, data)
        distances = [result.min_distance for result in data.distanceResults]
        nearest = int(np.argmin(distances))
        pair = geometry.collisionPairs[nearest]
        shapes = geometry.geometryObjects
        return distances[nearest], shapes[pair.first].name, shapes[pair.second].name

    def one_in_the_other(self, q: Floats) -> bool:
        """Say whether a shape lies wholly within a link's mesh, where surfaces do not touch."""
        geometry, data = self._geometry, self._plain
        self._pin.updateGeometryPlacements(
            self.robot.model, self._data, geometry, data, self.robot.values.of(q)
        )
        for pair in geometry.collisionPairs:
            for outer, inner in ((pair.first, pair.second), (pair.second, pair.first)):
                triangles = self.robot.solids.get(outer)
                if triangles is None:
                    continue
                point = data.oMg[inner].act(self._point(inner))
                local = data.oMg[outer].actInv(point)
                inside = (local >= triangles.min(axis=(0, 1))) & (local <= triangles.max((0, 1)))
                if inside.all() and winding_number(triangles, local) > 0.5:
                    return True
        return False

    def _point(self, i: int) -> Floats:
        """Return a point of a shape in its own frame [m]."""
        triangles = self.robot.solids.get(i)
        return np.zeros(3) if triangles is None else triangles[0, 0]


def surface(vertices: Floats, faces: Ints) -> Any:  # noqa: ANN401
    """Return coal's tree of the triangles (F, 3) of vertices (V, 3) [m]."""
    made = _coal().BVHModelOBBRSS()
    made.beginModel(len(faces), len(vertices))
    made.addVertices(np.ascontiguousarray(vertices))
    made.addTriangles(np.ascontiguousarray(faces))
    made.endModel()
    made.computeLocalAABB()
    return made


def _primitive(item: Solid) -> Any:  # noqa: ANN401 (coal's)
    kinds = {"box": "Box", "sphere": "Sphere", "cylinder": "Cylinder", "capsule": "Capsule"}
    return getattr(_coal(), kinds[item.kind])(*item.size)


def _coal() -> Any:  # noqa: ANN401 (a module)
    import coal  # comes with pinocchio

    return coal


_Triangles = tuple[Floats, Ints]


def file_triangles(path: Path) -> _Triangles | None:
    """Return vertices (V, 3) and faces (F, 3) as a file has them; None for other formats."""
    kind = path.suffix.lower()
    if kind == ".obj":
        return _obj(path.read_text(errors="replace"))
    return _stl(path.read_bytes()) if kind == ".stl" else None


def _obj(text: str) -> _Triangles:
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(word.partition("/")[0]) for word in words[1:]]
            corners = [n - 1 if n > 0 else len(vertices) + n for n in numbers]
            pairs = zip(corners[1:], corners[2:], strict=False)
            faces += [(corners[0], second, third) for second, third in pairs]
    return np.array(vertices), np.array(faces, np.int64)


def _stl(data: bytes) -> _Triangles:
    count = int.from_bytes(data[80:84], "little")
    if len(data) == 84 + 50 * count:
        kind = np.dtype([("numbers", "<f4", 12), ("attribute", "<u2")])
        numbers = np.frombuffer(data, kind, count, 84)["numbers"].reshape(-1, 4, 3)[:, 1:]
    else:
        words = [line.split() for line in data.decode(errors="replace").splitlines()]
        numbers = np.array([list(map(float, w[1:4])) for w in words if w[:1] == ["vertex"]])
    vertices = numbers.reshape(-1, 3).astype(np.float64)
    return vertices, np.arange(len(vertices)).reshape(-1, 3)


def winding_number(triangles: Floats, point: Floats) -> float:
    """Return how often triangles (F, 3, 3) wind around a point (3,): 1 inside, 0 outside.

    The sum of their solid angles (A. van Oosterom and J. Strackee, 1983) over that of a sphere;
    its absolute value, for some files turn their triangles inside out.
    """
    a, b, c = np.moveaxis(triangles - point, 1, 0)
    x, y, z = (np.linalg.norm(one, axis=1) for one in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = x * y * z + z * (a * b).sum(1) + x * (b * c).sum(1) + y * (c * a).sum(1)
    return abs(float(2.0 * np.arctan2(volume, below).sum() / (4.0 * np.pi)))
