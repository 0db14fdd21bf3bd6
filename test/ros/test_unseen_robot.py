"""Sampler ggik with a robot that is not in its training set."""

import numpy as np
import pytest
from ik_client import Response, request

from generative_ik_ros import KinematicChain
from generative_ik_ros.learned.ggik.weights import find_model

URDF = """<robot name='lift'><link name='floor'/>
{joints}<link name='hand'/><joint name='mount' type='fixed'><parent link='l6'/>
<child link='hand'/><origin xyz='0 0.02 0.1' rpy='0.1 0 0.3'/></joint></robot>"""
JOINT = """<joint name='j{i}' type='{kind}'><parent link='{parent}'/><child link='l{i}'/>
<origin xyz='{xyz}' rpy='{rpy}'/><axis xyz='{axis}'/>
<limit lower='{low}' upper='{high}' effort='1' velocity='1'/></joint><link name='l{i}'/>"""
ROWS = (
    ("prismatic", "0 0 0.3", "0 0 0", "0 0 1", 0.0, 0.5),
    ("revolute", "0 0 0.1", "0 0 0", "0 0 1", -2.5, 2.5),
    ("revolute", "0.1 0 0.2", "-1.57 0 0", "0 0 1", -2.0, 2.0),
    ("revolute", "0.35 0.02 0", "0 0.2 0", "0 0 1", -2.5, 2.5),
    ("continuous", "0.1 0 0.05", "0 1.57 0", "0 0 1", 0.0, 0.0),
    ("revolute", "0 0.05 0.25", "1.4 0 0", "0 0 1", -2.0, 2.0),
    ("revolute", "0 0.1 0", "-1.57 0 0", "0 0 1", -3.0, 3.0),
)


@pytest.fixture(scope="module")
def urdf():
    parts = []
    for i, (kind, xyz, rpy, axis, low, high) in enumerate(ROWS):
        parent = "floor" if i == 0 else f"l{i - 1}"
        parts.append(JOINT.format(i=i, parent=parent, kind=kind, xyz=xyz, rpy=rpy, axis=axis,
                                  low=low, high=high))  # fmt: skip
    return URDF.format(joints="".join(parts))


def test_node_answers_with_the_fallback_model(start_node, client_of, urdf):
    chain = KinematicChain.from_urdf(urdf)
    trained, path = find_model(chain)
    assert not trained.robots and path.stem == "random-robots"
    q = np.array([[0.2, 0.4, -0.6, 1.0, 0.3, 0.8, -0.5], [0.4, -1.0, 0.5, -1.2, 2.0, -0.7, 1.0]])
    targets = chain.forward(q)
    client = client_of(start_node(robot_description=urdf, sampler="ggik"))
    client.wait()
    response = client.call(request(targets, num_solutions=5, timeout=10.0))
    assert response.message == "" and list(response.statuses) == [Response.SOLVED] * 2
    found = np.asarray(response.positions).reshape(2, 5, 7)
    np.testing.assert_allclose(chain.forward(found), targets[:, None].repeat(5, 1), atol=2e-5)
    assert (found >= chain.lower - 1e-12).all() and (found <= chain.upper + 1e-12).all()
