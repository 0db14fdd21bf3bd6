"""What verifies solutions, and that it is none of the local solver's code."""

import re
from pathlib import Path

import numpy as np
import pytest

from generative_ik_ros import load_robot
from generative_ik_ros.select.verify import Verifier


@pytest.mark.parametrize("robot", ["panda", "ur10", "atlas_foot_to_hand", "planar_3r"])
@pytest.mark.parametrize("count", [0, 1, 8, 13])
def test_errors_are_those_of_the_tip_by_matrices(robot, count, rng):
    chain = load_robot(robot)
    # Beyond a turn, too.
    q = rng.uniform(-9.0, 9.0, (count, chain.num_joints))
    targets = chain.forward(rng.uniform(-1.0, 1.0, (3, chain.num_joints)))
    which = rng.integers(0, 3, count)
    position, orientation = Verifier(chain).errors(q, targets, which)
    tips = chain.forward(q)
    gap = tips[:, :3, 3] - targets[which][:, :3, 3]
    np.testing.assert_allclose(position, np.linalg.norm(gap, axis=1), atol=1e-12)
    turned = np.swapaxes(tips[:, :3, :3], 1, 2) @ targets[which][:, :3, :3]
    cosine = (np.trace(turned, axis1=1, axis2=2) - 1.0) / 2.0
    np.testing.assert_allclose(np.cos(orientation), np.clip(cosine, -1.0, 1.0), atol=1e-12)


def test_it_shares_nothing_with_the_local_solver():
    folder = Path(__file__).resolve().parents[2] / "core" / "src" / "verify"
    sources = {file: file.read_text() for file in sorted(folder.rglob("*.?pp"))}
    assert len(sources) > 5
    for text in sources.values():
        assert not re.search(r"local_solver|quaternion\.hpp|simd::(halfAngle|angleOf)", text)
