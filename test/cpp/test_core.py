"""Builds the native core's C++ tests and runs them; with SANITIZE=1, all with sanitizers."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import reference_files
import reference_groups
import solved_alike
from cpp_builds import CMEEL, PROGRAM, ROOT, build, built, cmake, eigen, found, run, with_urdf
from prismatic_arms import CASES, random_prismatic_arm
from six_joint_arms import FAMILIES, chain_of, family_arm, random_lines

pytestmark = pytest.mark.timeout(1500)

_PROJECT = """\
cmake_minimum_required(VERSION 3.16)
project(my_robot CXX)
find_package(generative_ik 0.1 REQUIRED COMPONENTS urdf)
add_executable(my_robot main.cpp)
target_link_libraries(my_robot PRIVATE generative_ik::urdf)
install(TARGETS my_robot DESTINATION bin)
"""
_PACKAGE = """\
<package format="3">
  <name>my_robot</name><version>0.1.0</version><description>A robot.</description>
  <maintainer email="me@example.com">me</maintainer><license>MIT</license>
  <depend>generative_ik</depend>
  <export><build_type>cmake</build_type></export>
</package>
"""


def _robots() -> list[tuple[str, str, str, str]]:
    """Return names, descriptions, bases and tips of some chains."""
    robots = ROOT / "config" / "robots"
    panda, ur10 = (robots / f"{name}.urdf" for name in ("panda", "ur10"))
    return [
        ("panda", panda.read_text(), "panda_link0", "panda_link8"),
        ("ur10", ur10.read_text(), "base_link", "tool0"),
        ("mixed", reference_files.PRISMATIC_AND_MIMIC, "base", "tip"),
    ]


def _truth(folder: Path) -> dict[str, str]:
    """Write what the C++ tests compare the core with; return where, by environment variables."""
    written = {
        "REFERENCE_DIR": folder / "kinematics",
        "SEARCHES_DIR": folder / "searches",
        "REGIONS_DIR": folder / "searches_within_regions",
        "SHIFTS_FILE": folder / "shifts",
        "URDFS_DIR": folder / "urdfs",
        "CLOSED_FORMS_FILE": folder / "closed_forms",
    }
    for kind, path in written.items():
        if kind.endswith("_DIR"):
            path.mkdir()
    for name, urdf, base, tip in _robots():
        chain = urdf, base, tip
        reference_files.write(*chain, 50, written["REFERENCE_DIR"] / name)
        reference_files.write_searches(*chain, 100, written["SEARCHES_DIR"] / name)
        reference_files.write_searches_within_regions(*chain, written["REGIONS_DIR"] / name)
    reference_files.write_shifts(written["SHIFTS_FILE"])
    reference_files.write_urdfs(written["URDFS_DIR"])
    reference_groups.write(written["URDFS_DIR"] / "groups")
    arms = [
        *(family_arm(name, mirrored, 0) for name in FAMILIES for mirrored in (False, True)),
        *(random_prismatic_arm(case, False, 0) for case in CASES),
        chain_of(*random_lines(np.random.default_rng(0))),
    ]
    reference_files.write_closed_forms(arms, 100, written["CLOSED_FORMS_FILE"])
    return {f"GENERATIVE_IK_{kind}": str(path) for kind, path in written.items()}


def test_cpp_core(tmp_path: Path) -> None:
    output = run(built() / "test" / "generative_ik_core_test", **_truth(tmp_path))
    passed = re.search(r"\[  PASSED  \] (\d+) tests", output)
    assert passed is not None and int(passed[1]) >= 60
    assert "SKIPPED" not in output
    if with_urdf():
        assert "Urdf.ChainsAreThoseOfThePythonPackage" in output
        assert "Srdf.GroupsAndPairsAreThoseOfThePythonPackage" in output


def test_examples_use_the_installed_core(tmp_path: Path, installed: Path) -> None:
    """By find_package, away from the checkout."""
    examples, folder = tmp_path / "examples", tmp_path / "build"
    shutil.copytree(ROOT / "examples" / "cpp", examples)
    prefixes = f"-DCMAKE_PREFIX_PATH={installed};{CMEEL}"
    run(cmake(), "-S", examples, "-B", folder, prefixes, eigen(), *PROGRAM)
    build(folder)
    assert len(run(folder / "1_all_solutions").splitlines()) == 100
    assert "largest step of a joint 0.00" in run(folder / "2_nearest_to_a_seed")
    said = re.search(r"at most (\S+) m from the .* and (\S+) rad", run(folder / "3_track_target"))
    assert said is not None and float(said[1]) < 1e-4 and 0.1 < float(said[2]) <= 1.5
    assert "1000 of 1000 poses" in run(folder / "5_many_poses")
    said = re.search(r"20 .* by (\S+) m.*, (\d+) of 20", run(folder / "6_collision_free"))
    assert said is not None and 0.0 < float(said[1]) < 0.2 and int(said[2]) > 0
    assert "\n10 configurations, at most" in run(folder / "7_two_arms")
    assert run(folder / "8_position_first").count(" rad off") == 4
    assert "101 of 101 poses, steps of at most 0.0" in run(folder / "9_follow_path")
    said = re.search(r"\n20 configurations, z at most (\S+) rad", run(folder / "10_free_axis"))
    assert said is not None and float(said[1]) < 1.1e-5
    if with_urdf() or (folder / "4_from_urdf").exists():
        robots = ROOT / "config" / "robots"
        ur10 = robots / "ur10.urdf", "base_link", "tool0"
        assert "-> tool0, 6 joints" in run(folder / "4_from_urdf", *ur10)
        panda = robots / "panda.urdf", "panda_link0", "panda_link8", robots / "panda.srdf"
        said = run(folder / "4_from_urdf", *panda)
        assert re.search(r"[1-8] configurations of .*, clear of the robot itself", said)


def test_a_workspace_uses_the_installed_core_which_solves_as_python_does(
    tmp_path: Path, installed: Path
) -> None:
    """As docs/cpp.md has it: several tips, and approximations."""
    if not with_urdf():
        pytest.skip("urdfdom not found: pip install cmeel-urdfdom")
    project = tmp_path / "src" / "my_robot"
    project.mkdir(parents=True)
    (project / "CMakeLists.txt").write_text(_PROJECT)
    (project / "package.xml").write_text(_PACKAGE)
    shutil.copy(ROOT / "test" / "cpp" / "solve_poses.cpp", project / "main.cpp")
    options = (
        *(f"-DCMAKE_PREFIX_PATH={installed};{CMEEL}", eigen(), *PROGRAM),
        "-DCMAKE_INSTALL_RPATH_USE_LINK_PATH=ON",  # pip's urdfdom is in no folder of the system
    )
    colcon = shutil.which("colcon")
    run(
        *(found(Path(colcon) if colcon else None, "colcon"), "--log-base", tmp_path / "log"),
        *("build", "--base-paths", tmp_path / "src", "--build-base", tmp_path / "build"),
        *("--install-base", tmp_path / "install", "--cmake-args", *options),
    )
    program = tmp_path / "install" / "my_robot" / "bin" / "my_robot"
    solved_alike.check_two_arms(program)
    solved_alike.check_position_first(program)


def test_threads_of_the_core_have_no_races() -> None:
    target = "generative_ik_threads_test"
    output = run(built("thread", target) / "test" / target)
    assert re.search(r"\[  PASSED  \] (\d+) tests", output) is not None
