"""Requests that prefer position or orientation where targets cannot be met."""

import numpy as np
import pytest
from ik_client import Response, path_request, request
from robots import SO101
from scipy.spatial.transform import Rotation

from generative_ik_ros.robot.chain import KinematicChain

CHAIN = KinematicChain.from_urdf(SO101)


@pytest.fixture(scope="module")
def so101_client(start_node, client_of):
    return client_of(start_node(robot_description=SO101))


@pytest.fixture(scope="module")
def targets():
    """One that is reached, one whose position is, and one that is far away."""
    poses = CHAIN.forward(np.array([[0.3, 0.4, -0.5, 0.6, 0.2], [-0.4, 0.3, 0.2, 0.5, -0.3]]))
    poses = np.concatenate([poses, poses[:1]])
    poses[1, :3, :3] = Rotation.from_rotvec([0.4, 1.2, -0.9]).as_matrix()
    poses[2, :3, 3] = 5.0, 0.0, 0.0
    return poses


def test_each_target_says_what_it_has(so101_client, targets):
    answer = so101_client.call(request(targets, num_solutions=10, prefer="position"))
    assert answer.status == Response.PARTIAL and "1 of them approximations" in answer.message
    exact = list(answer.statuses)
    assert exact[0] in (Response.SOLVED, Response.PARTIAL)
    assert exact[1:] == [Response.APPROXIMATE, Response.NO_SOLUTION]
    first, count = answer.counts[:2]
    assert count > 0 and answer.counts[2] == 0
    some = slice(first, first + count)
    q = np.reshape(answer.positions, (-1, 5))[some]
    gaps = np.linalg.norm(CHAIN.forward(q)[:, :3, 3] - targets[1, :3, 3], axis=1)
    assert gaps.max() <= 1e-5
    assert min(answer.orientation_errors[some]) > 1e-3


def test_a_request_of_approximations_only_is_not_solved(so101_client, targets):
    answer = so101_client.call(request(targets[1:2], num_solutions=3, prefer="orientation"))
    assert answer.status == Response.APPROXIMATE
    assert answer.message.startswith("no exact solution; 1 of 1 targets are approximated")
    assert max(answer.orientation_errors) <= 1e-5 < min(answer.position_errors)
    plain = so101_client.call(request(targets[1:2], num_solutions=3))
    assert plain.status == Response.NO_SOLUTION and "prefer: position" in plain.message


def test_a_path_keeps_to_positions_where_poses_cannot_be_met(so101_client):
    poses = CHAIN.forward(np.linspace([0.3, 0.4, -0.5, 0.6, 0.2], [0.1, 0.5, -0.3, 0.4, 0.3], 20))
    poses[:, :3, :3] @= Rotation.from_euler("x", 0.3).as_matrix()
    plain = so101_client.call_path(path_request(poses))
    assert plain.status == plain.NO_SOLUTION
    answer = so101_client.call_path(path_request(poses, prefer="position"))
    assert answer.status == answer.SOLVED and answer.num_reached == 20
    assert max(answer.position_errors) <= 1e-5 and min(answer.orientation_errors) > 1e-3
    assert so101_client.call_path(path_request(poses, prefer="both")).status == -1


def test_what_cannot_be_preferred_is_named(so101_client, targets):
    answer = so101_client.call(request(targets[:1], prefer="both"))
    assert answer.status == Response.INVALID_REQUEST
    assert "position, orientation" in answer.message
    bounds = {"region_lower": [0.0] * 6, "region_upper": [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]}
    answer = so101_client.call(request(targets[:1], prefer="position", **bounds))
    assert answer.status == Response.INVALID_REQUEST and "not for regions" in answer.message
