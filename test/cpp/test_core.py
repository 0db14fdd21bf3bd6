"""Builds the native core's C++ tests and runs them; with SANITIZE=1, all with sanitizers."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import reference_files
import reference_groups
import solved_alike
from prismatic_arms import CASES, random_prismatic_arm
from six_joint_arms import FAMILIES, chain_of, family_arm, random_lines

from generative_ik_ros import load_robot

_ROOT = Path(__file__).parents[2]
sys.path.append(str(_ROOT / "bindings"))

from build_backend import config_folder

_GTEST = "src/gtest-all.cc"
_GTEST_SOURCES = (
    Path(sys.prefix, "src/gtest_vendor"),
    Path("/usr/src/googletest/googletest"),
    Path("/usr/src/gtest"),
)
_CMEEL = Path(sysconfig.get_path("purelib"), "cmeel.prefix")
"""Where pip's urdfdom is; the system's is found without."""
_SANITIZERS = (
    "address,bool,bounds,builtin,enum,integer-divide-by-zero,nonnull-attribute,return,"
    "returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound"
)
"""Of `undefined`, what neither `address` finds nor the processor: null pointers, objects that are
too small, misaligned vectors would take half of the compiler's time."""
_WITH = _SANITIZERS if os.environ.get("SANITIZE") else ""
_PROGRAM = (
    *("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG"),
    f"-DCMAKE_CXX_FLAGS=-Wall -Werror{_WITH and f' -fsanitize={_WITH}'}",
)
"""How programs that use the core are compiled: as the core is, for Eigen allocates otherwise with
sanitizers."""
_PROJECT = """\
cmake_minimum_required(VERSION 3.16)
project(my_robot CXX)
find_package(generative_ik 0.1 REQUIRED COMPONENTS urdf)
add_executable(my_robot main.cpp)
target_link_libraries(my_robot PRIVATE generative_ik::urdf)
install(TARGETS my_robot DESTINATION bin)
"""
_MAIN = """\
#include <generative_ik/solver.hpp>
#include <generative_ik/urdf.hpp>
#include <fstream>
#include <iostream>
int main(int, char** argv) {
  std::ifstream file(argv[1]);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const generative_ik::IKSolver solver(generative_ik::readUrdf(text, argv[2], argv[3]).chain);
  generative_ik::IKRequest request;
  request.target_in_base = solver.chain().tipInBase(generative_ik::Vector::Constant(7, -0.8));
  request.num_solutions = 100;
  for (const auto& solution : solver.solve(request).solutions)
    std::cout << solution.q.transpose() << "\\n";
}
"""
_PACKAGE = """\
<package format="3">
  <name>my_robot</name><version>0.1.0</version><description>A robot.</description>
  <maintainer email="me@example.com">me</maintainer><license>MIT</license>
  <depend>generative_ik</depend>
  <export><build_type>cmake</build_type></export>
</package>
"""
_INSTALL = (
    f"{sys.executable} -m pip install cmeel-eigen ros-jazzy-gtest-vendor"
    if sys.prefix != sys.base_prefix
    else "sudo apt install libeigen3-dev libgtest-dev"
)


def _found(folder: Path | None, what: str) -> Path:
    """Return a folder; without it, the test is skipped."""
    return folder or pytest.skip(f"{what} not found: {_INSTALL}")


def _run(*command: str | Path, **environment: str) -> str:
    """Return the output of a command, which must succeed."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=1400, env=os.environ | environment
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def _robots() -> list[tuple[str, str, str, str]]:
    """Return names, descriptions, bases and tips of some chains."""
    robots = _ROOT / "config" / "robots"
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
        "LOCKED_JOINTS_FILE": folder / "locked_joints",
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
    # The first or the last joint of these is locked.
    arms = [load_robot(name) for name in ("panda", "iiwa")]
    reference_files.write_closed_forms(arms, 20, written["LOCKED_JOINTS_FILE"])
    return {f"GENERATIVE_IK_{kind}": str(path) for kind, path in written.items()}


def _cmake() -> str:
    cmake, compiler = shutil.which("cmake"), shutil.which("c++")
    if cmake is None or compiler is None:
        pytest.skip("CMake or C++ compiler not found: sudo apt install cmake g++")
    return cmake


def _eigen() -> str:
    return f"-DEigen3_DIR={_found(config_folder('eigen3', 'Eigen3Config.cmake'), 'Eigen')}"


def _core(sanitizers: str) -> tuple[Path, Path, Path, list[str]]:
    """Return sources, where they are built, where the core is then, and options for that.

    Without sanitizers, what was compiled for the native module is not compiled again.
    """
    core, build = _ROOT / "core", _ROOT / "build"
    native = build / "native" / sysconfig.get_config_var("EXT_SUFFIX").strip(".")[: -len(".so")]
    if not sanitizers and (native / "CMakeCache.txt").exists():
        return _ROOT / "bindings", native, native / "core", ["-DGENERATIVE_IK_TESTS=ON"]
    options = ["-DBUILD_TESTING=ON", "-DGENERATIVE_IK_STRICT=ON", "-DCMAKE_BUILD_TYPE=Release"]
    options.append(_eigen())
    if sanitizers:
        options += [f"-DGENERATIVE_IK_SANITIZE={sanitizers}", "-DCMAKE_CXX_FLAGS_RELEASE=-O1"]
    folder = build / f"core_{sanitizers.split(',')[0] or 'alone'}"
    return core, folder, folder, options


def _built(sanitizers: str = _WITH, target: str = "generative_ik_core_test") -> Path:
    """Return the folder in which the core was built with some sanitizers, and its tests."""
    cmake = _cmake()
    sources = (folder for folder in _GTEST_SOURCES if (folder / _GTEST).exists())
    gtest = _found(next(sources, None), "GoogleTest")
    source, build, core, options = _core(sanitizers)
    _run(
        *(cmake, "-S", source, "-B", build, *options),
        *(f"-DGTEST_SOURCE={gtest}", f"-DCMAKE_PREFIX_PATH={_CMEEL}"),
    )
    processes = str(os.cpu_count() or 1)
    _run(cmake, "--build", build, "--target", target, "--parallel", processes)
    return core


@pytest.mark.timeout(1500)
def test_cpp_core(tmp_path: Path) -> None:
    output = _run(_built() / "test" / "generative_ik_core_test", **_truth(tmp_path))
    passed = re.search(r"\[  PASSED  \] (\d+) tests", output)
    assert passed is not None and int(passed[1]) >= 60
    assert "SKIPPED" not in output
    if any(_CMEEL.glob("lib/urdfdom_headers")):
        assert "Urdf.ChainsAreThoseOfThePythonPackage" in output
        assert "Srdf.GroupsAndPairsAreThoseOfThePythonPackage" in output


@pytest.mark.timeout(1500)
def test_examples_use_the_installed_core(tmp_path: Path) -> None:
    """By find_package, away from the checkout."""
    installed, examples, build = (tmp_path / name for name in ("installed", "examples", "build"))
    cmake = _cmake()
    _run(cmake, "--install", _built(), "--prefix", installed)
    shutil.copytree(_ROOT / "examples" / "cpp", examples)
    _run(
        *(cmake, "-S", examples, "-B", build, f"-DCMAKE_PREFIX_PATH={installed};{_CMEEL}"),
        *(_eigen(), *_PROGRAM),
    )
    _run(cmake, "--build", build, "--parallel", str(os.cpu_count() or 1))
    assert len(_run(build / "1_all_solutions").splitlines()) == 100
    assert "largest step of a joint 0.00" in _run(build / "2_nearest_to_a_seed")
    said = re.search(r"at most (\S+) m from the .* and (\S+) rad", _run(build / "3_track_target"))
    assert said is not None and float(said[1]) < 1e-4 and 0.1 < float(said[2]) <= 1.5
    assert "1000 of 1000 poses" in _run(build / "5_many_poses")
    said = re.search(r"20 of (\d+) .* by (\S+) m", _run(build / "6_collision_free"))
    assert said is not None and int(said[1]) > 20 and 0.0 < float(said[2]) < 0.2
    assert "\n10 configurations, at most" in _run(build / "7_two_arms")
    assert _run(build / "8_position_first").count(" rad off") == 4
    assert "101 of 101 poses, steps of at most 0.0" in _run(build / "9_follow_path")
    said = re.search(r"\n20 configurations, z at most (\S+) rad", _run(build / "10_free_axis"))
    assert said is not None and float(said[1]) < 1.1e-5
    if any(_CMEEL.glob("lib/urdfdom_headers")) or (build / "4_from_urdf").exists():
        robots = _ROOT / "config" / "robots"
        ur10 = robots / "ur10.urdf", "base_link", "tool0"
        assert "-> tool0, 6 joints" in _run(build / "4_from_urdf", *ur10)
        panda = robots / "panda.urdf", "panda_link0", "panda_link8", robots / "panda.srdf"
        said = _run(build / "4_from_urdf", *panda)
        assert re.search(r"[1-8] configurations of .*, clear of the robot itself", said)


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("colcon", [False, True])
def test_a_project_of_its_own_uses_the_installed_core(tmp_path: Path, colcon: bool) -> None:
    """As docs/cpp.md has it: from the installed library alone, also in a workspace."""
    cmake = _cmake()
    if not any(_CMEEL.glob("lib/urdfdom_headers")):
        pytest.skip("urdfdom not found: pip install cmeel-urdfdom")
    installed, project = tmp_path / "installed", tmp_path / "src" / "my_robot"
    _run(cmake, "--install", _built(), "--prefix", installed)
    project.mkdir(parents=True)
    for name, text in (
        ("CMakeLists.txt", _PROJECT),
        ("main.cpp", _MAIN),
        ("package.xml", _PACKAGE),
    ):
        (project / name).write_text(text)
    options = (
        f"-DCMAKE_PREFIX_PATH={installed};{_CMEEL}",
        *(_eigen(), *_PROGRAM),
        "-DCMAKE_INSTALL_RPATH_USE_LINK_PATH=ON",  # pip's urdfdom is in no folder of the system
    )
    program = tmp_path / "install" / "my_robot" / "bin" / "my_robot"
    if colcon:
        tool = _found(Path(found) if (found := shutil.which("colcon")) else None, "colcon")
        _run(
            *(tool, "--log-base", tmp_path / "log", "build", "--base-paths", tmp_path / "src"),
            *("--build-base", tmp_path / "build", "--install-base", tmp_path / "install"),
            *("--cmake-args", *options),
        )
    else:
        _run(cmake, "-S", project, "-B", tmp_path / "build", *options)
        _run(cmake, "--build", tmp_path / "build")
        program = tmp_path / "build" / "my_robot"
    robot = _ROOT / "config" / "robots" / "panda.urdf"
    rows = _run(program, robot, "panda_link0", "panda_link8").splitlines()
    assert len(rows) == 100 and all(len(row.split()) == 7 for row in rows)
    assert len(set(rows)) == 100


@pytest.mark.timeout(1500)
def test_several_tips_and_approximations_are_those_of_python(tmp_path: Path) -> None:
    cmake = _cmake()
    if not any(_CMEEL.glob("lib/urdfdom_headers")):
        pytest.skip("urdfdom not found: pip install cmeel-urdfdom")
    _run(cmake, "--install", _built(), "--prefix", tmp_path / "installed")
    project = _PROJECT.replace("main.cpp", str(_ROOT / "test" / "cpp" / "solve_poses.cpp"))
    (tmp_path / "CMakeLists.txt").write_text(project)
    _run(
        *(cmake, "-S", tmp_path, "-B", tmp_path / "build", _eigen()),
        *(f"-DCMAKE_PREFIX_PATH={tmp_path / 'installed'};{_CMEEL}", *_PROGRAM),
    )
    _run(cmake, "--build", tmp_path / "build")
    solved_alike.check_two_arms(tmp_path / "build" / "my_robot")
    solved_alike.check_position_first(tmp_path / "build" / "my_robot")


@pytest.mark.timeout(1500)
def test_threads_of_the_core_have_no_races() -> None:
    target = "generative_ik_threads_test"
    output = _run(_built("thread", target) / "test" / target)
    assert re.search(r"\[  PASSED  \] (\d+) tests", output) is not None
