"""The arm of these tests, on disk."""

import numpy as np
import pytest
from arm import write_arm

from generative_ik_ros import CollisionModel, IKSolver, KinematicChain, Scene
from generative_ik_ros.collision.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from generative_ik_ros.robot.poses import pose_matrix


@pytest.fixture(scope="session")
def arm_urdf(tmp_path_factory):
    return write_arm(tmp_path_factory.mktemp("robots"))


@pytest.fixture(scope="session")
def arm(arm_urdf):
    return KinematicChain.from_urdf(arm_urdf, "link0", "tool")


@pytest.fixture(scope="session")
def arm_model(arm_urdf):
    return CollisionModel.from_urdf(
        arm_urdf, srdf=arm_urdf.with_suffix(".srdf"), package_dirs=[arm_urdf.parent.parent]
    )


@pytest.fixture(scope="module")
def solver(arm, arm_model):
    return IKSolver(arm, collision=arm_model)


def random_scene(rng, count=10):
    """Obstacles of all kinds around the arm, none of them at its base."""
    import trimesh

    shapes = []
    for k in range(count):
        away = rng.normal(size=3)
        at = away / np.linalg.norm(away) * rng.uniform(0.35, 0.9) + [0.0, 0.0, 0.35]
        pose = pose_matrix(at, rng.normal(size=4))
        size = rng.uniform(0.03, 0.3, 3)
        shapes.append(
            [
                lambda p, s: Box(s, pose=p),
                lambda p, s: Sphere(s[0] / 2, pose=p),
                lambda p, s: Cylinder(s[0] / 2, s[1], pose=p),
                lambda p, s: Capsule(s[0] / 2, s[1], pose=p),
                lambda p, s: _wedge(trimesh, p, s),
            ][k % 5](pose, size)
        )
    kinds = {Box: "boxes", Sphere: "spheres", Cylinder: "cylinders", Capsule: "capsules"}
    kinds[Mesh] = "meshes"
    return Scene(**{n: [s for s in shapes if type(s) is kind] for kind, n in kinds.items()})


def _wedge(trimesh, pose, size):
    """One of four wedges, for the body of each has to be built once, wherever it stands."""
    radius, height = ((0.02, 0.2), (0.05, 0.28), (0.09, 0.1), (0.14, 0.2))[int(1e3 * size[0]) % 4]
    made = trimesh.creation.cone(radius, height, sections=7)
    return Mesh(made.vertices, made.faces, pose=pose)


@pytest.fixture(name="random_scene", scope="session")
def random_scene_fixture():
    return random_scene
