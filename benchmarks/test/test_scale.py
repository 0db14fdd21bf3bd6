"""The protocol of scale runs on tiny settings, and what it stands on is true."""

import numpy as np
import pytest

from generative_ik_benchmarks.chains import known_cases
from generative_ik_benchmarks.machine import PeakMemory
from generative_ik_benchmarks.protocols.scale import (
    AXES,
    JOINTS,
    SOLUTIONS,
    TARGETS,
    Options,
    sweeps,
)
from generative_ik_benchmarks.stored import read_reports
from generative_ik_benchmarks.synthetic_chains import SHAPES, synthetic_case
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")


@pytest.mark.parametrize("joints", [2, 4, 7, 15])
@pytest.mark.parametrize("shape", SHAPES)
def test_synthetic_arms_are_a_metre_long(shape, joints):
    chain = synthetic_case(shape, joints).chain
    assert chain.num_joints == joints and not chain.prismatic.any()
    assert (chain.upper == 2.8).all() and (chain.lower == -2.8).all()
    stretched = {"spatial": (0.0, 0.0, 1.0), "planar": (1.0, 0.0, 0.0)}[shape]
    np.testing.assert_allclose(chain.forward(np.zeros(joints))[:3, 3], stretched, atol=1e-12)
    tips = chain.forward(np.random.default_rng(0).uniform(-2.8, 2.8, (200, joints)))
    assert np.linalg.norm(tips[:, :3, 3], axis=1).max() <= 1.0 + 1e-12
    spread = np.ptp(tips[:, :3, 3], axis=0)
    assert spread[:2].min() > 0.5 and (spread[2] < 1e-12) == (shape == "planar")


def test_synthetic_arms_that_make_no_sense():
    with pytest.raises(UnknownNameError, match="spatial, planar"):
        synthetic_case("round", 6)
    with pytest.raises(InvalidArgumentError, match="2 to 64"):
        synthetic_case("planar", 1)


def test_peak_memory_sees_what_is_gone_again():
    memory = PeakMemory()
    memory.start()
    block = np.ones(8_000_000)
    del block
    peak = memory.stop()
    if np.isnan(peak):
        pytest.skip("the kernel does not let a process forget its peak")
    assert 60e6 < peak < 90e6
    memory.start()
    assert memory.stop() < 20e6


def test_the_plan_has_every_axis():
    cases = known_cases(["ur10", "planar_3r"])
    plan = sweeps(cases, Options())
    assert {sweep.axis for sweep in plan} == set(AXES)
    made = next(sweep for sweep in plan if sweep.name == "spatial arms, one solution")
    assert [call.case.chain.num_joints for call in made.calls] == list(range(4, 16))
    robots = next(sweep for sweep in plan if sweep.name.startswith("robots"))
    assert [call.case.robot for call in robots.calls] == ["planar_3r", "ur10"]
    grown = {sweep.axis: sweep.calls for sweep in plan}
    assert [call.wanted for call in grown[SOLUTIONS]] == [10**k for k in range(6)]
    assert [call.targets for call in grown[TARGETS]] == [10**k for k in range(5)]
    assert {one.axis for one in sweeps(cases, Options(axes=("cores",)))} == {"cores"}


def test_scale_command(tmp_path, evaluate):
    plots = tmp_path / "plots"
    words = ["--joints", "6", "--joints", "7", "--solutions", "1", "--solutions", "30"]
    words += ["--targets", "2", "--targets", "4", "--robot", "panda", "--plot-dir", plots]
    code, report, out = evaluate("scale", "--quick", *words)
    assert code == 0 and report["protocol"] == "scale" and report["false_results"] == 0
    assert {table["axis"] for table in report["tables"]} == set(AXES)
    for table in report["tables"]:
        for point in table["points"]:
            assert 0.8 < point["found"] <= point["wanted"]
            assert point["seconds"]["median"] > 0 and point["rounds"] >= 3
            values = point["targets"] * point["wanted"] * (point["dof"] + 2)
            assert point["result"] == 8 * values
    joints = [table for table in report["tables"] if table["axis"] == JOINTS]
    assert [point["dof"] for point in joints[0]["points"]] == [6, 7]
    assert sorted(path.name for path in plots.iterdir()) == sorted(f"scale-{a}.png" for a in AXES)
    assert "What grows: cores" in out and "checked by pinocchio: nothing false" in out
    (stored,) = read_reports([tmp_path / "scale.json"])
    assert stored.tables[0].points[0].size(JOINTS) == 6 and stored.tables[0].violations.total == 0
    assert (plots / "scale-targets.png").stat().st_size > 5000 and "grows: solutions" in out
