"""Targets in, solutions out without leaving the device; here the device is the CPU."""

import numpy as np
import pytest
from robots import pose_gap, random_chain, random_positions

from generative_ik_ros import IKSolver
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError, UnknownNameError

torch = pytest.importorskip("torch", reason="PyTorch not installed")

from generative_ik_benchmarks.device.batch import MAX_DISTINCT, DeviceBatch
from generative_ik_benchmarks.device.distinct import first_distinct

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def batch(panda):
    return DeviceBatch(panda, "cpu")


def apart(q, circular):
    """Largest joint difference of each pair of (N, n) configurations, the short way round."""
    gap = np.abs(q[:, None] - q[None])
    gap = np.where(circular, np.abs(gap - 2 * np.pi * np.round(gap / (2 * np.pi))), gap)
    return gap.max(axis=-1)


def test_first_solutions_are_true_and_inside_limits(batch, panda, rng):
    targets = panda.forward(random_positions(panda, rng, 25))
    solutions = batch.solve(torch.tensor(targets))
    positions, counts = solutions.to_host()
    assert positions.shape == (25, 1, 7) and (counts == 1).all()
    distance, angle = pose_gap(panda.forward(positions[:, 0]), targets)
    assert distance.max() <= 1e-5 and angle.max() <= 1e-5
    np.testing.assert_allclose(solutions.position_error[:, 0], distance, atol=1e-12)
    assert (positions >= panda.lower).all() and (positions <= panda.upper).all()


def test_many_solutions_of_each_target(batch, panda, rng):
    targets = panda.forward(random_positions(panda, rng, 2))
    positions, counts = batch.solve(torch.tensor(targets), 30).to_host()
    for target, found, count in zip(targets, positions, counts, strict=True):
        assert count > 15 and np.isnan(found[count:]).all()
        distance, angle = pose_gap(panda.forward(found[:count]), target)
        assert distance.max() <= 1e-5 and angle.max() <= 1e-5
        gaps = apart(found[:count], False)
        assert (gaps[~np.eye(count, dtype=bool)] >= 0.05).all()


def test_all_shapes_of_an_arm_without_joints_to_spare(ur10, rng):
    """As many as the pipeline finds, whose further turns of joints are no shapes of their own."""
    target = ur10.forward(random_positions(ur10, rng))
    _, counts = DeviceBatch(ur10, "cpu").solve(torch.tensor(target)[None], 16).to_host()
    turned = IKSolver(ur10).solve(target, 16).of() % (2 * np.pi)
    shapes = (apart(turned, True) < 0.05).argmax(axis=1)
    assert counts[0] == len(set(shapes.tolist()))


def test_out_of_reach_is_no_solution(batch, panda, rng):
    targets = panda.forward(random_positions(panda, rng, 3))
    targets[1, :3, 3] += 5.0
    solutions = batch.solve(torch.tensor(targets))
    assert solutions.counts.tolist() == [1, 0, 1]
    assert torch.isnan(solutions.positions[1]).all() and torch.isnan(solutions.position_error[1])


def test_odd_chains(rng):
    for joints in (2, 5, 9):
        _, chain = random_chain(np.random.default_rng(joints), joints)
        targets = chain.forward(random_positions(chain, rng, 6))
        positions, counts = DeviceBatch(chain, "cpu").solve(torch.tensor(targets)).to_host()
        assert (counts == 1).all()
        gap = pose_gap(chain.forward(positions[:, 0]), targets)
        assert gap[0].max() <= 1e-5 and gap[1].max() <= 1e-5
        bounded = ~chain.continuous
        assert (positions[:, 0] >= chain.lower).all() and (positions[:, 0] <= chain.upper).all()
        assert (np.abs(positions[:, 0][:, ~bounded]) <= np.pi + 1e-12).all()


def test_the_same_call_gives_the_same(panda, rng):
    target = torch.tensor(panda.forward(random_positions(panda, rng)))[None]
    first, again, other = (
        DeviceBatch(panda, "cpu", random_seed=seed).solve(target, 5).positions
        for seed in (3, 3, 4)
    )
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_no_targets(batch):
    positions, counts = batch.solve(torch.empty(0, 4, 4)).to_host()
    assert positions.shape == (0, 1, 7) and counts.shape == (0,)


def test_misuse(batch, panda):
    with pytest.raises(InvalidTargetError, match="shape"):
        batch.solve(torch.eye(4))
    with pytest.raises(InvalidArgumentError, match=str(MAX_DISTINCT)):
        batch.solve(torch.eye(4)[None], 0)
    with pytest.raises(UnknownNameError, match="quasi_random, ikflow"):
        DeviceBatch(panda, "cpu", sampler="ggik")


def test_distinct_as_if_one_by_one(rng, monkeypatch):
    circular = (True, False, True)
    positions = rng.uniform(-0.4, 0.4, (2, 150, 3))
    positions[:, ::3] += 2 * np.pi
    valid = rng.random((2, 150)) < 0.8
    valid[:, :2] = True
    positions[:, 1] = positions[:, 0] + 1.0
    positions[~valid] = np.nan
    expected = np.zeros_like(valid)
    for t in range(2):
        for i in range(150):
            kept = positions[t, expected[t]]
            gap = np.abs(kept - positions[t, i])
            gap = np.where(circular, np.abs(gap - 2 * np.pi * np.round(gap / 2 / np.pi)), gap)
            expected[t, i] = valid[t, i] and not (gap.max(axis=-1, initial=0) < 0.1).any()
    for tile in (1 << 24, 150 * 2 * 11):
        monkeypatch.setattr("generative_ik_benchmarks.device.distinct._TILE", tile)
        kept = first_distinct(torch.tensor(positions), torch.tensor(valid), circular, 0.1, 2)
        np.testing.assert_array_equal(kept, expected)
    assert 10 < expected.sum() < valid.sum()


@needs_cuda
def test_cuda_gives_true_solutions(panda, rng):
    targets = panda.forward(random_positions(panda, rng, 200))
    gpu = DeviceBatch(panda, "cuda")
    for wanted in (1, 1, 20):
        positions, counts = gpu.solve(torch.tensor(targets), wanted).to_host()
        assert (counts >= 1).all()
        for target, found, count in zip(targets, positions, counts, strict=True):
            distance, angle = pose_gap(panda.forward(found[:count]), target)
            assert distance.max() <= 1e-5 and angle.max() <= 1e-5
