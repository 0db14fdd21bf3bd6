"""Reference sets: right, complete, saturated where they say so, and kept safely on disk."""

import numpy as np
import pytest
from arms import elbows, in_plane, planar_with_wrist
from robots import Z, arm, planar_two_joints

from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.reference.cache import cached
from generative_ik_benchmarks.reference.exhaustive import exhaustive_sets
from generative_ik_benchmarks.reference.saturation import (
    ExhaustiveSettings,
    last_growth,
    pooled_growth,
    pooled_unseen,
)
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.random_poses import random_reachable_poses

QUICK = ExhaustiveSettings(first_seeds=128, max_seeds=1024)


@pytest.fixture(scope="module")
def two_poses(panda):
    return random_reachable_poses(panda, 2, 1)


# exhaustive


def test_two_solutions_are_all_there_are():
    chain = planar_with_wrist()
    target = in_plane(1.0, 0.5, 0.3)
    wrist = target[:2, 3] - 0.2 * np.array([np.cos(0.3), np.sin(0.3)])
    by_hand = elbows(wrist)
    by_hand = np.column_stack([by_hand, 0.3 - by_hand.sum(axis=1)])
    (reference,) = exhaustive_sets(chain, target, QUICK)
    space = JointSpace.of(chain)
    assert len(reference.thinned) == len(reference.dense) == 2
    assert space.nearest(reference.thinned, by_hand).max() < 1e-4
    assert reference.saturated and reference.growth == 0.0
    assert reference.efforts.tolist() == [128, 256] and reference.counts.tolist() == [2, 2]


def test_a_joint_with_two_turns_counts_each_branch_once():
    chain = arm(
        ("revolute", (0, 0, 0), Z, (-6.2, 6.2)),
        ("revolute", (1, 0, 0), Z, (-3.1, 3.1)),
        tool=(0.5, 0, 0),
    )
    (reference,) = exhaustive_sets(chain, chain.forward([0.5, 0.7]), QUICK)
    np.testing.assert_allclose(reference.thinned, [[0.5, 0.7]], atol=1e-4)


def test_an_unreachable_target_has_an_empty_set_that_is_saturated():
    (reference,) = exhaustive_sets(planar_with_wrist(), in_plane(9, 0, 0), QUICK)
    assert reference.thinned.shape == reference.dense.shape == (0, 3)
    assert reference.saturated and reference.growth == 0.0
    with pytest.raises(InvalidArgumentError, match="no solution"):
        reference.draw(5, 0)


def test_the_panda_saturates(panda, two_poses):
    settings = ExhaustiveSettings(first_seeds=2**12, max_seeds=2**17)
    references = exhaustive_sets(panda, two_poses, settings)
    space = JointSpace.of(panda)
    assert pooled_growth(references) < 0.01 and pooled_unseen(references) < 0.001
    for reference, target in zip(references, two_poses, strict=True):
        assert reference.saturated and reference.growth < 0.01
        assert len(reference.thinned) > 10 and len(reference.dense) > 2 * len(reference.thinned)
        assert (np.diff(reference.efforts) >= reference.efforts[:-1]).all()
        distance, angle = pose_errors(panda.forward, reference.dense, target)
        assert max(distance.max(), angle.max()) < 1.1e-6
        inside = np.clip(reference.dense, panda.lower - 1e-12, panda.upper + 1e-12)
        assert (inside == reference.dense).all()
        thinned = reference.thinned
        gaps = space.distances(thinned[:, None], thinned[None])
        assert gaps[~np.eye(len(thinned), dtype=bool)].min() > 0.3
        assert space.nearest(reference.dense, thinned).max() <= 0.3 + 0.05
        drawn = reference.draw(250, 1)
        assert drawn.shape == (250, 7)
        np.testing.assert_array_equal(drawn, reference.draw(250, 1))


def test_a_set_without_end_is_given_up(panda, two_poses):
    settings = ExhaustiveSettings(first_seeds=2**12, max_thinned=5)
    (reference,) = exhaustive_sets(panda, two_poses[0], settings)
    assert len(reference.thinned) == 5 and reference.counts.tolist() == [5]
    assert not reference.saturated


def test_growth_by_hand():
    assert last_growth([3]) == np.inf == last_growth([0, 2])
    assert last_growth([0, 0]) == 0.0
    assert last_growth([7, 50, 51]) == pytest.approx(0.02)


# cache


def test_sets_are_read_again_as_they_were(tmp_path):
    chain, target = planar_with_wrist(), in_plane(1.0, 0.5, 0.3)
    (first,) = exhaustive_sets(chain, target, QUICK)
    (file,) = tmp_path.rglob("*.npz")
    assert file.parent.name == chain.fingerprint
    written = file.stat().st_mtime_ns
    (again,) = exhaustive_sets(chain, target, QUICK)
    np.testing.assert_array_equal(again.dense, first.dense)
    np.testing.assert_array_equal(again.counts, first.counts)
    assert file.stat().st_mtime_ns == written and len(list(tmp_path.rglob("*.npz"))) == 1
    assert not list(tmp_path.rglob("*.part"))


def _kept(folder, chain, target, compute, settings=None, valid=lambda arrays: True):
    return cached("test", chain, target, settings or {}, compute, valid, folder)


class _Counted:
    """A computation that says how often it was done."""

    def __init__(self):
        self.times = 0

    def __call__(self):
        self.times += 1
        return {"x": np.arange(3.0), "n": np.array(self.times)}


def test_another_chain_target_or_setting_is_another_file(tmp_path):
    compute = _Counted()
    chain, target = planar_two_joints(), in_plane(1, 0, 0)
    for _ in range(2):
        _kept(tmp_path, chain, target, compute)
    assert compute.times == 1
    _kept(tmp_path, chain, in_plane(1, 0, 1e-9), compute)
    _kept(tmp_path, chain, target, compute, {"spacing": 0.3})
    longer = planar_two_joints(second=0.6)
    assert longer.fingerprint == chain.fingerprint  # only the tool differs
    _kept(tmp_path, longer, target, compute)
    assert compute.times == 4


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "text", "pickle", "other"])
def test_a_damaged_file_is_computed_again(damage, tmp_path):
    compute, arguments = _Counted(), (planar_two_joints(), in_plane(1, 0, 0))
    _kept(tmp_path, *arguments, compute)
    (file,) = tmp_path.rglob("*.npz")
    whole = file.read_bytes()
    if damage == "cut":
        file.write_bytes(whole[: len(whole) // 2])
    elif damage == "flip":
        place = whole.index(b"x.npy") + 60
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "text":
        file.write_text("not a file of arrays")
    elif damage == "pickle":
        np.savez(file, digest=np.array("0"), x=np.array([{}], object))
    else:
        np.savez(file, digest=np.array("0"), x=np.arange(3.0))
    assert int(_kept(tmp_path, *arguments, compute)["n"]) == 2
    assert int(_kept(tmp_path, *arguments, compute)["n"]) == 2  # and written again


def test_a_folder_that_cannot_be_written_costs_only_the_time(tmp_path, caplog):
    blocked = tmp_path / "file"
    blocked.write_text("")
    compute = _Counted()
    assert int(_kept(blocked, planar_two_joints(), in_plane(1, 0, 0), compute)["n"]) == 1
    assert "cannot keep" in caplog.text
