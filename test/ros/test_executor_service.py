"""Requests to a node that serves them by rclpy's executor, as where rclpy's internals differ."""

import pytest
from test_service import (  # noqa: F401
    targets,
    test_a_short_timeout_is_reported,
    test_clients_that_leave_early_do_not_affect_others,
    test_concurrent_clients_get_their_own_replies,
    test_hundred_distinct_solutions_of_one_pose,
)


@pytest.fixture(scope="module")
def panda_node(start_node, panda_urdf):
    return start_node(
        robot_description=panda_urdf, tip_link="panda_hand_tcp", direct_services=False
    )


def test_the_service_is_not_on_threads_of_its_own(panda_node, panda_client):
    assert not panda_client.get_parameters("direct_services")[0].bool_value
