"""The weights in the package: whole, small, found by what a chain is, and worth their place."""

import os
from pathlib import Path

import numpy as np
import pytest
from flows import remounted_panda
from sampler_contract import request_for

from generative_ik_benchmarks.chains import known_cases, listed_cases
from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.learned.checkpoint import load_checkpoint, package_weights
from generative_ik_ros.learned.ikflow.sampler import IKFlow, IKFlowLarge
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.samplers.registry import make_sampler

SHIPPED = sorted(package_weights().glob("*/*.safetensors"))
FLOWS = [path for path in SHIPPED if path.parent.name == "ikflow"]
MORE_ROBOTS = os.environ.get("GENERATIVE_IK_ROBOTS")
"""A folder of URDF files with a list of chains in SOURCES.md."""


@pytest.fixture(scope="module")
def chains():
    """Chains by fingerprint: those of known robots, and of a folder where one is named."""
    cases = known_cases() + (listed_cases(Path(MORE_ROBOTS)) if MORE_ROBOTS else [])
    return {case.chain.fingerprint: case.chain for case in reversed(cases)}


@pytest.fixture
def chain(request, chains):
    if request.param.stem not in chains and not MORE_ROBOTS:
        pytest.skip("the robot is not here: GENERATIVE_IK_ROBOTS names a folder that has it")
    return chains[request.param.stem]


every_flow = pytest.mark.parametrize("chain", FLOWS, ids=lambda path: path.stem, indirect=True)


@pytest.mark.parametrize(
    ("name", "near"), [("ikflow", 0.1), ("ikflow_large", 0.1), ("ggik", 0.1), ("distal", 0.3)]
)
def test_panda_seeds_are_near_their_target_whatever_mount_and_gripper_it_has(name, near):
    seeds = []
    for chain in (load_robot("panda"), remounted_panda()):
        request = request_for(chain, targets=30, count=32)
        seeds.append(make_sampler(name, chain, "cpu").propose(request))
        reached = chain.forward(seeds[-1])
        gap = np.linalg.norm(reached[..., :3, 3] - request.targets[:, None, :3, 3], axis=-1)
        assert np.median(gap) < near
    off = np.abs(seeds[0] - seeds[1]).max(axis=-1)
    # Rounding may choose another component of a mixture, once in a while.
    assert np.quantile(off, 0.8 if name == "ggik" else 1.0) < 1e-4


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_whole_named_by_its_chain_and_small(path):
    checkpoint = load_checkpoint(path, sampler=path.parent.name.removesuffix("_large"))
    assert checkpoint.fingerprint == path.stem
    panda = path.stem == load_robot("panda").fingerprint
    assert path.stat().st_size <= (16e6 if panda else 8e6)


@pytest.mark.parametrize("path", FLOWS, ids=lambda path: path.stem)
def test_says_how_it_was_trained(path):
    training = load_checkpoint(path, sampler="ikflow").training
    assert training["samples"] > 1_000_000 and training["device"] in ("cpu", "cuda")


@every_flow
def test_seeds_are_worth_more_than_chance(chain):
    request = request_for(chain, targets=12, count=64)
    box = SearchBox.of(chain)
    refiner = LevenbergMarquardt(chain, 1e-5, 1e-5)
    blind = np.random.default_rng(1).uniform(box.lower, box.upper, (12, 64, chain.num_joints))
    good, chance = (
        refiner.refine(box.refine_task(request.targets, seeds))
        for seeds in (IKFlow(chain).propose(request), blind)
    )
    within = [(one.converged & (one.iterations <= 10)).mean() for one in (good, chance)]
    assert within[0] > 0.5 and within[0] > 1.2 * within[1]


def test_the_larger_flow_is_nearer_and_hardly_any_sample_is_clipped():
    panda = load_robot("panda")
    request, errors, clipped = request_for(panda, targets=50, count=100), [], []
    for kind in (IKFlow, IKFlowLarge):
        seeds = kind(panda).propose(request)
        reached = panda.forward(seeds)[..., :3, 3]
        errors.append(np.linalg.norm(reached - request.targets[:, None, :3, 3], axis=-1))
        clipped.append(((seeds == panda.lower) | (seeds == panda.upper)).any(axis=-1).mean())
    assert errors[1].mean() < 1e-2 < 0.4 * errors[0].mean()
    assert clipped[1] < 0.02 < 0.08 < clipped[0]
