"""Links of every chain at hand: laid out they are the arm, and its maker's choices do not show."""

import numpy as np
import pytest
import torch
from odd_arms import ODD_ARMS, arm
from shared_robots import SHARED_CHAINS, random_positions

from generative_ik_ros.learned.ggik.steps import (
    FITTED,
    Sight,
    Stand,
    View,
    fitted,
    kinds_of,
    place,
)
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.robot.known import load_robot

MANY = 30


@pytest.fixture(
    params=[*SHARED_CHAINS, *ODD_ARMS, "panda", "ur10"],
    ids=lambda chain: getattr(chain, "__name__", str(chain)),
)
def chain(request):
    if isinstance(request.param, str):
        return load_robot(request.param)
    return request.param.load() if hasattr(request.param, "load") else request.param()


def laid_out(graph, q):
    """Return the stand before every joint and at the end, the views, and the turns."""
    links, stand = graph.links, Stand.first(q[:, :1].expand(-1, 3))
    stands, views, turns = [stand], [], []
    for joint in range(links.num_joints):
        views.append(View.of(links, joint, stand))
        position = graph.lines.position(joint, q)
        turns.append(links.sense[joint] * (position - links.centre[joint]))
        stand = place(links, joint, stand, views[-1], turns[-1])
        stands.append(stand)
    return stands, views, turns


def test_laid_out_links_end_where_the_chain_does(chain):
    graph = ArmGraph.of(chain)
    q = random_positions(chain, MANY)
    # Rounded numbers in a URDF make lengths and angles that count as none.
    rounding = 2e-4 * float(graph.scale)
    goal = graph.links.goal(torch.tensor(chain.canonical_target(chain.forward(q))))
    stands, views, _ = laid_out(graph, torch.tensor(q))
    for one, two in zip(stands[-1].goal, goal, strict=True):
        torch.testing.assert_close(one, two, atol=rounding, rtol=0)
    motions = graph.lines.link_motions(torch.tensor(q))
    for joint, (stand, view) in enumerate(zip(stands, views, strict=False)):
        rotation, shift = motions[:, joint, :3, :3], motions[:, joint, :3, 3]
        axis = graph.links.sense[joint] * (rotation @ graph.lines.directions[joint])
        torch.testing.assert_close(view.axis, axis, atol=2e-4, rtol=0)
        if not chain.joint_prismatic[joint]:
            away = stand.point - shift - rotation @ graph.lines.points[joint]
            across = torch.linalg.cross(away, axis)
            assert across.norm(dim=-1).max() < rounding  # on its axis


def test_joints_that_follow_from_the_goal_are_exact(chain):
    graph = ArmGraph.of(chain)
    links, q = graph.links, torch.tensor(random_positions(chain, MANY))
    stands, views, turns = laid_out(graph, q)
    goal, kinds = stands[-1].goal, kinds_of(links)
    assert FITTED in kinds or chain.num_joints < links.num_joints
    for joint, kind in enumerate(kinds):
        if kind != FITTED:
            continue
        off = fitted(links, joint, stands[joint], views[joint], goal) - turns[joint]
        if not links.prismatic[joint]:
            off = torch.remainder(off + np.pi, 2 * np.pi) - np.pi
        assert off.abs().max() < 1e-7


def test_limits_at_the_middle_show_as_the_middle(chain):
    graph = ArmGraph.of(chain)
    links = graph.links
    middle = graph.lines.middle[None]
    _, views, turns = laid_out(graph, middle)
    stands, _, _ = laid_out(graph, middle)
    for joint, view in enumerate(views):
        if abs(float(turns[joint])) < 1e-12:  # not a mimic joint
            torch.testing.assert_close(stands[joint + 1].frame[..., 0], view.middle)
    assert torch.isfinite(links.tokens).all()


def test_neither_the_sense_of_an_axis_nor_its_zero_show():
    """The same arm told in two ways: second axis the other way, third joint's zero elsewhere."""
    one = arm(
        ("revolute", "0 0 1", "0 0 0.1"),
        ("revolute", "0 1 0", "0.1 0.1 0.2"),
        ("revolute", "0 1 0", "0.3 0.1 0"),
        ("revolute", "1 0 0", "0.2 0 0"),
    )
    two = arm(
        ("revolute", "0 0 1", "0 0 0.1"),
        ("revolute", "0 -1 0", "0.1 0.1 0.2"),
        ("revolute", "0 1 0", "0.3 0.1 0"),
        ("revolute", "1 0 0", "0.2 0 0"),
    )
    first, second = (ArmGraph.of(chain).links for chain in (one, two))
    torch.testing.assert_close(first.tokens, second.tokens, atol=1e-12, rtol=0)
    torch.testing.assert_close(first.axis, second.axis, atol=1e-12, rtol=0)
    assert first.sense[1] == -second.sense[1]


def test_what_is_seen_does_not_depend_on_where_the_arm_stands():
    """Turning and shifting what is laid out and the goal together leaves the numbers."""
    graph = ArmGraph.of(load_robot("panda"))
    q = torch.tensor(random_positions(load_robot("panda"), MANY))
    stands, _, _ = laid_out(graph, q)
    goal = stands[-1].goal
    generator = torch.Generator().manual_seed(1)
    turn = torch.linalg.qr(torch.randn(3, 3, generator=generator, dtype=torch.float64))[0]
    turn = turn * torch.linalg.det(turn)
    shift = torch.tensor([0.3, -0.2, 0.9], dtype=torch.float64)
    moved_goal = (goal[0] @ turn.T + shift, goal[1] @ turn.T, goal[2] @ turn.T)
    for joint in range(5):
        stand = stands[joint]
        moved = Stand(stand.point @ turn.T + shift, turn @ stand.frame)
        seen = [
            Sight.of(graph.links, where, View.of(graph.links, joint, where), end).numbers
            for where, end in ((stand, goal), (moved, moved_goal))
        ]
        torch.testing.assert_close(*seen, atol=1e-9, rtol=0)
