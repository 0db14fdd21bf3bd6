"""Distances between shapes, by our compiled code, beside coal's."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
import trimesh
from arm import coal_geometry
from scipy.spatial.transform import Rotation
from solid_checks import as_mesh

coal = pytest.importorskip("coal", reason="coal is not installed: pip install '.[collision]'")

from generative_ik_ros import CollisionModel, IKSolver, KinematicChain, Scene
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Sphere

pytestmark = pytest.mark.slow

_URDF = """<robot name='slide'><link name='base'/><link name='stand'/><link name='slider'/>
<joint name='fixed' type='fixed'><parent link='base'/><child link='stand'/>{}</joint>
<joint name='x' type='prismatic'><parent link='base'/><child link='slider'/>{}
<axis xyz='1 0 0'/><limit lower='-9' upper='9' effort='1' velocity='1'/></joint></robot>"""


SHAPES = {
    "box": [Box((0.5, 0.2, 0.3))],
    "flat box": [Box((0.5, 0.4, 1e-4))],
    "sphere": [Sphere(0.2)],
    "cylinder": [Cylinder(0.2, 0.5)],
    "disc": [Cylinder(0.2, 5e-3)],
    "capsule": [Capsule(0.1, 0.4)],
    "tetrahedron": [as_mesh(trimesh.creation.box((0.3, 0.2, 0.1)).convex_hull)],
    "ball": [as_mesh(trimesh.creation.icosphere(2, 0.2))],
    "ring": [as_mesh(trimesh.creation.torus(0.3, 0.05, 24, 12))],
    "several": [
        Box((0.1, 0.1, 0.6)),
        Sphere(0.15),
        as_mesh(trimesh.creation.annulus(0.2, 0.3, 0.1)),
    ],
}


def origin(pose):
    """The element that puts a joint's frame there."""
    numbers = pose[:3, 3], Rotation.from_matrix(pose[:3, :3]).as_euler("xyz")
    return "<origin xyz='{} {} {}' rpy='{} {} {}'/>".format(*map(repr, np.ravel(numbers).tolist()))


def random_pose(rng, far):
    pose = np.eye(4)
    pose[:3, :3] = Rotation.random(random_state=rng.integers(2**31)).as_matrix()
    pose[:3, 3] = rng.uniform(-far, far, 3)
    return pose


def coal_distance(bodies):
    """The smallest distance between a shape of the one and a shape of the other of two bodies."""
    placed = [
        [(coal_geometry(one), coal.Transform3s(*_split(pose @ one.pose))) for one in shapes]
        for shapes, pose in bodies
    ]
    return min(
        coal.distance(*one, *other, coal.DistanceRequest(), coal.DistanceResult())
        for one, other in product(*placed)
    )


def _split(pose):
    return pose[:3, :3], pose[:3, 3]


@pytest.mark.parametrize(("first", "second"), list(combinations_with_replacement(SHAPES, 2)))
def test_distances_are_those_of_coal(first, second):
    """Joints place the shapes, so that what is computed of a shape itself is computed once."""
    rng = np.random.default_rng([*map(ord, first + second)])
    one, other = SHAPES[first], SHAPES[second]
    for _ in range(2):
        stand, slide = random_pose(rng, 0.3), random_pose(rng, 0.3)
        urdf = _URDF.format(origin(stand), origin(slide))
        model = CollisionModel.from_urdf(urdf)
        model = model.attach("slider", one, name="one").attach("stand", other, name="other")
        solver = IKSolver(
            KinematicChain.from_urdf(urdf, "base", "slider"),
            orientation_tolerance=np.inf,
            collision=model,
        )
        q = rng.uniform(-1.5, 1.5, (30, 1))
        q = q[~solver.collides(q)]
        found, below = solver.clearance(q, exact=True), solver.clearance(q)
        expected = []
        for x in q[:, 0]:
            pose = np.eye(4)
            pose[0, 3] = x
            expected.append(coal_distance([(one, slide @ pose), (other, stand)]))
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)
        assert (below <= found + 1e-9).all()


def test_distances_from_points_and_primitives():
    """By hand: a ball at x among points and a box, the nearer of which counts."""
    urdf = _URDF.format("", "")
    model = CollisionModel.from_urdf(urdf).attach("slider", [Sphere(0.1)], name="ball")
    solver = IKSolver(
        KinematicChain.from_urdf(urdf, "base", "slider"),
        orientation_tolerance=np.inf,
        collision=model,
    )
    pose = np.eye(4)
    pose[0, 3] = 2.0
    scene = Scene(boxes=[((1.0, 1.0, 1.0), pose)])
    x = np.array([[-3.0], [0.0], [1.0], [5.0]])
    np.testing.assert_allclose(
        solver.clearance(x, scene=scene, exact=True), [4.4, 1.4, 0.4, 2.4], rtol=1e-6
    )
    assert np.isinf(solver.clearance(x, exact=True)).all()
