"""The cache of solvers: each is built once, without blocking requests for others."""

import threading
from concurrent.futures import ThreadPoolExecutor

import chain_formats
import pytest
from bad_urdfs import GOOD_URDF

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.ros.solvers import LIMITS, RobotSolvers
from generative_ik_ros.samplers import registry
from generative_ik_ros.samplers.uniform import Uniform


class Slow(Uniform):
    """Signals that it is loading, and waits for a signal to continue, as a learned one may."""

    name = "slow"
    begun, go_on, built = threading.Event(), threading.Event(), []

    def __init__(self, chain, device="cpu"):
        super().__init__(chain, device)
        self.begun.set()
        assert self.go_on.wait(30.0)
        self.built.append(self)


@pytest.fixture
def solvers(monkeypatch):
    monkeypatch.setitem(registry._SAMPLERS, "slow", f"{__name__}:Slow")
    return RobotSolvers(GOOD_URDF, "", "", "cpu")


def test_loading_a_sampler_does_not_block_other_requests(solvers):
    """A single lock would delay every request."""
    with ThreadPoolExecutor(4) as pool:
        slow = [pool.submit(solvers.solver, "", "slow", 1e-5, 1e-5) for _ in range(3)]
        assert Slow.begun.wait(30.0)
        try:
            other = pool.submit(solvers.solver, "", "uniform", 1e-5, 1e-5).result(10.0)
            assert other.sampler.name == "uniform" and not any(one.done() for one in slow)
        finally:
            Slow.go_on.set()
        assert len({id(one.result(30.0)) for one in slow}) == 1
    assert len(Slow.built) == 1


@pytest.mark.parametrize("kind", ["sdf", "mjcf"])
def test_a_topic_may_have_other_formats(kind):
    if kind == "mjcf":
        pytest.importorskip("mujoco")
    robot = chain_formats.random_robot(1)
    text = {"sdf": chain_formats.sdf, "mjcf": chain_formats.mjcf}[kind](robot)
    tip = f"l{len(robot)}"
    expected = RobotSolvers(chain_formats.urdf(robot), "l0", tip, "cpu").chain()
    assert sorted(RobotSolvers(text, "l0", tip, "cpu").chain().names) == sorted(expected.names)


def test_the_cache_is_bounded(solvers):
    for number in range(2 * LIMITS.kept):
        solvers.solver("", "uniform", 1e-5 * (1 + number), 1e-5)
    assert len(solvers._cache) <= LIMITS.kept
    for _ in range(3):
        with pytest.raises(GenerativeIKError):
            solvers.solver("", "no such sampler", 1e-5, 1e-5)
    assert len(solvers._cache) <= LIMITS.kept
