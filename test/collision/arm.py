"""An arm with seven joints and links of every kind of shape, and pinocchio's opinion of it."""

from pathlib import Path

import numpy as np

JOINTS = tuple(f"joint{k}" for k in range(1, 8))
_LINKS = (
    ("<box size='0.2 0.18 0.14'/>", "0 0 0.07"),
    ("<cylinder radius='0.06' length='0.24'/>", "0 0 -0.12"),
    ("<mesh filename='package://arm/bracket.stl'/>", "0 -0.08 0"),
    ("<cylinder radius='0.055' length='0.2'/>", "0 0 -0.1"),
    ("<box size='0.1 0.12 0.11'/>", "-0.05 0.05 0"),
    ("<cylinder radius='0.045' length='0.26'/>", "0 0 -0.2"),
    ("<sphere radius='0.06'/>", "0.04 0 0"),
    ("<box size='0.05 0.2 0.06'/>", "0 0 0.12"),
)
_ORIGINS = (
    ("0 0 0.333", "0 0 0", "-2.8 2.8"),
    ("0 0 0", "-1.5708 0 0", "-1.76 1.76"),
    ("0 -0.316 0", "1.5708 0 0", "-2.8 2.8"),
    ("0.0825 0 0", "1.5708 0 0", "-3.0 -0.07"),
    ("-0.0825 0.384 0", "-1.5708 0 0", "-2.8 2.8"),
    ("0 0 0", "1.5708 0 0", "-0.02 3.7"),
    ("0.088 0 0", "1.5708 0 0", "-2.8 2.8"),
)


def write_arm(folder: Path) -> Path:
    """Write the arm's URDF, its SRDF and its mesh; return the URDF's path."""
    import trimesh

    package = folder / "arm"
    package.mkdir()
    post = trimesh.creation.box((0.1, 0.22, 0.1))
    foot = trimesh.creation.box((0.1, 0.06, 0.24))
    foot.apply_translation((0.0, -0.08, 0.05))
    # Two closed boxes that overlap: a bracket with an inner corner.
    trimesh.util.concatenate([post, foot]).export(package / "bracket.stl")
    parts = ["<robot name='arm'>"]
    for k, (shape, at) in enumerate(_LINKS):
        parts.append(
            f"<link name='link{k}'><collision><origin xyz='{at}' rpy='0 0 0'/>"
            f"<geometry>{shape}</geometry></collision></link>"
        )
    parts.append("<link name='tool'/>")
    for k, (xyz, rpy, limits) in enumerate(_ORIGINS, 1):
        lower, upper = limits.split()
        parts.append(
            f"<joint name='joint{k}' type='revolute'><parent link='link{k - 1}'/>"
            f"<child link='link{k}'/><origin xyz='{xyz}' rpy='{rpy}'/><axis xyz='0 0 1'/>"
            f"<limit lower='{lower}' upper='{upper}' effort='1' velocity='1'/></joint>"
        )
    parts.append(
        "<joint name='flange' type='fixed'><parent link='link7'/><child link='tool'/>"
        "<origin xyz='0 0 0.2' rpy='0 0 0'/></joint></robot>"
    )
    path = package / "arm.urdf"
    path.write_text("\n".join(parts))
    near = [(k, k + 1) for k in range(7)] + [(0, 2), (2, 4), (4, 6), (5, 7), (1, 3), (3, 5)]
    path.with_suffix(".srdf").write_text(
        "<robot name='arm'>"
        + "".join(f"<disable_collisions link1='link{i}' link2='link{j}'/>" for i, j in near)
        + "</robot>"
    )
    return path


def coal_geometry(shape):
    """A shape as coal has it."""
    import coal

    from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Sphere

    if isinstance(shape, Box):
        return coal.Box(*shape.size)
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius)
    if isinstance(shape, Cylinder | Capsule):
        kind = coal.Cylinder if isinstance(shape, Cylinder) else coal.Capsule
        return kind(shape.radius, shape.length)
    made = coal.BVHModelOBBRSS()
    made.beginModel(len(shape.faces), len(shape.vertices))
    made.addVertices(shape.vertices)
    made.addTriangles(shape.faces)
    made.endModel()
    return made


class Oracle:
    """Pinocchio's kinematics and coal's checks of the arm among a scene's obstacles."""

    def __init__(self, urdf: Path, scene=None):
        import pinocchio as pin

        self._pin, text = pin, urdf.read_text()
        self.model = pin.buildModelFromXML(text)
        folders = [str(urdf.parent.parent)]
        self.geometry = pin.buildGeomFromUrdfString(
            self.model, text, pin.GeometryType.COLLISION, package_dirs=folders
        )
        own = len(self.geometry.geometryObjects)
        self.geometry.addAllCollisionPairs()
        pin.removeCollisionPairs(self.model, self.geometry, str(urdf.with_suffix(".srdf")))

        for obstacle in () if scene is None else scene.obstacles:
            shape = obstacle.shape
            placed = pin.GeometryObject(
                obstacle.name, 0, pin.SE3(np.array(shape.pose)), coal_geometry(shape)
            )
            index = self.geometry.addGeometryObject(placed)
            for i in range(own):
                if self.geometry.geometryObjects[i].parentJoint:
                    self.geometry.addCollisionPair(pin.CollisionPair(i, index))
        self._data, self._found = self.model.createData(), pin.GeometryData(self.geometry)

    def _place(self, q) -> None:
        self._pin.updateGeometryPlacements(
            self.model, self._data, self.geometry, self._found, np.asarray(q, float)
        )

    def free(self, q) -> bool:
        self._place(q)
        return not self._pin.computeCollisions(self.geometry, self._found, True)

    def distance(self, q) -> float:
        """Smallest distance of any checked pair [m]."""
        self._place(q)
        self._pin.computeDistances(self.geometry, self._found)
        return min(result.min_distance for result in self._found.distanceResults)
