"""Requests for several tips and for regions."""

from pathlib import Path

import numpy as np
import pytest
from ik_client import Response, request
from robots import configurations
from rviz_side import RVizSide

from generative_ik_ros import KinematicTree, TaskSpaceRegion, pose_matrix
from generative_ik_ros.robot.random_poses import random_configurations
from generative_ik_ros.robot.tree import link_transforms
from generative_ik_ros.ros.conversions import poses_to_transforms, transforms_to_poses

URDF = Path(__file__).resolve().parents[2] / "examples" / "two_arms.urdf"
HANDS = ["left_hand", "right_hand"]


@pytest.fixture(scope="module")
def arms(start_node, client_of):
    parameters = {"tip_link": "left_hand", "target_tips": "left_hand right_hand"}
    return client_of(start_node(robot_description=URDF.read_text(), **parameters))


@pytest.fixture(params=[None, {"right_hand": "left_hand"}], ids=["two hands", "a tray"])
def tree(request):
    return KinematicTree.from_urdf(URDF, tip_links=HANDS, reference_links=request.param)


def asked(tree, targets, count):
    """A request for `count` solutions of each target of both hands."""
    links = ["" if link == "base" else link for link in tree.reference_links]
    return request(
        targets.reshape(-1, 4, 4), tip_links=HANDS, reference_links=links,
        num_solutions=count, timeout=5.0,
    )  # fmt: skip


def test_several_tips(arms, tree):
    targets = tree.forward(configurations(tree, 4))
    response = arms.call(asked(tree, targets, 5))
    assert response.status == Response.SOLVED, response.message
    assert (response.base_link, response.tip_link) == ("base", "")
    assert response.tip_links == HANDS and response.joint_names == tree.joint_names
    q = np.reshape(response.positions, (4, 5, tree.num_joints))
    assert np.abs(tree.forward(q) - targets[:, None]).max() <= 1e-5


def test_rviz_shows_arms_and_the_target_of_each_tip(arms, tree):
    (target,) = tree.forward(configurations(tree, 1, 2))
    markers = arms.markers()
    response = arms.call(asked(tree, target, 3))
    best = np.array(response.positions[: tree.num_joints])
    frames = link_transforms(tree.description, tree.joint_values(best[None]), "base")
    hands = np.array([frames[hand][0] for hand in HANDS])
    drawn = next_with(markers, lambda found: is_at(axes_of(found), hands[:, :3, 3]))
    arm = [one.pose.position for one in shown(drawn, "solution_000")]
    at = np.array([(p.x, p.y, p.z) for p in arm])
    for elbow in ("left_3", "right_3"):
        gaps = np.linalg.norm(at - frames[elbow][0][:3, 3], axis=1)
        assert gaps.min() < 0.2
    far = target.copy()
    far[0, :3, 3] = (0.0, 4.0, 1.0)
    closest = tree.forward(np.array(arms.call(asked(tree, far, 3)).best_effort))
    drawn = next_with(markers, lambda found: len(shown(found, "error")) == 2)
    lengths = [one.scale.z for one in shown(drawn, "error")]
    gaps = np.linalg.norm((closest - far)[:, :3, 3], axis=1)
    assert np.allclose(lengths, gaps, atol=1e-3) and gaps.max() > 1.0
    markers.close()


def test_a_handle_for_each_tip(arms):
    """A drag of one hand's handle solves for both; the other one follows requests for its tip."""
    tree, rviz, markers = KinematicTree.from_urdf(URDF, tip_links=HANDS), RVizSide(arms), None
    handles = rviz.fetch().markers
    assert [one.name for one in handles] == [one.description for one in handles] == HANDS
    (goal,) = tree.forward(configurations(tree, 1, 5))
    arms.call(request(goal[:1], tip_link="left_hand", num_solutions=1))
    markers = arms.markers()
    next_with(markers, lambda found: is_at(axes_of(found), goal[:1, :3, 3]))
    (pose,) = transforms_to_poses(goal[1:])
    rviz.drag(pose, name="right_hand")
    drawn = next_with(markers, lambda found: is_at(axes_of(found), goal[:, :3, 3]))
    markers.close()
    assert shown(drawn, "solution_000") and not shown(drawn, "error")
    at = poses_to_transforms([one.pose for one in rviz.fetch().markers])
    np.testing.assert_allclose(at, goal, atol=1e-6)
    assert all(result.successful for result in arms.set_parameters(target_tips=""))
    arms._when(lambda: [one.name for one in rviz.fetch().markers] == ["target"])


def next_with(markers, wanted):
    """Return the next message that is wanted; earlier ones show earlier requests."""
    while not wanted(found := markers.next()):
        pass
    return found


def shown(markers, namespace):
    return [one for one in markers.markers if one.ns == namespace and one.action == one.ADD]


def axes_of(markers):
    """Where target axes are drawn, (N, 3)."""
    at = [one.pose.position for one in shown(markers, "target")]
    return np.array([(p.x, p.y, p.z) for p in at])


def is_at(points, wanted):
    return points.shape == wanted.shape and bool(np.abs(points - wanted).max() <= 2e-5)


def test_a_frame_moves_targets_in_the_base_only():
    from generative_ik_ros.ros.frames import in_base

    tree = KinematicTree.from_urdf(URDF, tip_links=HANDS, reference_links={HANDS[1]: HANDS[0]})
    targets = tree.forward(configurations(tree, 3, 1))
    frame = pose_matrix([0.1, 0.2, 0.3], [0.6, 0.0, 0.8, 0.0])
    moved = in_base(tree, targets, frame)  # pyright: ignore[reportArgumentType]
    np.testing.assert_array_equal(moved[:, 0], frame @ targets[:, 0])
    np.testing.assert_array_equal(moved[:, 1], targets[:, 1])


def test_a_region(panda, panda_client):
    q = (panda.lower + panda.upper) / 2 + 0.2
    region = TaskSpaceRegion.free_axis("z")
    message = request(panda.forward(q)[None], num_solutions=30, timeout=5.0)
    message.region_lower, message.region_upper = region.lower.tolist(), region.upper.tolist()
    response = panda_client.call(message)
    assert response.status == Response.SOLVED, response.message
    tips = panda.forward(np.reshape(response.positions, (30, 7)))
    assert np.abs(tips[:, :3, 3] - panda.forward(q)[:3, 3]).max() <= 1e-5
    assert np.abs(tips[:, :3, 2] - panda.forward(q)[:3, 2]).max() <= 1e-5
    assert np.abs(tips[:, :3, 0] - panda.forward(q)[:3, 0]).max() > 0.5


def test_any_pose_of_a_goal_set(panda, panda_client):
    """Two poses out of reach, and one that is not, twice: the reply says which."""
    grasp = panda.forward((panda.lower + panda.upper) / 2 + 0.2)
    far = grasp.copy()
    far[0, 3] += 9.0
    message = request(np.stack([far, grasp, far, grasp]), num_solutions=20, timeout=5.0)
    message.goal_set = True
    message.order_by, message.optimize = "limit_margin", True
    response = panda_client.call(message)
    assert response.status == Response.SOLVED, response.message
    assert list(response.counts) == [20] and len(response.best_effort) == 7
    assert set(response.target_of) <= {1, 3} and len(response.target_of) == 20
    tips = panda.forward(np.reshape(response.positions, (20, 7)))
    assert np.abs(tips - grasp).max() <= 2e-5
    message.goal_set = False
    assert len(panda_client.call(message).target_of) == 0


BAD = {
    "both": ({"tip_link": "left_hand", "tip_links": HANDS}, "not both"),
    "odd": ({"tip_links": [*HANDS, "torso"]}, "one for each"),
    "references": ({"tip_links": HANDS, "reference_links": [""]}, "1 reference_links for 2"),
    "unknown": ({"tip_links": ["left_hand", "third_hand"]}, "third_hand"),
    "region": ({"tip_links": HANDS, "region_lower": [0.0] * 6}, "six for each tip, 12"),
    "inverted": (
        {"tip_links": HANDS, "region_lower": [1.0] * 12, "region_upper": [0.0] * 12}, "inverted",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "words"), BAD.values(), ids=BAD.keys())
def test_bad_requests(arms, fields, words):
    response = arms.call(request(np.stack([np.eye(4)] * 2), **fields))
    assert response.status == Response.INVALID_REQUEST and words in response.message


def test_a_tip_behind_closed_loops(start_node, client_of):
    examples = URDF.parent
    arm, loops = examples / "palletizer.urdf", examples / "palletizer.yaml"
    process = start_node(
        robot_description=arm.read_text(), base_link="base", tip_link="tool", loops=str(loops)
    )
    client = client_of(process)
    tree = KinematicTree.from_urdf(arm, "base", ["tool"], loops=loops)
    targets = tree.forward(random_configurations(tree, 3, 0))
    poses = targets.reshape(-1, 4, 4)
    response = client.call(request(poses, tip_links=["tool"], num_solutions=1, timeout=5.0))
    assert response.status == Response.SOLVED, response.message
    assert response.tip_links == ["tool"] and response.joint_names == tree.joint_names
    q = np.reshape(response.positions, (3, tree.num_joints))
    assert np.abs(tree.forward(q) - targets).max() <= 2e-5
    assert tree.closure_errors(q)[0].max() <= 1e-5
    alone = client.call(request(poses, tip_link="tool", num_solutions=1, timeout=5.0))
    assert alone.status == Response.INVALID_REQUEST and "in the loop 'rod_end'" in alone.message
