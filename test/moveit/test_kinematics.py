"""The Python interface: timeouts, bounds, callbacks and misuse."""

import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from clock import in_time

from generative_ik_ros.errors import (
    GenerativeIKError,
    InvalidArgumentError,
    InvalidTargetError,
    RobotDescriptionError,
    UnknownNameError,
)
from generative_ik_ros.moveit import ErrorCode, GenerativeIK, read_joint_limits
from generative_ik_ros.moveit.candidates import Batch, Candidates
from generative_ik_ros.moveit.group import planning_group
from generative_ik_ros.robot.known import robot_urdf_path

URDF = robot_urdf_path("panda").read_text(encoding="utf-8")
SRDF = """<robot name="panda">
  <group name="arm"><chain base_link="panda_link0" tip_link="panda_link8"/></group>
  <group name="hand"><joint name="panda_finger_joint1"/><joint name="panda_finger_joint2"/></group>
  <group name="all"><group name="arm"/><group name="hand"/></group>
  <end_effector name="hand" parent_link="panda_link8" group="hand" parent_group="all"/>
</robot>"""
FAR = np.eye(4)
FAR[:3, 3] = (0.9, 0.0, 0.9)


@pytest.fixture(scope="module")
def ik():
    return GenerativeIK.initialize(URDF, "arm", robot_description_semantic=SRDF)


@pytest.fixture(scope="module")
def whole():
    return GenerativeIK.initialize(URDF, "all", robot_description_semantic=SRDF)


@pytest.fixture
def q(ik):
    share = np.random.default_rng(5).uniform(0.35, 0.65, 7)
    return ik.chain.lower + share * (ik.chain.upper - ik.chain.lower)


def test_joints_off_the_chain_keep_the_seed_and_mimics_follow(whole, q):
    seed = np.array([*q, 0.03, 0.01])
    result = whole.get_position_ik(whole.chain.forward(q + 0.05), seed)
    assert result.solution[7:].tolist() == [0.03, 0.03]
    fingers = whole.get_position_fk(["panda_leftfinger", "panda_rightfinger"], result.solution)
    assert fingers.shape == (2, 4, 4)


@pytest.mark.parametrize("form", ["message", "numbers", "matrix"])
def test_poses_come_in_several_forms(ik, q, form):
    pose = target = ik.chain.forward(q)
    if form != "matrix":
        from scipy.spatial.transform import Rotation

        x, y, z, w = Rotation.from_matrix(target[:3, :3]).as_quat()
        pose = [*target[:3, 3], x, y, z, w]
        if form == "message":
            position = SimpleNamespace(**dict(zip("xyz", target[:3, 3], strict=True)))
            pose = SimpleNamespace(
                position=position, orientation=SimpleNamespace(x=x, y=y, z=z, w=w)
            )
    result = ik.search_position_ik(pose, q + 0.1, 1.0)
    assert np.abs(ik.chain.forward(result.solution) - target).max() < 2e-5


def test_out_of_reach_is_no_solution_or_the_closest_configuration(ik, q):
    result = ik.search_position_ik(FAR, q, 2.0)
    assert not result and result.error_code is ErrorCode.NO_IK_SOLUTION
    assert result.solution is None and "closest" in result.message
    result = ik.search_position_ik(FAR, q, 2.0, return_approximate_solution=True)
    assert result and result.approximate and result.position_error > 0.01
    reached = ik.chain.forward(result.solution)[:3, 3]
    assert np.linalg.norm(reached - FAR[:3, 3]) == pytest.approx(result.position_error)
    assert not ik.get_position_ik_all(FAR, q)


def test_the_deadline_is_kept_while_a_callback_rejects(ik, q):
    def slow(_, __):
        time.sleep(0.005)
        return ErrorCode.NO_IK_SOLUTION

    target, start = ik.chain.forward(q), time.perf_counter()
    result = in_time(partial(ik.search_position_ik, target, q, 0.1, solution_callback=slow), 0.2)
    assert result.error_code is ErrorCode.TIMED_OUT and result.candidates > 1
    assert time.perf_counter() - start >= 0.1


def test_the_callback_sees_each_candidate_once_on_this_thread_nearest_first(ik, q):
    seen, threads = [], set()

    def refuse(_, solution):
        seen.append(solution)
        threads.add(threading.get_ident())
        return False

    result = ik.search_position_ik(ik.chain.forward(q), q, 5.0, solution_callback=refuse)
    assert result.error_code is ErrorCode.NO_IK_SOLUTION and len(seen) == result.candidates > 100
    assert threads == {threading.get_ident()}
    assert np.array_equal(seen[0], q)
    apart = np.abs(np.array(seen)[:, None] - np.array(seen)[None]).max(axis=2)
    assert apart[np.triu_indices(len(seen), 1)].min() >= 0.05 - 1e-9
    away = np.abs(np.array(seen[1:10]) - q).sum(axis=1)
    assert (np.diff(away) >= 0.0).all()


@pytest.mark.parametrize("answer", [True, 1, ErrorCode.SUCCESS, np.True_])
def test_only_success_accepts(ik, q, answer):
    assert ik.search_position_ik(ik.chain.forward(q), q, 1.0, None, lambda _, __: answer)


@pytest.mark.parametrize("answer", [False, None, 0, ErrorCode.FAILURE, 2])
def test_anything_else_rejects(ik, q, answer):
    answers = iter([answer, True])
    result = ik.search_position_ik(ik.chain.forward(q), q, 1.0, None, lambda *_: next(answers))
    assert result and result.candidates == 2


def test_a_cost_decides_the_order(ik, q):
    pose = ik.chain.forward(q)
    tried = []

    def cost(_, solution):
        return abs(solution[0] + 1.0)

    def refuse(_, solution):
        tried.append(cost(None, solution))
        return len(tried) == 10

    assert ik.search_position_ik(pose, q + 0.01, 1.0, None, refuse, cost_function=cost)
    assert tried == sorted(tried)


def test_the_cheapest_of_all_candidates_is_returned(ik, q):
    pose, costs = ik.chain.forward(q), []

    def cost(_, solution):
        costs.append(abs(solution[2] - 0.5))
        return costs[-1]

    result = ik.search_position_ik(pose, q + 0.01, 2.0, cost_function=cost)
    assert result and len(costs) > 80 and result.candidates == 1
    assert abs(result.solution[2] - 0.5) == min(costs)
    others = ik.get_position_ik_all(pose, None, 500).solutions
    assert min(costs) <= np.abs(others[:, 2] - 0.5).min() + 0.02


def test_costs_that_are_not_numbers_come_last(ik, q):
    tried = []

    def accept(_, solution):
        tried.append(solution[0] > 0.0)
        return False

    ik.search_position_ik(
        ik.chain.forward(q), q, 0.2, None, accept,
        cost_function=lambda _, one: np.nan if one[0] > 0.0 else one[0],
    )  # fmt: skip
    # Of the candidates that were gathered first; further ones come in batches of their own.
    gathered = tried[: tried.index(True)]
    assert len(gathered) > 0 and True in tried


class SlowCandidates(Candidates):
    """Finds one configuration in 20 ms, until the deadline."""

    def batches(self):
        while not self.expired():
            time.sleep(0.02)
            yield Batch(self._seed[None], np.zeros(1), np.zeros(1))


def test_gathering_leaves_time_to_test(ik, q):
    def gather():
        query = ik._queries.query(ik.chain.forward(q), q, 1.0)
        batches = SlowCandidates(ik._solver, ik._verifier, query).gathered()
        return next(batches), batches

    start = time.perf_counter()
    gathered, batches = in_time(gather, 0.9)
    assert len(gathered.positions) > 1
    assert time.perf_counter() - start > 0.45
    assert len(next(batches).positions) == 1  # What is found in the rest of the time comes singly.


def test_joint_bounds_hold_also_away_from_the_seed(ik, whole, q):
    pose, seed = ik.chain.forward(q), np.zeros(7)
    bounds = {"panda_joint1": (q[0] - 0.2, q[0] + 0.1), "panda_joint3": (-np.inf, q[2] + 0.05)}
    result = ik.search_position_ik(pose, seed, 2.0, joint_bounds=bounds)
    assert result and q[0] - 0.2 <= result.solution[0] <= q[0] + 0.1
    assert result.solution[2] <= q[2] + 0.05 + 1e-9
    none = ik.search_position_ik(pose, seed, 1.0, joint_bounds={"panda_joint1": (5.0, 6.0)})
    assert none.error_code is ErrorCode.NO_IK_SOLUTION
    # A joint off the chain cannot be brought inside.
    closed = {"panda_finger_joint1": (0.02, 0.04)}
    assert not whole.search_position_ik(pose, np.zeros(9), 1.0, joint_bounds=closed)


def test_several_threads_at_once(ik):
    bent = np.array([0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0])
    poses = ik.chain.forward(bent + np.random.default_rng(0).uniform(-0.5, 0.5, (40, 7)))
    alone = [ik.get_position_ik(pose, np.zeros(7)).solution for pose in poses]
    together = [None] * len(poses)

    def work(first):
        for i in range(first, len(poses), 4):
            together[i] = ik.get_position_ik(poses[i], np.zeros(7)).solution

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(alone, together)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (InvalidTargetError, "seven numbers", lambda ik: ik.get_position_ik("here", [0.0] * 7)),
        (InvalidTargetError, "norm 1", lambda ik: ik.get_position_ik([0.0] * 7, [0.0] * 7)),
        (InvalidArgumentError, "7 joints", lambda ik: ik.get_position_ik(FAR, [0.0] * 6)),
        (InvalidArgumentError, "panda_joint2", lambda ik: ik.get_position_ik(FAR, [0, np.nan, 0, 0, 0, 0, 0])),  # noqa: E501
        (InvalidArgumentError, "timeout", lambda ik: ik.search_position_ik(FAR, None, -1.0)),
        (InvalidArgumentError, "seed_state", lambda ik: ik.search_position_ik(FAR, None, 1.0, [0.1] * 7)),  # noqa: E501
        (InvalidArgumentError, "negative", lambda ik: ik.search_position_ik(FAR, [0.0] * 7, 1.0, [-0.1] * 7)),  # noqa: E501
        (InvalidArgumentError, "num_solutions", lambda ik: ik.get_position_ik_all(FAR, None, 0)),
        (InvalidArgumentError, "joint_bounds of panda_joint1 must be two numbers, .* not 1", lambda ik: ik.search_position_ik(FAR, None, joint_bounds={"panda_joint1": 1})),  # noqa: E501
        (InvalidArgumentError, "joint_bounds of panda_joint1 must be an array of numbers", lambda ik: ik.search_position_ik(FAR, None, joint_bounds={"panda_joint1": "ab"})),  # noqa: E501
        (InvalidArgumentError, "panda_joint1 must be two numbers", lambda ik: ik.search_position_ik(FAR, None, joint_bounds={"panda_joint1": (0.0, np.nan)})),  # noqa: E501
        (UnknownNameError, "panda_joint7", lambda ik: ik.search_position_ik(FAR, None, joint_bounds={"x": (0, 1)})),  # noqa: E501
        (UnknownNameError, "panda_link8", lambda ik: ik.get_position_fk(["nose"], [0.0] * 7)),
    ],
)  # fmt: skip
def test_misuse_raises(ik, error, words, call):
    with pytest.raises(error, match=words):
        call(ik)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("unknown planning group 'leg'", {"group_name": "leg"}),
        ("no one tip", {"group_name": "hand"}),
        ("not in group 'arm'", {"group_name": "arm", "tip_frame": "panda_leftfinger"}),
        ("moves relative to", {"group_name": "arm", "base_frame": "panda_link3"}),
        ("default_timeout", {"group_name": "arm", "default_timeout": 0.0}),
    ],
)
def test_invalid_arguments_of_initialize(words, arguments):
    with pytest.raises(GenerativeIKError, match=words):
        GenerativeIK.initialize(URDF, robot_description_semantic=SRDF, **arguments)


def test_an_invalid_semantic_description():
    with pytest.raises(RobotDescriptionError, match="SRDF"):
        GenerativeIK.initialize(URDF, "arm", robot_description_semantic="<robot><group/></robot>")


def test_several_tips():
    """All tips of a group at once, and the shared joint above them."""
    urdf = Path(__file__).resolve().parents[2] / "examples" / "two_arms.urdf"
    srdf = (
        '<robot name="two_arms"><group name="both"><joint name="waist"/>'
        '<chain base_link="torso" tip_link="left_hand"/>'
        '<chain base_link="torso" tip_link="right_hand"/></group></robot>'
    )
    hands = ["left_hand", "right_hand"]
    ik = GenerativeIK(planning_group(urdf, "both", "", "", srdf), hands)
    assert ik.tip_frames == hands and ik.tip_frame == "left_hand"
    assert {"torso", *hands} <= set(ik.link_names)
    q = np.random.default_rng(0).uniform(ik.chain.lower, ik.chain.upper) * 0.5
    targets = list(ik.chain.forward(q))
    seed = np.zeros(len(ik.joint_names))
    found = ik.search_position_ik(targets, seed, 10.0)
    assert found.error_code == ErrorCode.SUCCESS and found.solution is not None
    reached = ik.get_position_fk(hands, found.solution)
    np.testing.assert_allclose(reached, targets, atol=2e-5)
    many = ik.get_position_ik_all(targets, seed, 10, 10.0)
    assert len(many.solutions) == 10
    with pytest.raises(InvalidTargetError, match="1 poses for 2 tips"):
        ik.get_position_ik(targets[:1], seed)


def test_a_seed_a_little_beyond_a_limit_is_searched_from_there(ik):
    chain = ik.chain
    seed = (chain.lower + chain.upper) / 2.0
    seed[0] = chain.upper[0]
    pose = chain.forward(seed)
    seed[0] += 0.002
    assert ik.get_position_ik(pose, seed).error_code == ErrorCode.SUCCESS
    near = ik.search_position_ik(pose, seed, 1.0, np.full(7, 1e-3))
    assert near.error_code == ErrorCode.SUCCESS and near.solution[0] <= chain.upper[0]


def test_joint_limits_of_moveit(tmp_path):
    file = tmp_path / "joint_limits.yaml"
    file.write_text(
        """
joint_limits:
  panda_joint1: {has_position_limits: true, min_position: -1, max_position: 1.5}
  panda_joint2: {has_position_limits: false, min_position: -1, max_position: 1.5}
  panda_joint3: {has_velocity_limits: true, max_velocity: 2.0}
"""
    )
    assert read_joint_limits(file) == {"panda_joint1": (-1, 1.5)}
    file.write_text("joint_limits: {a: {has_position_limits: true, max_position: 1.5}}")
    with pytest.raises(InvalidArgumentError, match="'a' has position limits, but min_position"):
        read_joint_limits(file)
    file.write_text("[]")
    with pytest.raises(InvalidArgumentError, match="has no joint_limits"):
        read_joint_limits(file)
