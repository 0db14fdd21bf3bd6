"""Paths among obstacles: free at every pose and between the poses."""

import numpy as np
import pytest

pytest.importorskip("pinocchio")
pytest.importorskip("coal")
from arm import Oracle

from generative_ik_ros import IKSolver, Scene, TaskSpaceRegion
from generative_ik_ros.errors import InvalidArgumentError

START = np.array([0.4, 0.5, 0.0, -1.5, 0.0, 1.9, 0.3])


def line(arm, count=60, length=0.5):
    """Poses along a straight line, sideways, with the same orientation."""
    targets = np.repeat(arm.forward(START)[None], count, axis=0)
    targets[:, 1, 3] -= np.linspace(0.0, length, count)
    return targets


def between(positions, steps=20):
    share = np.linspace(0.0, 1.0, steps, endpoint=False)[:, None]
    return np.concatenate(
        [a + share * (b - a) for a, b in zip(positions[:-1], positions[1:], strict=True)]
    )


def test_a_path_beside_an_obstacle_is_free_at_and_between_its_poses(arm, arm_urdf, solver):
    targets = line(arm)
    bare = IKSolver(arm).solve_path(targets).positions
    elbow = Scene(spheres={"ball": (0.06, _elbow(arm, bare[30]))})
    oracle = Oracle(arm_urdf, elbow)
    assert not all(map(oracle.free, bare))
    path = solver.solve_path(targets, scene=elbow)
    assert path.complete and path.reason == ""
    assert all(map(oracle.free, between(path.positions)))
    assert np.abs(np.diff(path.positions, axis=0)).max() <= 0.2 + 1e-9
    assert np.nanmax(path.position_error) < 1e-5


def test_whatever_the_deadline_what_is_returned_is_free(arm, solver, random_scene):
    # Most of these searches end with a path that was not checked closely yet.
    scene = random_scene(np.random.default_rng(9))
    for timeout in np.geomspace(5e-4, 0.1, 24):
        path = solver.solve_path(line(arm), scene=scene, timeout=timeout)
        reached = path.positions[: path.num_reached]
        motions = between(reached) if len(reached) > 1 else reached
        assert not solver.collides(motions, scene=scene).any()


def test_a_path_in_a_region_beside_an_obstacle(arm, arm_urdf, solver):
    targets, region = line(arm), TaskSpaceRegion.free_axis("z")
    bare = solver.solve_path(targets, region=region).positions
    elbow = Scene(spheres={"ball": (0.06, _elbow(arm, bare[30]))})
    oracle = Oracle(arm_urdf, elbow)
    assert not all(map(oracle.free, bare))
    path = solver.solve_path(targets, scene=elbow, region=region)
    assert path.complete and path.clearance >= 0.0
    assert all(map(oracle.free, between(path.positions)))
    tips = arm.forward(path.positions)
    assert np.abs(tips[:, :3, 2:] - targets[:, :3, 2:]).max() <= 1e-5
    assert path.length < 0.9 * solver.solve_path(targets, scene=elbow).length


def _elbow(arm, q):
    from generative_ik_ros.robot.tree import link_transforms

    places = link_transforms(arm.description, dict(zip(arm.names, q, strict=True)), "link0")
    return places["link4"][0][:3, 3]


def test_a_wall_across_the_path_ends_it_and_is_named(arm, arm_urdf, solver):
    targets = line(arm)
    middle = targets[35][:3, 3]
    wall = Scene(boxes={"wall": ((2.0, 0.02, 2.0), (0.0, middle[1] - 0.15, 0.0))})
    path = solver.solve_path(targets, START, scene=wall)
    assert 0 < path.num_reached < 60 and not path.timed_out
    assert path.reason.startswith(f"pose {path.num_reached}: reached in collision only: ")
    assert path.reason.endswith("with wall")
    oracle = Oracle(arm_urdf, wall)
    assert all(map(oracle.free, between(path.positions[: path.num_reached])))


def test_a_thin_obstacle_between_two_poses_is_seen(arm, solver):
    """Both ends are free, the motion from one to the other is not."""
    before, after = START, START + [0.4, 0, 0, 0, 0, 0, 0]
    tip = arm.forward((before + after) / 2)[:3, 3]
    pole = Scene(cylinders={"pole": (0.004, 0.3, tip)})
    check = solver._checker.at(pole)
    assert not check.collides(before) and not check.collides(after)
    targets = arm.forward(np.array([before, after]))
    assert solver.solve_path(targets, before, max_step=0.5).complete
    path = solver.solve_path(targets, before, max_step=0.5, scene=pole, end_state=after)
    assert path.num_reached == 1 and path.reason.startswith("pose 1: every motion there collides")
    assert path.reason.endswith("with pole")


def test_the_first_pose_in_collision_is_said(arm, solver):
    block = Scene(boxes={"block": ((0.5, 0.5, 0.5), arm.forward(START)[:3, 3])})
    path = solver.solve_path(line(arm), scene=block)
    assert path.num_reached == 0
    assert path.reason.startswith("pose 0: reached in collision only: ")


def test_a_path_without_geometry_has_no_scene(arm):
    with pytest.raises(InvalidArgumentError, match="need the robot's geometry"):
        IKSolver(arm).solve_path(line(arm), scene=Scene())


@pytest.mark.slow
def test_the_clearest_path_keeps_away_from_obstacles(arm, arm_urdf, solver):
    targets = line(arm)
    elbow = Scene(spheres={"ball": (0.06, _elbow(arm, solver.solve_path(targets).positions[30]))})
    first = solver.solve_path(targets, scene=elbow)
    clear = solver.solve_path(targets, scene=elbow, objective="clearance")
    assert clear.complete and clear.clearance > 1.1 * first.clearance
    np.testing.assert_allclose(
        solver.clearance(clear.positions, scene=elbow).min(), clear.clearance, rtol=1e-9
    )
    assert all(map(Oracle(arm_urdf, elbow).free, between(clear.positions)))


def test_a_closed_path_among_obstacles(arm, arm_urdf, solver):
    there = line(arm, 30, 0.3)
    targets = np.concatenate([there, there[::-1]])
    ball = Scene(spheres={"ball": (0.06, _elbow(arm, solver.solve_path(there).positions[15]))})
    path = solver.solve_path(targets, scene=ball, closed=True)
    assert path.complete
    np.testing.assert_array_equal(path.positions[0], path.positions[-1])
    assert all(map(Oracle(arm_urdf, ball).free, between(path.positions)))


def test_an_end_in_collision_is_refused(arm, solver):
    targets = line(arm)
    end = solver.solve_path(targets, START).positions[-1]
    block = Scene(boxes={"block": ((0.1, 0.1, 0.1), arm.forward(end)[:3, 3])})
    with pytest.raises(InvalidArgumentError, match="end_state collides: .* with block"):
        solver.solve_path(targets, scene=block, end_state=end)
