"""Paths whose tip may be anywhere in a region about each pose."""

import numpy as np
import pytest
from region_truth import assert_inside, outside
from robots import circle

from generative_ik_ros import IKSolver, TaskSpaceRegion, load_robot
from generative_ik_ros.errors import GenerativeIKError

FREE = TaskSpaceRegion.free_axis("z")
REGIONS = {
    "free x": TaskSpaceRegion.free_axis("x"),
    "free y": TaskSpaceRegion.free_axis("y"),
    "free z": FREE,
    "position": TaskSpaceRegion.position_only(),
    "cone": TaskSpaceRegion.cone("z", 0.2),
    "cone and band": TaskSpaceRegion.cone("x", 0.1, (0, 0, -0.02), (0, 0, 0.01)),
    "box": TaskSpaceRegion([-0.02, -0.02, 0, 0, 0, 0], [0.02, 0.01, 0, 0, 0, 0]),
    "angles": TaskSpaceRegion([0, 0, 0, -0.1, -0.2, -0.3], [0, 0, 0, 0.1, 0.2, 0.3]),
    "roll and yaw": TaskSpaceRegion([0, 0, 0, -0.1, 0, -0.3], [0, 0, 0, 0.1, 0, 0.3]),
}
STARTS = {"panda": (0.4, 0.5, 0.1, -1.5, 0.2, 1.9, 0.3), "ur10": (0.3, -1.2, 1.5, -0.8, -1.3, 0.2)}


@pytest.fixture(scope="module", params=STARTS)
def solver(request):
    return IKSolver(load_robot(request.param))


@pytest.fixture(scope="module")
def start(solver):
    return np.array(STARTS["ur10" if solver.chain.num_joints == 6 else "panda"])


@pytest.fixture(scope="module")
def exact(solver, start):
    return solver.solve_path(circle(solver.chain, start))


def assert_path_inside(chain, path, targets, region, step=0.2):
    """All tips are inside, by other formulas, and joints, with steps that are short."""
    assert path.complete and path.reason == "", path.reason
    assert np.abs(np.diff(path.positions, axis=0)).max() <= step + 1e-9
    assert ((path.positions >= chain.lower) & (path.positions <= chain.upper)).all()
    assert_inside(region, targets, chain.forward(path.positions))
    assert path.position_error.max() <= 1e-5 and path.orientation_error.max() <= 1e-5


@pytest.mark.parametrize("region", REGIONS.values(), ids=REGIONS.keys())
def test_a_region_makes_a_path_shorter_and_is_kept(solver, start, exact, region):
    chain, targets = solver.chain, circle(solver.chain, start)
    path = solver.solve_path(targets, region=region)
    assert_path_inside(chain, path, targets, region)
    assert path.length < 0.99 * exact.length


def test_what_is_at_a_bound_slides_along_it(solver, start):
    targets, region = circle(solver.chain, start), REGIONS["box"]
    path = solver.solve_path(targets, region=region)
    gaps = (np.linalg.inv(targets) @ solver.chain.forward(path.positions))[:, :2, 3]
    at_bound = np.minimum(gaps - region.lower[:2], region.upper[:2] - gaps) < 4e-5
    assert at_bound.any(axis=1).mean() > 0.5


def test_a_spiral_that_six_joints_cannot_drive_without_a_free_axis():
    """Two turns with the tool's heading along the way are more than the wrist can turn."""
    solver, count = IKSolver(load_robot("ur10")), 120
    turn = np.linspace(0.0, 4.0 * np.pi, count)
    heading, targets = turn + np.pi / 2.0, np.tile(np.eye(4), (count, 1, 1))
    targets[:, 0, 0], targets[:, 1, 0] = np.cos(heading), np.sin(heading)
    targets[:, 0, 1], targets[:, 1, 1] = np.sin(heading), -np.cos(heading)
    targets[:, 2, 2] = -1.0
    targets[:, :3, 3] = [0.7, 0.0, 0.2] + 0.1 * np.stack(
        [np.cos(turn), np.sin(turn), 0 * turn], axis=1
    )
    assert not solver.solve_path(targets).complete
    assert_path_inside(solver.chain, solver.solve_path(targets, region=FREE), targets, FREE)


def test_a_region_for_each_pose(solver, start, exact):
    chain, targets = solver.chain, circle(solver.chain, start)
    regions = [None] * 10 + [FREE] * 10 + [TaskSpaceRegion.exact()] * 3 + [REGIONS["box"]] * 7
    path = solver.solve_path(targets, region=regions)
    assert path.complete
    tips = chain.forward(path.positions)
    for k, region in enumerate(regions):
        away, turned = outside(region or TaskSpaceRegion.exact(), targets[k], tips[k])
        assert away <= 1e-5 and turned <= 1.01e-5
    assert path.length < 1.05 * exact.length
    again = solver.solve_path(targets, region=regions)
    np.testing.assert_array_equal(again.positions, path.positions)
    same = solver.solve_path(targets, region=[None] * len(targets))
    np.testing.assert_array_equal(same.positions, exact.positions)


def test_ends_and_closed_paths(solver, start):
    chain, targets = solver.chain, circle(solver.chain, start)
    path = solver.solve_path(targets, start, region=FREE, closed=True)
    assert_path_inside(chain, path, targets, FREE)
    np.testing.assert_array_equal(path.positions[0], path.positions[-1])
    assert np.abs(path.positions[0] - start).max() <= 0.2
    end = path.positions[-1]
    ended = solver.solve_path(targets, start, region=FREE, end_state=end)
    assert_path_inside(chain, ended, targets, FREE)
    np.testing.assert_array_equal(ended.positions[-1], end)
    turned = end.copy()
    turned[-1] += 0.5
    with pytest.raises(GenerativeIKError, match="end_state is no solution of the last pose"):
        solver.solve_path(targets, end_state=turned)


def test_better_paths_until_the_timeout(solver, start):
    chain, targets = solver.chain, circle(solver.chain, start)
    for objective in ("length", "largest_step", "limit_margin"):
        path = solver.solve_path(targets, region=FREE, objective=objective, timeout=0.1)
        assert_path_inside(chain, path, targets, FREE)


BAD = {
    "count": ([FREE] * 3, "3 regions for 30 poses; give one for the whole path, or one for each"),
    "type": ("free", "region must be a TaskSpaceRegion or a sequence of them"),
    "member": ([0.0] * 30, "region must be a TaskSpaceRegion"),
    "free": (TaskSpaceRegion.free(), "nothing to solve"),
    "one free": ([None] * 29 + [TaskSpaceRegion.free()], "nothing to solve"),
}


@pytest.mark.parametrize(("region", "message"), BAD.values(), ids=BAD.keys())
def test_misuse_is_told(solver, start, region, message):
    with pytest.raises(GenerativeIKError, match=message):
        solver.solve_path(circle(solver.chain, start), region=region)


def test_a_closed_path_has_one_region_at_its_seam(solver, start):
    regions = [FREE] * 29 + [None]
    with pytest.raises(GenerativeIKError, match="last region must be the same as the first"):
        solver.solve_path(circle(solver.chain, start), region=regions, closed=True)
