"""`generative-ik reach`: maps computed, stored, resumed, exported, drawn, and read again."""

import csv
import json

import numpy as np
import pytest

from generative_ik_ros.reach.reachability_map import ReachabilityMap

SMALL = ("--robot", "panda", "--resolution", 0.2, "--orientations", 24)
BOX = ("--region", 0, 0, 0, 0.4, 0.4, 0.4)
"""Eight voxels."""
FAR = ("--region", 0, 0, 1.3, 0.2, 0.2, 1.3)


def test_a_map_is_stored_exported_drawn_and_read_again(shell, tmp_path):
    stored, table, picture = (tmp_path / name for name in ("map.npz", "map.csv", "map.png"))
    reply = shell(
        "reach", *SMALL, *BOX, "--measures", "num_solutions,manipulability", "--num-solutions", 4,
        "--save", stored, "--export", table, "--plot", picture, "--directions",
    )  # fmt: skip
    assert reply.code == 0, reply.err
    made = ReachabilityMap.load(stored)
    assert made.reachable.shape == (8, 8, 3) and made.num_solutions.max() == 4
    best = int(np.argmax(made.index))
    place = ", ".join(f"{x:.3f}" for x in made.positions[best])
    for line in (
        "panda_hand_tcp in panda_link0", "8 voxels of 0.2 m", "8 directions, 3 turns about each",
        f"{100 * made.index.mean():.2f} %", "poses a second",
        f"({place}) m, reachability index {made.index[best]:.3f}",
    ):  # fmt: skip
        assert line in reply.out
    assert [f"wrote {file}" in reply.err for file in (stored, table, picture)] == [True] * 3
    assert picture.read_bytes()[1:4] == b"PNG"
    with table.open() as file:
        rows = list(csv.DictReader(file))
    np.testing.assert_allclose([float(row["index"]) for row in rows], made.index, atol=1e-5)
    assert max(float(row["manipulability"]) for row in rows) == pytest.approx(
        made.manipulability.max(), rel=1e-5
    )
    # Without a robot: nothing of it is needed.
    again = shell("reach", "--from", stored, "--export", tmp_path / "map.ply", "--json")
    assert again.code == 0
    summary = json.loads(again.out)
    assert summary["poses"] == 192 and summary["reached"] == made.reachable.sum()
    assert summary["best_index"] == made.index.max() and summary["seconds"] is None
    assert (tmp_path / "map.ply").read_bytes().startswith(b"ply\nformat binary_little_endian")


def test_an_interrupted_computation_goes_on_in_its_folder(shell, tmp_path, monkeypatch):
    pytest.importorskip("zarr", reason="zarr is not installed: pip install '.[reach]'")
    # A chunk of four voxels each.
    words = ("reach", *SMALL, *BOX, "--measures", "num_solutions", "--num-solutions", 1000)
    folder = tmp_path / "map"
    compute = ReachabilityMap.compute

    def interrupted(*args, on_progress, **kwargs):
        def tell(done, total):
            on_progress(done, total)
            if done == 1:
                raise KeyboardInterrupt

        return compute(*args, on_progress=tell, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(ReachabilityMap, "compute", interrupted)
        reply = shell(*words, "--save", folder)
        assert reply.code == 130
        assert f"stopped after 1 of 2 chunks; '{folder}' keeps them: the same com" in reply.err
        lost = shell(*words)
        assert lost.code == 130 and "they are lost: with --save FOLDER" in lost.err
    resumed = shell(*words, "--save", folder, "--json")
    assert resumed.code == 0 and json.loads(resumed.out)["poses"] == 192
    whole = shell(*words, "--save", tmp_path / "map.npz", "--json")
    assert whole.code == 0
    one, other = (ReachabilityMap.load(tmp_path / name) for name in ("map", "map.npz"))
    np.testing.assert_array_equal(one.num_solutions, other.num_solutions)
    assert json.loads(resumed.out)["computed"] == 0.5 and json.loads(whole.out)["computed"] == 1.0
    assert "for the 0 % that were left, 0 poses a second" in shell(*words, "--save", folder).out


def test_collisions_leave_less(shell, tmp_path):
    words = ("reach", *SMALL, *BOX, "--json")
    free = shell(*words, "--avoid-collisions", "--measures", "clearance", "--num-solutions", 2)
    every = shell(*words)
    assert free.code == every.code == 0
    assert 0 < json.loads(free.out)["reached"] < json.loads(every.out)["reached"]


def test_nothing_reached_is_exit_code_one(shell, tmp_path):
    reply = shell("reach", *SMALL, *FAR)
    assert reply.code == 1 and "0.00 %" in reply.out
    assert shell("reach", *SMALL, *FAR, "--plot", tmp_path / "none.png").code == 2


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "give one of --robot NAME and --urdf FILE"),
        (("--from", "absent.npz"), "absent.npz"),
        ((*SMALL, "--region", "0", "1"), "--region takes 6 numbers"),
        ((*SMALL, "--cone", "0", "0", "1"), "--cone takes 4 numbers"),
        ((*SMALL, "--measures", "beauty"), "unknown measure 'beauty'; choose from: num_sol"),
        ((*SMALL, "--measures", "clearance"), "needs"),
        ((*SMALL, "--share", "2"), "share must be above 0"),
        ((*SMALL, "--resolution", "-1"), "resolution must be"),
        ((*SMALL, "--resolution", "1e-300"), "choose a coarser resolution"),
        ((*SMALL, "--export", "map.obj"), "its ending must be one of .ply, .csv"),
        ((*SMALL, "--plot", "map.txt"), "its ending must be one of"),
        ((*SMALL, "--save", "absent/map.npz"), "cannot write 'absent/map.npz'"),
        ((*SMALL, "--directions"), "--directions is for --plot"),
        ((*SMALL, "--padding", "0.1"), "--padding is a distance from --scene"),
        (("--from", "a", "--share", "0.5"), "--share is for a computation, which --from replaces"),
        (("--from", "a", "--measures", "clearance"), "--measures is for a computation"),
        (("--from", "a", "--avoid-collisions"), "--from is a map as it is"),
        (("--from", "a", "--save", "a"), "--from and --save name the same map"),
    ],
)
def test_misuse_is_one_line(refused, words, text):
    refused("reach", *words, says=text)


def test_a_map_of_another_robot_is_not_drawn(shell, refused, tmp_path):
    file = tmp_path / "map.npz"
    assert shell("reach", *SMALL, *BOX, "--save", file).code == 0
    words = ("reach", "--from", file, "--robot", "ur10", "--plot", tmp_path / "a.png")
    refused(*words, says="is of another chain: its fingerprint")
    assert not (tmp_path / "a.png").exists()
