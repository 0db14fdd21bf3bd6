"""The node's parameter `device`: large requests are answered on it, and others as ever."""

import numpy as np
import pytest
from bad_urdfs import GOOD_URDF
from good_arm import GOOD, reachable
from ik_client import Response, request

pytest.importorskip("torch", reason="PyTorch not installed")


def test_large_requests_are_answered_on_the_device(start_node, client_of):
    node = start_node(module="cpu_device", robot_description=GOOD_URDF, device="cuda")
    client = client_of(node)
    client.wait()
    for number, wanted in ((1, 1), (3, 2), (4, 2)):
        targets = reachable(GOOD, number=number)
        answer = client.call(request(targets, num_solutions=wanted, timeout=20.0))
        assert set(answer.statuses) <= {Response.SOLVED, Response.PARTIAL}
        first = np.cumsum(answer.counts) - answer.counts
        q = np.reshape(answer.positions, (-1, GOOD.num_joints))[first]
        np.testing.assert_allclose(GOOD.forward(q), targets, atol=2e-5)
    assert "refined: 3 targets" not in node.output()
    assert node.output().count("refined: 4 targets") == 1
