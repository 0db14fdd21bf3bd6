"""What pip and colcon install: the robots travel along, and the executables start."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from unprivileged import not_as_root

import generative_ik_ros

CHECKOUT = Path(__file__).resolve().parents[2]
EXECUTABLES = Path(sys.prefix, "lib", "generative_ik_ros")


def run(*command: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and unpack it."""
    if importlib.util.find_spec("setuptools") is None:
        pytest.skip("setuptools is not installed")
    folders, wheels, target = (tmp_path_factory.mktemp(name) for name in ("build", "whl", "site"))
    # Nothing is left in the checkout, and the native module is not compiled once more.
    settings = folders / "settings.cfg"
    settings.write_text(f"[build]\nbuild_base={folders}\n[egg_info]\negg_base={folders}\n")
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels))
    built = run(
        *(sys.executable, "-m", "pip", "wheel", *options, str(CHECKOUT)),
        env=os.environ | {"DIST_EXTRA_CONFIG": str(settings)},
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = wheels.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(target)
    return target


def test_the_wheel_has_the_package_and_nothing_else(unpacked: Path):
    version = generative_ik_ros.__version__
    top = {path.name for path in unpacked.iterdir()}
    assert top == {"generative_ik_ros", f"generative_ik_ros-{version}.dist-info"}
    sources = (CHECKOUT / "generative_ik_ros").rglob("*.py")
    modules = {path.relative_to(CHECKOUT) for path in sources}
    assert modules == {path.relative_to(unpacked) for path in unpacked.rglob("*.py")}
    weights = CHECKOUT / "generative_ik_ros" / "learned" / "weights"
    assert {path.relative_to(CHECKOUT) for path in weights.rglob("*") if path.is_file()} == {
        path.relative_to(unpacked)
        for path in (unpacked / weights.relative_to(CHECKOUT)).rglob("*")
        if path.is_file()
    }
    assert (unpacked / "generative_ik_ros" / "py.typed").is_file()
    (native,) = (unpacked / "generative_ik_ros").glob("*.so")
    assert native.name == f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    assert (unpacked / "generative_ik_ros" / "_core.pyi").is_file()


def test_a_missing_compiler_is_said_in_one_line(tmp_path: Path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("cmake", "make"):
        (tools / tool).symlink_to(shutil.which(tool) or pytest.skip(f"{tool} is not installed"))
    environment = {name: text for name, text in os.environ.items() if name != "CXX"}
    command = (sys.executable, "setup.py", "--quiet", "build_ext", "--build-lib", str(tmp_path))
    done = run(*command, cwd=CHECKOUT, env=environment | {"PATH": str(tools)})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("building generative_ik_ros needs a C++ compiler: sudo apt ")
    assert done.stderr.count("\n") == 1


@pytest.fixture(scope="module")
def alone(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment variables of an installation of the wheel, without the benchmarks."""
    others = tmp_path_factory.mktemp("others")
    for path in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if "generative_ik" not in path.name:
            (others / path.name).symlink_to(path)
    # Files that extend sys.path, as those of editable installations, count in site-packages only.
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (unpacked, others)))}


@pytest.mark.parametrize("verb", ["evaluate", "reproduce"])
def test_the_wheel_alone_says_how_to_get_the_benchmarks(
    alone: dict[str, str], unpacked: Path, verb: str
):
    command = (sys.executable, "-S", "-m", "generative_ik_ros", verb, "--robot", "panda")
    done = run(*command, cwd=unpacked, env=alone)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "pip install ./benchmarks" in done.stderr


@pytest.mark.slow
def test_the_wheel_alone_solves_without_a_home_or_a_right_to_write(
    alone: dict[str, str], unpacked: Path
):
    shell = (sys.executable, "-S", "-m", "generative_ik_ros")
    kept = {name: value for name, value in alone.items() if "CACHE" not in name}
    folders = [path for path in (unpacked, *unpacked.rglob("*")) if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    try:
        done = run(
            *not_as_root(), *shell, "solve", "--robot", "planar_3r", "-n", "2", "--json",
            "--random-seed", "1", cwd=unpacked, env=kept | {"HOME": str(unpacked / "absent")},
        )  # fmt: skip
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["positions"]) == 2
    assert not done.stderr  # where nothing is compiled, nothing has to be kept


def test_the_wheel_alone_lists_what_is_missing(alone: dict[str, str], unpacked: Path):
    command = (sys.executable, "-S", "-m", "generative_ik_ros", "--help")
    listed = run(*command, cwd=unpacked, env=alone)
    assert "not installed" in listed.stdout


def test_what_colcon_installs_has_no_benchmarks():
    """A prefix gets the folder of the package; the benchmarks are another one."""
    assert "benchmarks" not in (CHECKOUT / "CMakeLists.txt").read_text()
    for prefix in (EXECUTABLES.parent, Path(sys.prefix, "share", "generative_ik_ros")):
        assert not list(prefix.glob("**/generative_ik_benchmarks"))


def test_the_wheel_finds_its_robots(unpacked: Path):
    code = (
        f"import sys; sys.path.insert(0, {str(unpacked)!r}); "
        "from generative_ik_ros.robot.known import robot_names, robot_urdf_path; "
        "print(*robot_names(), robot_urdf_path('panda'))"
    )
    done = run(sys.executable, "-c", code, cwd=unpacked.parent)
    assert done.returncode == 0, done.stderr
    *names, path = done.stdout.split()
    assert {"panda", "ur10"} <= set(names)
    assert Path(path).is_relative_to(unpacked)
    assert (unpacked / "generative_ik_ros" / "config" / "generative_ik.yaml").is_file()


@pytest.mark.skipif(
    not (EXECUTABLES / "generative-ik").exists(), reason="not installed by colcon into this Python"
)
def test_the_installed_command_line_starts(tmp_path: Path):
    done = run(EXECUTABLES / "generative-ik", "--version", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith(f"generative-ik {generative_ik_ros.__version__} (core ")


@pytest.mark.skipif(
    not (EXECUTABLES / "generative_ik_node").exists(),
    reason="not installed by colcon into this Python",
)
def test_the_installed_node_refuses_a_bad_parameter(tmp_path: Path):
    done = run(
        EXECUTABLES / "generative_ik_node", "--ros-args", "-p", "timeout:=-1.0", cwd=tmp_path
    )
    assert done.returncode == 2
    assert "timeout" in done.stderr
    assert "Traceback" not in done.stderr


def test_interfaces_and_modules_are_one_package():
    pytest.importorskip("rclpy", reason="ROS 2 is not installed")
    # From the checkout, which has no interfaces, and from elsewhere.
    for folder in (CHECKOUT, CHECKOUT.anchor):
        done = run(
            sys.executable,
            "-c",
            "from generative_ik_ros.srv import GetIKSolutions; import generative_ik_ros.errors; "
            "from rclpy.type_support import check_for_type_support; "
            "check_for_type_support(GetIKSolutions); print(GetIKSolutions.Request().random_seed)",
            cwd=folder,
        )
        assert (done.returncode, done.stdout.strip()) == (0, "0"), done.stderr
