"""Valid requests: every field of the reply is correct and in time."""

import math
import threading
import time

import numpy as np
import pytest
from ik_client import Response, request
from robots import pose_gap

from generative_ik_ros.select.preferences import limit_margin, manipulability

LIMIT = 1e-5


@pytest.fixture
def targets(panda):
    """Ten poses with many solutions of the Panda, (10, 4, 4)."""
    share = np.random.default_rng(7).uniform(0.35, 0.65, (10, 7))
    return panda.forward(panda.lower + share * (panda.upper - panda.lower))


def rows(response, n=7):
    """The solutions of each target."""
    positions = np.asarray(response.positions).reshape(-1, n)
    return np.split(positions, np.cumsum(response.counts)[:-1])


def check(chain, response, targets, limit=LIMIT):
    """Check everything that must hold for a reply with solutions."""
    assert response.joint_names == chain.joint_names
    assert (response.base_link, response.tip_link) == (chain.base_link, chain.tip_link)
    assert len(response.counts) == len(response.statuses) == len(targets)
    start = 0
    for target, q in zip(targets, rows(response), strict=True):
        distance, angle = pose_gap(chain.forward(q), target)
        assert max(distance.max(initial=0.0), angle.max(initial=0.0)) <= limit + 1e-12
        assert (q >= chain.lower - 1e-12).all() and (q <= chain.upper + 1e-12).all()
        stop = start + len(q)
        assert np.allclose(response.position_errors[start:stop], distance, atol=1e-9)
        assert np.allclose(response.orientation_errors[start:stop], angle, atol=1e-7)
        for i in range(len(q)):
            assert (np.abs(q[:i] - q[i]).max(axis=1, initial=0.0) > 0.0).all()
        start = stop
    assert start * 7 == len(response.positions)


def test_hundred_distinct_solutions_of_one_pose(panda, panda_client, targets):
    response = panda_client.call(request(targets[1:2], num_solutions=100, timeout=5.0))
    assert response.status == Response.SOLVED and response.message == ""
    assert list(response.statuses) == [Response.SOLVED] and list(response.counts) == [100]
    check(panda, response, targets[1:2])
    assert response.sampler
    assert 0.0 < response.solve_time <= response.total_time


def test_many_poses_in_one_request(panda, panda_client, targets):
    response = panda_client.call(request(targets, num_solutions=5, timeout=20.0))
    assert response.status == Response.SOLVED
    assert list(response.counts) == [5] * 10
    check(panda, response, targets)
    assert len(response.best_effort) == 70
    assert len(response.best_effort_position_errors) == 10
    assert max(response.best_effort_orientation_errors) <= LIMIT


def test_unreachable_pose_is_an_answer_with_the_closest_configuration(panda, panda_client):
    far = np.eye(4)
    far[:3, 3] = (5.0, 0.0, 0.0)
    start = time.monotonic()
    response = panda_client.call(request(far[None], num_solutions=10, timeout=10.0))
    assert time.monotonic() - start < 5.0
    assert response.status == Response.NO_SOLUTION
    assert list(response.statuses) == [Response.NO_SOLUTION] and list(response.counts) == [0]
    assert "out of reach" in response.message
    assert not len(response.positions)
    distance, angle = pose_gap(panda.forward(np.reshape(response.best_effort, (1, 7))), far)
    assert response.best_effort_position_errors[0] == pytest.approx(distance[0])
    assert response.best_effort_orientation_errors[0] == pytest.approx(angle[0], abs=1e-6)
    assert distance[0] > 3.0


def test_a_far_pose_among_good_ones_is_partial(panda, panda_client, targets):
    mixed = targets[:3].copy()
    mixed[1, :3, 3] = (0.0, 9.0, 0.0)
    response = panda_client.call(request(mixed, num_solutions=4))
    assert response.status == Response.PARTIAL
    assert list(response.statuses) == [Response.SOLVED, Response.NO_SOLUTION, Response.SOLVED]
    assert list(response.counts) == [4, 0, 4]
    assert "8 of 12 solutions" in response.message and "2 of 3 targets" in response.message
    check(panda, response, mixed)


def test_a_short_timeout_is_reported(panda_client, targets):
    many = np.repeat(targets, 100, axis=0)
    # On a busy machine the node may not get to the request in time.
    for timeout in (0.01, 0.02, 0.03, 0.05, 0.1):
        response = panda_client.call(request(many, num_solutions=100, timeout=timeout))
        if response.status != Response.BUSY:
            break
    assert response.status in (Response.TIMED_OUT, Response.PARTIAL)
    assert Response.TIMED_OUT in list(response.statuses)


def test_nearest_to_the_seed_comes_first(panda, panda_client, targets):
    seed = (panda.lower + panda.upper) / 2.0
    message = request(targets[:1], num_solutions=30, seed_state=seed.tolist())
    response = panda_client.call(message)
    check(panda, response, targets[:1])
    distance = np.linalg.norm(rows(response)[0] - seed, axis=1)
    assert len(distance) > 5 and (np.diff(distance) >= -1e-9).all()


@pytest.mark.parametrize("order", ["manipulability", "limit_margin"])
def test_the_best_by_a_score_come_first_and_can_be_optimized(panda, panda_client, targets, order):
    score, best = {"manipulability": manipulability, "limit_margin": limit_margin}[order], []
    for optimize in (False, True):
        message = request(targets[:3], num_solutions=5, order_by=order, optimize=optimize)
        response = panda_client.call(message)
        assert response.status == Response.SOLVED
        check(panda, response, targets[:3])
        values = [score(panda, q) for q in rows(response)]
        np.testing.assert_allclose(response.scores, np.concatenate(values), rtol=1e-9)
        assert all((np.diff(one) <= 1e-12).all() for one in values)
        best.append([one[0] for one in values])
    assert (np.array(best[1]) >= 0.95 * np.array(best[0])).all()
    assert np.sum(best[1]) > np.sum(best[0])


def test_seed_by_joint_names_in_any_order_with_other_joints(panda, panda_client, targets):
    seed = (panda.lower + panda.upper) / 2.0
    plain = request(targets[:1], num_solutions=5, seed_state=seed.tolist(), random_seed=3)
    names = ["panda_finger_joint1", *panda.joint_names[::-1]]
    named = request(
        targets[:1],
        num_solutions=5,
        seed_state=[0.01, *seed[::-1].tolist()],
        seed_joint_names=names,
        random_seed=3,
    )
    assert panda_client.call(plain).positions == panda_client.call(named).positions


def test_consistency_limits_are_kept(panda, panda_client):
    q = panda.lower + 0.4 * (panda.upper - panda.lower)
    seed, reach = q + 0.02, np.full(7, 0.3)
    reach[3] = math.inf
    response = panda_client.call(
        request(
            panda.forward(q)[None],
            num_solutions=3,
            seed_state=seed.tolist(),
            consistency_limits=reach.tolist(),
        )
    )
    assert response.counts[0] >= 1
    assert (np.abs(rows(response)[0] - seed) <= reach + 1e-9).all()


def test_position_only(panda, panda_client, targets):
    response = panda_client.call(
        request(targets[:1], num_solutions=20, orientation_tolerance=math.inf)
    )
    assert response.status == Response.SOLVED
    distance, angle = pose_gap(panda.forward(rows(response)[0]), targets[0])
    assert (distance <= LIMIT).all() and angle.max() > 0.1


def test_same_random_seed_same_answer_negative_another(panda_client, targets):
    def ask(seed):
        return panda_client.call(
            request(targets[:1], num_solutions=10, random_seed=seed, sampler="quasi_random")
        ).positions

    assert ask(11) == ask(11)
    assert ask(-1) != ask(-1)


def test_a_sampler_can_be_requested(panda, panda_client, targets):
    response = panda_client.call(request(targets[1:2], num_solutions=10, sampler="uniform"))
    assert response.status == Response.SOLVED and response.sampler == "uniform"
    check(panda, response, targets[1:2])


def test_another_tip_link(panda, panda_client, panda_urdf):
    flange = type(panda).from_urdf(panda_urdf, "panda_link0", "panda_link7")
    target = flange.forward((flange.lower + flange.upper) / 2.0)[None]
    response = panda_client.call(request(target, num_solutions=10, tip_link="panda_link7"))
    assert response.tip_link == "panda_link7"
    check(flange, response, target)


def test_concurrent_clients_get_their_own_replies(panda, panda_node, client_of):
    """Four clients with different tips, numbers of solutions and poses."""
    faults = []

    def work(number):
        try:
            client = client_of(panda_node)
            rng = np.random.default_rng(number)
            for _ in range(15):
                batch = panda.forward(rng.uniform(panda.lower, panda.upper, (1 + number, 7)))
                response = client.call(request(batch, num_solutions=3 + number))
                assert response.status in (Response.SOLVED, Response.PARTIAL)
                check(panda, response, batch)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults[0]


def test_clients_that_leave_early_do_not_affect_others(panda_node, panda_client, client_of):
    """A reply that cannot be delivered must not affect other clients."""
    far = np.tile(np.eye(4), (200, 1, 1))
    for _ in range(5):
        leaver = client_of(panda_node)
        for _ in range(4):
            leaver.call_async(request(far, num_solutions=20))
        leaver.close()
    mark = panda_node.mark()
    # Those who left have asked for seconds of work, and earlier.
    assert panda_client.call(request(far[:1], num_solutions=1, timeout=30.0)).status > 0
    assert panda_node.alive and "Traceback" not in panda_node.output(mark)


def test_what_nothing_was_learned_of_has_no_likelihood(panda_client, targets):
    asked = request(targets[:1], num_solutions=1, order_by="likelihood")
    response = panda_client.call(asked, timeout=120.0)  # in which torch is imported
    assert response.status == Response.INVALID_REQUEST
    assert "train ikflow --configurations" in response.message
