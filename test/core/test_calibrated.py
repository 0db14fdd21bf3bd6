"""Calibrated arms: no axes are parallel any more, none intersect, and no branch is lost."""

from xml.etree import ElementTree

import numpy as np
import pytest
from robots import errors, joint_gap, searched
from test_six_joints import SAME

from generative_ik_ros import IKSolver, KinematicChain
from generative_ik_ros.robot.closed_form import find_family
from generative_ik_ros.robot.known import known_robot

pytestmark = pytest.mark.slow


def calibrated(seed, shift=3e-4, turn=1e-3):
    """The UR10 with offsets of its joints of tenths of a millimetre, and of milliradians."""
    robot, rng = known_robot("ur10"), np.random.default_rng(seed)
    root = ElementTree.fromstring(robot.urdf.read_text())
    for origin in root.iterfind("joint/origin"):
        for key, deviation in (("xyz", shift), ("rpy", turn)):
            nominal = np.array(origin.get(key, "0 0 0").split(), float)
            origin.set(
                key, " ".join(map(repr, (nominal + rng.normal(0.0, deviation, 3)).tolist()))
            )
    text = ElementTree.tostring(root, encoding="unicode")
    return KinematicChain.from_urdf(text, robot.base_link, robot.tip_link)


@pytest.mark.parametrize("seed", range(2))
def test_all_branches_of_a_calibrated_arm_are_found(seed):
    """As an exhaustive search without closed form finds them, from 1500 configurations a pose."""
    chain, rng = calibrated(seed), np.random.default_rng(seed)
    assert find_family(chain).kernel.max_branches == 16  # that of a general arm
    solver, complete = IKSolver(chain), 0
    for q in rng.uniform(-np.pi, np.pi, (8, 6)):
        pose = chain.forward(q)
        solutions = solver.solve(pose, num_solutions=1000)
        found = solutions.of(0)
        complete += bool(solutions.complete[0])
        ends = searched(chain, pose, rng, 1500)
        assert len(ends) > 50
        assert max(joint_gap(chain, found, end) for end in ends) < SAME
        assert max(joint_gap(chain, ends, one) for one in found) < SAME
        assert joint_gap(chain, found, q) < 1e-4
        assert errors(chain, found, pose).max() < 1e-5
    assert complete >= 7
