"""Regression tests of the errors found by the fuzzers and the soak test."""

import numpy as np
import pytest
from robots import NONE, Z, urdf

from generative_ik_ros import CollisionModel, IKSolver, KinematicChain, Scene
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.robot.known import load_robot, robot_urdf_path
from generative_ik_ros.samplers.base import SeedRequest


@pytest.mark.parametrize("tolerances", [(1e308, 1e-5), (1e200, np.inf), (1e-5, 1e308)])
def test_tolerances_whose_square_is_too_large_for_a_number(tolerances):
    """The reach plus 1e308 m, squared, was an OverflowError: INTERNAL_ERROR for the client."""
    chain = load_robot("planar_3r")
    solver = IKSolver(chain, "auto", "cpu", *tolerances)
    target = chain.forward((chain.lower + chain.upper) / 2.0)
    assert solver.solve(target, 3).counts[0] > 0


def test_a_flow_with_one_hidden_layer():
    """A valid configuration for which the CPU kernels raised ValueError."""
    pytest.importorskip("torch")
    from generative_ik_ros.learned.ikflow.flow import ConditionalFlow
    from generative_ik_ros.learned.ikflow.native_flow import NativeFlow
    from generative_ik_ros.learned.ikflow.weights import config_for

    chain = load_robot("planar_3r")
    config = config_for(chain, hidden_layers=1, hidden=8, condition_hidden=8)
    request = SeedRequest(chain.forward(np.zeros(3))[None], 5, chain.lower, chain.upper, 0)
    drawn = NativeFlow.of(ConditionalFlow(config), chain).draw(chain, request, temperature=1.0)
    assert drawn.shape == (1, 5, 3)
    assert ((drawn >= chain.lower) & (drawn <= chain.upper)).all()


def test_line_breaks_from_a_client_do_not_break_messages():
    """Line breaks in names of frames and samplers added lines to messages and the log."""
    pytest.importorskip("rclpy", reason="rclpy is not installed (make setup)")
    from generative_ik_ros.ros.log_lines import one_line

    assert one_line("frame 'a\n[ERROR] b\x1b[31m' is\tnot \u2028 there\0") == (
        "frame 'a [ERROR] b [31m' is not there"
    )
    assert len(one_line("x" * 10**6)) < 5000


@pytest.mark.parametrize("factor", [1.5, -0.7, 2.0])
def test_a_joint_mimicked_by_a_fractional_multiplier(factor):
    """It was treated as periodic, and many reachable poses were "out of reach"."""
    wide, usual = (-2.0 * np.pi, 2.0 * np.pi), (-2.5, 2.5)
    follows = f"<mimic joint='j1' multiplier='{factor}' offset='0.2'/>"
    chain = KinematicChain.from_urdf(
        urdf(
            [
                ("revolute", (0, 0, 0.3), NONE, Z, usual, ""),
                ("revolute", (0.1, 0, 0.1), (1.5, 0, 0), Z, wide, ""),
                ("revolute", (0.4, 0, 0), (0.2, 0, 0), Z, wide, follows),
                ("revolute", (0.3, 0.1, 0), (-1.5, 0.3, 0), Z, usual, ""),
                ("revolute", (0.1, 0, 0.2), (1.5, 0, 0), Z, usual, ""),
                ("revolute", (0, 0, 0.2), (-1.5, 0, 0), Z, usual, ""),
                ("revolute", (0, 0.1, 0), (1.5, 0, 0), Z, usual, ""),
            ]
        )
    )
    q = np.random.default_rng(1).uniform(chain.lower, chain.upper, (100, 6))
    found = IKSolver(chain).solve(chain.forward(q), 3)
    assert (found.counts > 0).all()
    near = IKSolver(chain).solve(chain.forward(q[0]), 1, seed_state=q[0])
    assert np.allclose(near.of(0)[0], q[0], atol=1e-4)
    assert chain.circular.tolist() == [False, factor == 2.0, False, False, False, False]


def test_integers_beyond_the_range_of_float():
    """numpy raises OverflowError for these, not ValueError."""
    chain, huge = load_robot("planar_3r"), 10**400
    solver, target = IKSolver(chain), chain.forward(np.zeros(3))
    for call in (
        lambda: chain.forward([huge, 0, 0]),
        lambda: solver.solve(np.where(target == 1.0, huge, target.astype(object)), 1),
        lambda: solver.solve(target, 1, seed_state=[huge, 0, 0]),
        lambda: solver.solve(target, 1, np.zeros(3), [huge, 1, 1]),
        lambda: IKSolver(chain, "auto", "auto", huge),
    ):
        with pytest.raises(GenerativeIKError):
            call()
    assert solver.solve(target, 1, timeout=huge).counts[0]


def test_a_single_solution_among_obstacles_is_free():
    """One in 800 collided: a seed that ended in the same step had been kept after the free one."""
    urdf = robot_urdf_path("panda")
    model = CollisionModel.from_urdf(urdf, srdf=urdf.with_suffix(".srdf"))
    chain, rng = load_robot("panda"), np.random.default_rng(3)
    solver = IKSolver(chain, collision=model)
    places = rng.uniform([-0.7, -0.7, 0.0], [0.7, 0.7, 1.1], (40, 3))
    far = np.hypot(places[:, 0], places[:, 1]) > 0.25
    boxes = {f"box {k}": ((0.12, 0.12, 0.12), tuple(places[k])) for k in np.flatnonzero(far)}
    scene = Scene(boxes=boxes)
    positions = np.random.default_rng(0).uniform(chain.lower, chain.upper, (20000, 7))
    positions = positions[~solver.collides(positions, scene=scene)]
    found = [solver.solve(target, 1, scene=scene) for target in chain.forward(positions)]
    assert all(one.counts[0] for one in found)
    assert not solver.collides(np.concatenate([one.of(0) for one in found]), scene=scene).any()
