"""The protocol of reachability maps runs on tiny settings, and sees maps that are wrong."""

from dataclasses import replace

import numpy as np
import pytest

from generative_ik_benchmarks.chains import known_cases
from generative_ik_benchmarks.protocols.reach_agreement import agreement_of
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.robot.random_poses import random_reachable_poses

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")


def test_a_small_map_is_measured(evaluate):
    words = ["--robot", "panda", "--quick", "--poses", "5", "--samples", "2000"]
    code, report, _ = evaluate("reach", *words)
    (table,) = report["tables"]
    assert code == 0
    one = table["maps"][0]
    assert one["resolution"] == 0.4 and one["positions"] * one["orientations"] > 1000
    assert 0.0 < one["reached"] < 1.0 and one["seconds"] > 0.0
    (agreement,) = table["agreements"]
    assert agreement["proved"] == agreement["outside"] == 0
    # As near as cells that touch are: 1.5 diagonals of a voxel, three cells of orientations.
    assert agreement["distance"] <= 1.5 * np.sqrt(3.0) * 0.4
    assert agreement["angle"] <= 3.0 * agreement["covering"]
    assert table["solvers"][0]["beyond"] == 0.0


def test_a_map_that_misses_what_is_reached_is_seen():
    (case,) = known_cases(["panda"])
    found = ReachabilityMap.compute(case.chain, 0.3, 40)
    tips = random_reachable_poses(case.chain, 2000, 3)
    whole = agreement_of(found, case.chain, tips)
    assert whole.proved == 0 and whole.other < 0.3
    none = replace(found, reachable=np.zeros_like(found.reachable))
    with pytest.raises(InvalidArgumentError, match="that the chain reaches"):
        agreement_of(none, case.chain, tips)
    # A corner of the grid is missing.
    rest = (found.voxels >= 3).any(axis=1)
    fewer = replace(
        found,
        positions=found.positions[rest],
        voxels=found.voxels[rest],
        reachable=found.reachable[rest],
    )
    assert agreement_of(fewer, case.chain, tips).outside > 0
