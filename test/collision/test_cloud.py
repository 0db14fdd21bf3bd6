"""Clouds of points: their bodies are their balls, and thinned ones reach over them."""

import numpy as np
import pytest
from solid_checks import leaves_of, levels_of

from generative_ik_ros.collision.cloud import PointCloud, cloud_body
from generative_ik_ros.collision.sphere_tree import EMPTY, SphereTree
from generative_ik_ros.errors import InvalidArgumentError

COUNTS = [1, 2, 8, 9, 64, 65, 5000]


def rows(points):
    return np.array(sorted(map(tuple, points))).reshape(-1, 3)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("extent", [(1.0, 1.0, 1.0), (5.0, 1e-3, 0.0), (0.0, 0.0, 0.0)])
def test_leaves_are_the_balls(count, extent):
    points = np.random.default_rng(count).uniform(-1.0, 1.0, (count, 3)) * extent + (3, -2, 1)
    body = cloud_body(PointCloud.of(points, 0.02))
    assert body.exact and body.inner is None
    leaves = leaves_of(body.cover)
    assert np.array_equal(rows(leaves[:, :3]), rows(points))
    assert (leaves[:, 3] == 0.02).all()
    assert set(map(tuple, body.extremes)) <= set(map(tuple, points))


@pytest.mark.parametrize("count", COUNTS)
def test_parents_contain_their_children(count):
    random = np.random.default_rng(count)
    leaves = np.column_stack(
        [random.uniform(-9.0, 9.0, (count, 3)), random.choice([0.0, 1e-4, 2.0], count)]
    )
    leaves[random.uniform(size=count) < 0.1, 3] = EMPTY
    levels = levels_of(SphereTree.over(leaves))
    assert [len(level) for level in levels] == [8**depth for depth in range(len(levels))]
    for parents, children in zip(levels, levels[1:], strict=False):
        children = children.reshape(-1, 8, 4)
        there = children[..., 3] > EMPTY / 2
        assert ((parents[:, 3] > EMPTY / 2) == there.any(axis=1)).all()
        gaps = np.linalg.norm(children[..., :3] - parents[:, None, :3], axis=-1)
        assert (gaps + children[..., 3] <= parents[:, None, 3])[there].all()


@pytest.mark.parametrize("count", COUNTS)
def test_leaves_near_a_ball(count):
    random = np.random.default_rng(count)
    points = random.uniform(-1.0, 1.0, (count, 3))
    tree = cloud_body(PointCloud.of(points, 0.05)).cover
    for reach in (0.0, 0.2, 4.0):
        center = random.uniform(-1.0, 1.0, 3)
        near = points[np.linalg.norm(points - center, axis=1) <= reach + 0.05]
        assert np.array_equal(rows(tree.near(center, reach)[:, :3]), rows(near))


@pytest.mark.slow
@pytest.mark.parametrize("distance", [0.003, 0.05, 0.5, 100.0])
def test_thinned_clouds_contain_the_whole(distance):
    random = np.random.default_rng(1)
    cloud = PointCloud.of(random.normal(size=(3000, 3)) * (1.0, 0.2, 0.01), 0.01, "camera")
    thin = cloud.thinned(distance)
    assert thin.frame == "camera"
    assert set(map(tuple, thin.points)) <= set(map(tuple, cloud.points))
    gaps = np.linalg.norm(cloud.points[:, None] - thin.points, axis=-1).min(axis=1)
    assert (gaps + cloud.radius <= thin.radius).all()
    assert thin.radius < 0.01 + 1.74 * distance
    if distance >= 0.05:
        assert len(thin.points) < len(cloud.points)
    if distance == 100.0:
        assert len(thin.points) == 1


@pytest.mark.parametrize("distance", [0.0, -1.0, np.nan, np.inf, 1e-9])
def test_senseless_distances(distance):
    with pytest.raises(InvalidArgumentError, match="distance must be"):
        PointCloud.of(np.eye(3)).thinned(distance)


def test_too_many_points():
    points = np.broadcast_to(np.zeros(3), (5_000_001, 3))
    with pytest.raises(InvalidArgumentError, match="5000001 points are too many"):
        PointCloud.of(points)
