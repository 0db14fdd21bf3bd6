"""Points of PointCloud2 messages: layouts, faults, and what is left out."""

import time
from types import SimpleNamespace as Message

import numpy as np
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import PointCloud2, PointField

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.ros.point_clouds import MANY, cloud_in_root, read_points
from generative_ik_ros.ros.scene_sources import CloudTopic


def field(name, offset, datatype=7, count=1):
    return Message(name=name, offset=offset, datatype=datatype, count=count)


def message(points, offsets=(0, 4, 8), step=12, row_gap=0, big=False, **fields):
    """A cloud (height, width, 3) with gaps between points and rows."""
    height, width, _ = points.shape
    data = np.full((height, width * step + row_gap), 0xA5, np.uint8)
    values = points.astype(">f4" if big else "<f4")
    for axis, offset in enumerate(offsets):
        for column in range(width):
            at = column * step + offset
            data[:, at : at + 4] = values[:, column, axis].copy().view(np.uint8).reshape(-1, 4)
    made = Message(
        height=height,
        width=width,
        fields=[field(name, offset) for name, offset in zip("xyz", offsets, strict=True)],
        is_bigendian=big,
        point_step=step,
        row_step=width * step + row_gap,
        data=data.tobytes(),
    )
    made.__dict__.update(fields)
    return made


POINTS = np.random.default_rng(0).normal(size=(4, 5, 3)).astype(np.float32)


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize(
    ("offsets", "step", "row_gap"),
    [((0, 4, 8), 12, 0), ((0, 4, 8), 16, 0), ((9, 1, 17), 23, 7), ((8, 4, 0), 12, 3)],
)
def test_any_layout_of_floats_is_read(offsets, step, row_gap, big):
    read = read_points(message(POINTS, offsets, step, row_gap, big))
    assert np.array_equal(read, POINTS.reshape(-1, 3))


def test_an_empty_cloud_has_no_points():
    assert read_points(message(POINTS[:, :0])).shape == (0, 3)
    assert cloud_in_root(np.empty((0, 3), np.float32), None, 0.01) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"fields": [field("x", 0), field("y", 4)]}, "no z"),
        ({"fields": [field(n, 4 * k, 8) for k, n in enumerate("xyz")]}, "FLOAT32"),
        ({"fields": [field(n, 4 * k, 7, 3) for k, n in enumerate("xyz")]}, "FLOAT32"),
        ({"width": 6}, "does not fit"),
        ({"height": 5}, "does not fit"),
        ({"point_step": 11}, "does not fit"),
        ({"row_step": 59}, "does not fit"),
        ({"data": b""}, "does not fit"),
        ({"width": 5_000_001, "height": 1}, "too many"),
        ({"width": 2**32 - 1, "height": 2**32 - 1}, "too many"),
        ({"fields": [field(n, 2**32 - 4) for n in "xyz"]}, "does not fit"),
    ],
)
def test_what_is_no_cloud_is_refused(change, reason):
    with pytest.raises(InvalidArgumentError, match=reason):
        read_points(message(POINTS, **change))


def test_points_are_moved_into_the_root_link_and_nothing_seen_is_left_out():
    points = POINTS.reshape(-1, 3).copy()
    points[3], points[5, 1] = np.nan, np.inf
    frame = np.eye(4)
    frame[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    frame[:3, 3] = (1.0, 2.0, 3.0)
    cloud = cloud_in_root(points, frame, 0.02)
    seen = np.isfinite(points).all(axis=1)
    assert len(cloud.points) == len(points) - 2 and cloud.radius == 0.02
    moved = np.stack([1.0 - points[:, 1], 2.0 + points[:, 0], 3.0 + points[:, 2]], axis=1)
    assert np.allclose(cloud.points, moved[seen], atol=1e-6)
    assert cloud_in_root(np.full((3, 3), np.nan, np.float32), None, 0.01) is None
    with pytest.raises(InvalidArgumentError, match="millimetres"):
        cloud_in_root(1e5 + points, None, 0.01)


def test_of_very_many_points_fewer_are_kept_that_cover_all():
    points = np.random.default_rng(1).uniform(0.0, 0.3, (MANY + 1, 3)).astype(np.float32)
    cloud = cloud_in_root(points, None, 0.02)
    assert len(cloud.points) < 5000
    some = points[::500].astype(float)
    gaps = np.linalg.norm(some[:, None] - cloud.points, axis=-1).min(axis=1)
    assert gaps.max() + 0.02 <= cloud.radius


@pytest.mark.parametrize("topic", ["", "others"])
def test_a_cloud_does_not_count_whose_topic_is_changed_while_it_is_read(ros, topic):
    """It would be there for good, for no other one comes."""
    changes, lookups = [], []

    class Frames:
        def frame_in_base(self, *_):
            lookups.append(None)
            clouds.listen(topic)

    robot = Message(description=Message(root="base"))
    settings = Message(tf_timeout=0.0, point_radius=0.01)
    served = Message(settings=settings, robot=lambda: robot)
    log = Message(warn=pytest.fail)
    node, executor = rclpy.create_node("clouds"), SingleThreadedExecutor()
    executor.add_node(node)
    clouds = CloudTopic(node, served, Frames(), changes.append, log)
    clouds.listen("points")
    made = message(POINTS)
    made.fields = [PointField(**vars(one)) for one in made.fields]
    out = node.create_publisher(PointCloud2, "points", 1)
    end = time.monotonic() + 20.0
    while not lookups:
        assert time.monotonic() < end
        out.publish(PointCloud2(**vars(made)))
        executor.spin_once(0.1)
    executor.shutdown()
    node.destroy_node()
    assert not changes
