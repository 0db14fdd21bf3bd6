"""Requests to a node that serves them by rclpy's executor, as where rclpy's internals differ."""

import pytest
from test_service import *  # noqa: F403


@pytest.fixture(scope="module")
def panda_node(start_node, panda_urdf):
    return start_node(
        robot_description=panda_urdf, tip_link="panda_hand_tcp", direct_services=False
    )


def test_the_service_is_not_on_threads_of_its_own(panda_node, panda_client):
    assert not panda_client.get_parameters("direct_services")[0].bool_value
