"""The configuration that a session starts with."""

import numpy as np
import pytest

from generative_ik_ros.drawing.start import bent_configuration
from generative_ik_ros.robot.known import load_robot, robot_names


@pytest.mark.parametrize("name", robot_names())
def test_the_first_configuration_is_inside_and_above_the_floor(name):
    chain = load_robot(name)
    q = bent_configuration(chain)
    assert q.shape == (chain.num_joints,)
    assert (q > chain.lower).all() and (q < chain.upper).all()
    if name in ("panda", "ur10"):  # not stretched
        assert np.linalg.svd(chain.jacobian(q), compute_uv=False)[-1] > 0.03
    height = chain.forward(q)[2, 3]
    assert height == pytest.approx(0.0, abs=1e-9) if name == "planar_3r" else height > 0.1
