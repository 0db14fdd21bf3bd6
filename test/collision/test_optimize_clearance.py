"""Solutions that move along their self-motions to where they are furthest from everything."""

import numpy as np
import pytest

from generative_ik_ros import CollisionModel, IKSolver, KinematicChain, Scene

_JOINTS = (
    ("x", "1 0 0", 0, 3),
    ("back", "1 0 0", -3, 3),
    ("y", "0 1 0", -1, 1),
    ("z", "0 0 1", -1, 1),
)


def gantry(*boxes):
    """A carriage along x, whose place is not determined by the tip's. Some links have boxes."""
    parts, parent = ["<robot name='gantry'><link name='base'/>"], "base"
    shape = "<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>"
    for name, axis, lower, upper in _JOINTS:
        parts.append(
            f"<link name='{name}_link'>{shape if name in boxes else ''}</link>"
            f"<joint name='{name}' type='prismatic'><parent link='{parent}'/>"
            f"<child link='{name}_link'/><axis xyz='{axis}'/>"
            f"<limit lower='{lower}' upper='{upper}' effort='1' velocity='1'/></joint>"
        )
        parent = f"{name}_link"
    urdf = "".join(parts) + "</robot>"
    chain, model = KinematicChain.from_urdf(urdf, "base", parent), CollisionModel.from_urdf(urdf)
    return IKSolver(chain, orientation_tolerance=np.inf, collision=model)


def place(x):
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


def wall(y, slope=0.003):
    """A wall along x whose distance grows slowly."""
    pose = np.eye(4)
    pose[:2, :2] = np.array([[1.0, -slope], [slope, 1.0]]) / np.hypot(1.0, slope)
    pose[:2, 3] = 1.5, y
    return Scene(boxes=[((8.0, 0.2, 1.0), pose)])


def test_spheres_that_overlap_nearly_everywhere_are_climbed_out_of():
    """By spheres only the last 2 % of the carriage's way are clear, by 0.2 mm at its end."""
    solver = gantry("x")
    end = np.array([3.0, 0.0, 0.0, 0.0])
    scene = wall(0.5 - float(solver.clearance(end, scene=wall(0.5))) + 2e-4)
    way = np.zeros((101, 4))
    way[:, 0] = np.linspace(0.0, 3.0, 101)
    assert (solver.clearance(way, scene=scene) > 0.0).mean() < 0.03
    for x in (0.5, 1.5, 2.5):
        found = solver.solve(place(x), 1, scene=scene, order_by="clearance", optimize=True)
        best = solver.clearance(end, scene=scene, exact=True)
        assert found.clearance[0, 0] == pytest.approx(best, rel=0.01)
        exact = solver.clearance(found.positions, scene=scene, exact=True)
        np.testing.assert_allclose(found.scores, exact, rtol=1e-6)
        assert not solver.collides(found.of(0), scene=scene).any()


@pytest.mark.parametrize("count", [1, 5])
def test_the_distance_from_obstacles_is_kept_where_links_are_closer(count):
    """By hand: the other link ends at x = -0.1, and the obstacle begins at 2.2, so that a carriage
    0.2 long is furthest from both at 1.05; 1.5 from the obstacle it may come no further than 0.6.
    """
    solver = gantry("x", "y")
    scene = Scene(boxes=[((1.0, 1.0, 1.0), place(2.7))], padding=1.5)
    found = solver.solve(place(-0.2), count, scene=scene, order_by="clearance", optimize=True)
    assert not solver.collides(found.of(0), scene=scene).any()
    assert found.of(0)[0, 0] == pytest.approx(0.6, abs=0.05)


def test_solutions_on_curves_are_climbed_from_without_a_search(arm, solver, random_scene):
    assert solver.closed_form is not None
    rng, near, calls = np.random.default_rng(8), 0, 0
    for _ in range(8):
        scene = random_scene(rng, 12)
        q = rng.uniform(arm.lower, arm.upper, (20, arm.num_joints))
        for target in arm.forward(q[~solver.collides(q, scene=scene)][:3]):
            found = solver.solve(target, 1, scene=scene, order_by="clearance", optimize=True)
            some = solver.solve(target, 1000, scene=scene).of(0)
            near += (
                found.scores[0, 0] >= 0.99 * solver.clearance(some, scene=scene, exact=True).max()
            )
            calls += found.timings.seeds == 0
    assert near >= 20 and calls >= 20
