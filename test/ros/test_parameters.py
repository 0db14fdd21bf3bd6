"""Parameters: descriptions, bounds, refusals, and effect on the next request."""

import math
from dataclasses import fields

import numpy as np
import pytest
from ik_client import Response, request
from rcl_interfaces.msg import ParameterType
from rclpy.parameter import parameter_value_to_python

from generative_ik_ros.ros.parameters import Settings

CHANGEABLE = [entry.name for entry in fields(Settings) if not entry.metadata["read_only"]]


@pytest.fixture(scope="module")
def client(start_node, client_of, panda_urdf):
    return client_of(start_node(robot_description=panda_urdf, tip_link="panda_hand_tcp"))


@pytest.fixture
def target(panda):
    return panda.forward((panda.lower + panda.upper) / 2.0)[None]


def test_every_parameter_is_described(client):
    table = {entry.name: entry for entry in fields(Settings)}
    described = client.describe_parameters(*table)
    assert [descriptor.name for descriptor in described] == list(table)
    choices = {one.name: one.additional_constraints for one in described}
    assert choices["sampler"].startswith("one of: auto, quasi_random, ")
    assert "ikflow" in choices["sampler"] and choices["device"] == "one of: auto, cpu, cuda"
    for descriptor in described:
        entry = table[descriptor.name]
        assert len(descriptor.description) > 10
        assert descriptor.read_only == entry.metadata["read_only"]
        if type(entry.default) is float:
            (span,) = descriptor.floating_point_range
            assert span.from_value < span.to_value
            assert descriptor.type == ParameterType.PARAMETER_DOUBLE
        if type(entry.default) is int:
            (span,) = descriptor.integer_range
            assert span.from_value < span.to_value


BAD = {
    "num_solutions": [
        (0, "out of range"),
        (1_000_000, "out of range"),
        ("5", "type"),
        (5.5, "type"),
    ],
    "max_solutions": [(0, "out of range"), (99, "must not be above parameter max_solutions")],
    "max_targets": [(0, "out of range"), (-1, "out of range")],
    "position_tolerance": [(0.0, "out of range"), (-1.0, "out of range"), (math.nan, "")],
    "orientation_tolerance": [(0.0, "out of range"), (math.nan, "")],
    "timeout": [(0.0, "out of range"), (math.inf, "out of range"), (100.0, "max_timeout (60.0)")],
    "max_timeout": [(0.5, "timeout (1.0) must not be above"), (math.nan, "")],
    "tf_timeout": [(-0.1, "out of range"), (1e9, "out of range")],
    "sampler": [("magic", "unknown sampler 'magic'; choose from: auto, "), ("", "choose from")],
    "tip_link": [("nose", "unknown link 'nose'; choose from: panda_link0, ")],
    "target_tips": [("nose panda_hand", "unknown link 'nose'; choose from: panda_link0, ")],
    "base_link": [("floor", "unknown link 'floor'; choose from: ")],
    "robot_description": [("", "no XML text"), ("<robot/>", "")],
    "robot_description_semantic": [("<robot><group/></robot>", "(SRDF): a group has no name")],
    "joint_limits": [
        ("panda_joint1 -1", "'NAME LOWER UPPER'"),
        ("nose -1 1", "unknown joint 'nose'; choose from: panda_joint1, "),
        ("/no/limits.yaml", "/no/limits.yaml cannot be read"),
    ],
    "soft_limits": [("yes", "type")],
    "loops": [("/no/loops.yaml", "/no/loops.yaml cannot be read")],
    "groups": [("arm base", "NAME BASE_LINK TIP_LINK")],
    "avoid_collisions": [("yes", "type"), (1, "type")],
    "collision_visuals": [("yes", "type"), (1, "type")],
    "reachability_map": [("no/such.npz", "no/such.npz")],
    "scene_file": [("/no/scene.yaml", "/no/scene.yaml"), (1.0, "type")],
    "collision_padding": [(-0.1, "out of range"), (math.nan, ""), (11.0, "out of range")],
    "mesh_dirs": [("/no/folder", "there is no folder '/no/folder'")],
    "point_cloud_topic": [
        ("no topic", "topic name"),
        ("/a//b", "topic name must not contain repeated '/'"),
        ("/{robot}", "unknown substitution"),
    ],
    "point_radius": [(0.0, "out of range"), (math.inf, "out of range")],
    "servo": [("yes", "type"), (1, "type")],
    "servo_handle": [("yes", "type")],
    "servo_rate": [(0.0, "out of range"), (1e6, "out of range"), (math.nan, "")],
    "servo_timeout": [(0.0, "out of range"), (math.inf, "out of range")],
    "servo_filter": [(-1.0, "out of range"), (math.nan, "")],
    "servo_clearance": [(0.0, "out of range"), (math.nan, "")],
    "servo_velocity_limits": [
        (
            "fast",
            "one number above 0 for all joints, or one for each, separated by spaces, got 'f",
        ),
        ("1 -1", "above 0"),
        ([1.0, math.nan], "above 0"),
    ],
    "servo_acceleration_limits": [("0", "above 0"), ([True], "type")],
    "marker_limit": [(-1, "out of range")],
    "marker_rate": [(0.0, "out of range"), (math.nan, "")],
    "marker_opacity": [(0.0, "out of range"), (1.5, "out of range")],
    "marker_meshes": [("false", "type"), (0, "type")],
    "random_seed": [(-2, "out of range")],
    "device": [("cuda", "read")],
    "num_threads": [(8, "read")],
    "direct_services": [(False, "read")],
    "fastdds_transports": [("SHM", "read")],
}


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [(name, value, reason) for name, cases in BAD.items() for value, reason in cases],
)
def test_a_bad_value_is_refused_with_a_reason(client, target, name, value, reason):
    (before,) = client.get_parameters(name)
    (result,) = client.set_parameters(**{name: value})
    assert not result.successful
    assert result.reason and reason in result.reason
    assert client.get_parameters(name) == [before]
    assert client.call(request(target, num_solutions=1)).status == Response.SOLVED


def test_the_table_of_bad_values_is_complete():
    assert set(BAD) == {entry.name for entry in fields(Settings)}


def test_numbers_and_lists_are_what_they_mean(client, start_node, client_of, panda_urdf):
    try:
        for name, value, kept in (
            ("max_timeout", 30, 30.0),
            ("num_solutions", 5.0, 5),
            ("target_tips", ["panda_hand"], "panda_hand"),
            ("servo_velocity_limits", [1.5, 2.0], "1.5 2.0"),
            ("servo_acceleration_limits", 3, "3"),
        ):
            assert client.set_parameters(**{name: value})[0].successful
            assert list(map(parameter_value_to_python, client.get_parameters(name))) == [kept]
    finally:
        client.set_parameters(max_timeout=60.0, num_solutions=100, target_tips="")
        client.set_parameters(servo_velocity_limits="", servo_acceleration_limits="")
    node = start_node(
        robot_description=panda_urdf, tip_link="panda_hand", timeout=2, marker_limit=3.0
    )
    other = client_of(node)
    initial = other.get_parameters("timeout", "marker_limit")
    assert list(map(parameter_value_to_python, initial)) == [2.0, 3]


def test_joint_limits_take_effect(client, panda):
    target = panda.forward([0.05, 0.3, 0.1, -1.8, 0.2, 2.1, 0.8])[None]
    try:
        assert client.set_parameters(joint_limits="panda_joint1 -0.1 0.1")[0].successful
        answer = client.call(request(target, num_solutions=20))
        q = np.reshape(answer.positions, (-1, 7))
        assert len(q) > 1 and np.abs(q[:, 0]).max() <= 0.1
    finally:
        assert client.set_parameters(joint_limits="")[0].successful


def test_an_unknown_parameter_is_refused(client):
    (result,) = client.set_parameters(speed=1.0)
    assert not result.successful and result.reason


def test_good_values_take_effect_at_once(client, target):
    try:
        assert all(r.successful for r in client.set_parameters(num_solutions=7))
        assert list(client.call(request(target)).counts) == [7]
        assert all(r.successful for r in client.set_parameters(sampler="uniform"))
        assert client.call(request(target)).sampler == "uniform"
        assert all(r.successful for r in client.set_parameters(orientation_tolerance=math.inf))
        assert max(client.call(request(target)).orientation_errors) > 0.01
        assert all(r.successful for r in client.set_parameters(position_tolerance=1e-9))
        assert max(client.call(request(target)).position_errors) <= 1e-9
        assert all(r.successful for r in client.set_parameters(max_targets=2))
        answer = client.call(request(np.repeat(target, 3, axis=0)))
        assert answer.status == Response.INVALID_REQUEST and "max_targets, 2" in answer.message
        assert all(r.successful for r in client.set_parameters(max_timeout=2.0))
        answer = client.call(request(target, timeout=3.0))
        assert answer.status == Response.INVALID_REQUEST and "max_timeout, 2.0 s" in answer.message
        assert all(r.successful for r in client.set_parameters(tip_link="panda_link7"))
        assert client.call(request(target)).tip_link == "panda_link7"
        assert all(r.successful for r in client.set_parameters(base_link="panda_link1"))
        answer = client.call(request(target))
        assert answer.base_link == "panda_link1" and len(answer.joint_names) == 6
    finally:
        back = Settings(tip_link="panda_hand_tcp")
        for name in CHANGEABLE:
            if name != "robot_description":
                assert client.set_parameters(**{name: getattr(back, name)})[0].successful, name
