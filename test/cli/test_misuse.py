"""Whatever is typed wrongly ends with exit code 2 and one line of its own on stderr."""

import os
import subprocess
import sys

import pytest
from bad_urdfs import BAD_URDFS

POSE = ("--pose", "0.4", "0.1", "0.5", "1", "0", "0", "0")
PANDA = ("solve", "--robot", "panda")


def _pose(*numbers):
    return (*PANDA, "--pose", *numbers)


MISUSES = {
    "no_verb": ((), "Missing command"),
    "unknown_verb": (("frobnicate",), "No such command 'frobnicate'"),
    "unknown_option": (
        (*PANDA, "--colour", "red"),
        "No such option: --colour (see generative-ik solve --help)",
    ),
    "no_robot": (("solve",), "give one of --robot NAME and --urdf FILE"),
    "two_robots": ((*PANDA, "--urdf", "x.urdf"), "give one of --robot NAME and --urdf FILE"),
    "unknown_robot": (("solve", "--robot", "pandora"), "unknown robot 'pandora'; choose from: "),
    "empty_robot": (("solve", "--robot", ""), "unknown robot ''"),
    "no_such_file": (("solve", "--urdf", "absent.urdf"), "absent.urdf"),
    "folder_for_a_file": (("solve", "--urdf", "."), "."),
    "unknown_tip": ((*PANDA, "--tip-link", "thumb"), "unknown link 'thumb'; choose from: "),
    "unknown_base": ((*PANDA, "--base-link", "floor"), "unknown link 'floor'; choose from: "),
    "tip_is_base": ((*PANDA, "--tip-link", "panda_link0"), "panda_link0"),
    "short_pose": (_pose("1", "2", "3"), "--pose takes 7 numbers"),
    "long_pose": (_pose("1", "2", "3", "0", "0", "0", "1", "0"), "--pose takes 7 numbers"),
    "no_pose": (_pose(), "requires an argument. (see generative-ik solve --help)"),
    "words_for_a_pose": (_pose("a", "2", "3", "0", "0", "0", "1"), "--pose takes numbers"),
    "nan_in_pose": (_pose("nan", "2", "3", "0", "0", "0", "1"), "--pose: position has"),
    "infinite_pose": (_pose("-inf", "2", "3", "0", "0", "0", "1"), "NaN or infinite"),
    "nan_in_quaternion": (_pose("1,2,3,0,nan,0,1"), "--pose: quaternion_xyzw has"),
    "zero_quaternion": (_pose("1", "2", "3", "0", "0", "0", "0"), "quaternion_xyzw is zero"),
    "no_solutions_wanted": ((*PANDA, "--num-solutions", "0"), "num_solutions"),
    "negative_count": ((*PANDA, "--num-solutions", "-5"), "num_solutions"),
    "count_is_a_fraction": ((*PANDA, "--num-solutions", "2.5"), "--num-solutions"),
    "absurd_count": ((*PANDA, "--num-solutions", "10000000000"), "num_solutions"),
    "unknown_sampler": (
        (*PANDA, "--sampler", "crystal"),
        "unknown sampler 'crystal'; choose from",
    ),
    "zero_timeout": ((*PANDA, "--timeout", "0"), "timeout"),
    "negative_timeout": ((*PANDA, "--timeout", "-1"), "timeout"),
    "nan_timeout": ((*PANDA, "--timeout", "nan"), "timeout"),
    "timeout_in_words": ((*PANDA, "--timeout", "soon"), "--timeout"),
    "negative_tolerance": ((*PANDA, "--position-tolerance", "-1"), "position_tolerance"),
    "nan_tolerance": ((*PANDA, "--orientation-tolerance", "nan"), "orientation_tolerance"),
    "nothing_to_solve": (
        (*PANDA, "--position-tolerance", "inf", "--orientation-tolerance", "inf"),
        "nothing to solve",
    ),
    "negative_random_seed": ((*PANDA, "--random-seed", "-1"), "must not be negative"),
    "negative_random_seed_with_pose": ((*PANDA, *POSE, "--random-seed", "-1"), "random"),
    "short_seed_state": ((*PANDA, "--seed-state", "0,0"), "seed_state"),
    "seed_state_in_words": ((*PANDA, "--seed-state", "home"), "--seed-state takes numbers"),
    "empty_seed_state": ((*PANDA, "--seed-state", ""), "--seed-state takes numbers"),
    "nan_in_seed_state": ((*PANDA, "--seed-state", "0,0,0,nan,0,1,0"), "seed_state"),
    "limits_without_seed": ((*PANDA, "--consistency-limits", "0.1"), "need a seed_state"),
    "wrong_number_of_limits": (
        (*PANDA, "--seed-state", "0,0,0,-1,0,1,0", "--consistency-limits", "0.1,0.2"),
        "consistency_limits has shape",
    ),
    "negative_limits": (
        (*PANDA, "--seed-state", "0,0,0,-1,0,1,0", "--consistency-limits", "-0.1"),
        "consistency_limits must not be negative",
    ),
    "plot_without_ending": ((*PANDA, "--plot", "picture"), "its ending must be one of"),
    "plot_of_unknown_kind": ((*PANDA, "--plot", "picture.doc"), "its ending must be one of"),
    "plot_into_nowhere": ((*PANDA, "--plot", "no/such/folder/a.png"), "cannot write"),
    "missing_limits_in_words": (
        (*PANDA, "--missing-limits", "guess"),
        "unknown --missing-limits 'guess'; choose from: error, continuous",
    ),
    "unknown_fixed_joint": ((*PANDA, "--fixed", "elbow=1"), "unknown joint 'elbow'"),
    "fixed_beyond_limits": (
        (*PANDA, "--fixed", "panda_joint4=0.5"),
        "joint 'panda_joint4' cannot stand at 0.5, its limits are -3.0718 and -0.0698",
    ),
    "fixed_in_words": ((*PANDA, "--fixed", "panda_joint1"), "--fixed takes NAME=NUMBER"),
    "robots_takes_nothing": (("robots", "panda"), "unexpected extra argument"),
    "plot_of_an_unknown_robot": (("solve", "--robot", "r2d2", "--plot", "a.png"), "unknown robot"),
}


@pytest.mark.parametrize("name", MISUSES)
def test_misuse_is_one_line_and_exit_code_2(name, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words, fragment = MISUSES[name]
    refused(*words, says=fragment)
    assert not list(tmp_path.iterdir())


# Each of them is read in test/robot/test_bad_urdfs.py.
@pytest.mark.parametrize("bad", BAD_URDFS[::8], ids=lambda bad: bad.id)
def test_bad_description(bad, refused, tmp_path):
    file = tmp_path / "robot.urdf"
    text = bad.text if isinstance(bad.text, bytes) else bad.text.encode("utf-8", "surrogatepass")
    file.write_bytes(text)
    words = ["solve", "--urdf", file]
    for option, link in (("--base-link", bad.base_link), ("--tip-link", bad.tip_link)):
        words += [] if link is None else [option, link]
    # Text that is no file name is no XML either once it stands in a file.
    refused(*words, says=bad.message.replace("does not start with '<'", "is not XML"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_unwritable_picture(refused, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    refused(*PANDA, "--plot", folder / "a.png", says="cannot write")


def test_as_a_process():
    words = [sys.executable, "-m", "generative_ik_ros", "solve", "--robot", "pandora"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "unknown robot 'pandora'" in done.stderr
