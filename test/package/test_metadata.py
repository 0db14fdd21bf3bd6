"""What the project says of itself in several places is the same in all of them."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

import generative_ik_ros
from generative_ik_ros import _core

tomllib = pytest.importorskip("tomllib", reason="tomllib came with Python 3.11")

CHECKOUT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
BENCHMARKS = tomllib.loads((CHECKOUT / "benchmarks" / "pyproject.toml").read_text())
OURS = {"generative-ik-ros", "generative-ik-benchmarks"}
PACKAGE_XML = ElementTree.parse(CHECKOUT / "package.xml").getroot()
SERVO_XML = ElementTree.parse(CHECKOUT / "servo_node" / "package.xml").getroot()

# What to install a module by, where that is not its own name.
DISTRIBUTIONS = {
    "distributed": "dask",
    "yaml": "pyyaml",
    "sklearn": "scikit-learn",
    "pinocchio": "pin",
    "trac_ik": "pytracik",
    "mpl_toolkits": "matplotlib",
    "mkdocs": "mkdocs-material",
}


ROSDEP = {
    "eigen", "liburdfdom-dev", "pybind11-dev", "python3-dev",
    "python3-collada-pip", "python3-hypothesis", "python3-matplotlib",
    "python3-numpy", "python3-pytest", "python3-pytest-timeout", "python3-pytorch-pip",
    "python3-rich", "python3-scipy", "python3-trimesh-pip", "python3-typer", "python3-yaml",
    "tinyxml2",
}  # fmt: skip
"""Keys that rosdep has for Ubuntu jammy, noble and resolute, looked up on 2026-11-26 in
ros/rosdistro, rosdep/base.yaml and python.yaml of 2026-08-22.
There is none for python3-trimesh or safetensors."""
IN_ROSDISTRO = {
    "ament_cmake", "ament_cmake_gmock", "ament_cmake_gtest", "ament_cmake_pytest",
    "ament_cmake_python",
    "ament_index_python", "builtin_interfaces", "diagnostic_msgs", "geometry_msgs",
    "joint_state_publisher", "launch", "launch_ros", "rcl_interfaces", "rclcpp", "rclpy",
    "robot_state_publisher", "rosidl_default_generators", "rosidl_default_runtime", "rviz2",
    "sensor_msgs", "std_msgs", "tf2_ros", "tf2_ros_py", "trajectory_msgs", "visualization_msgs",
    "xacro",
}  # fmt: skip
"""Packages that Humble, Jazzy, Kilted, Lyrical and Rolling have, looked up likewise."""


def canonical(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def declared(*extras: str, benchmarks: bool = False) -> set[str]:
    """The distributions that the package needs, with some extras, and those of the benchmarks."""
    project = PYPROJECT["project"]
    groups = [project["dependencies"], *(project["optional-dependencies"][e] for e in extras)]
    if benchmarks:
        groups.append(BENCHMARKS["project"]["dependencies"])
    return {canonical(line) for group in groups for line in group} - OURS


def imported(folder: str) -> Iterator[tuple[str, str]]:
    """Yield each file below a folder with each module outside the project that it imports."""
    own = {"generative_ik_ros", "generative_ik_benchmarks", *sys.stdlib_module_names}
    for path in sorted((CHECKOUT / folder).rglob("*.py")):
        if folder != "generative_ik_ros":  # scripts and tests find those beside them by bare names
            own |= {beside.stem for beside in path.parent.glob("*.py")}
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [name.name for name in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in names:
                if name.split(".")[0] not in own:
                    yield str(path.relative_to(CHECKOUT)), name.split(".")[0]


def ros_packages() -> set[str]:
    return {
        element.text or ""
        for element in PACKAGE_XML
        if element.tag in ("depend", "exec_depend", "buildtool_depend", "test_depend")
    }


def is_ros(module: str) -> bool:
    return bool(
        re.fullmatch(
            r"rclpy|rosidl.*|rcl_interfaces|builtin_interfaces|ament.*|tf2.*|.*_msgs|launch(_ros)?",
            module,
        )
    )


def test_one_version():
    (pinned,) = (
        line for line in BENCHMARKS["project"]["dependencies"] if line.startswith("generative")
    )
    versions = {
        generative_ik_ros.__version__,
        PYPROJECT["project"]["version"],
        PACKAGE_XML.findtext("version"),
        SERVO_XML.findtext("version"),
        BENCHMARKS["project"]["version"],
        pinned.partition("==")[2],
        yaml.safe_load((CHECKOUT / "CITATION.cff").read_text())["version"],
        _core.version(),
    }
    assert len(versions) == 1


def test_one_name_and_licence():
    assert PACKAGE_XML.findtext("name") == PYPROJECT["project"]["name"] == "generative_ik_ros"
    assert PACKAGE_XML.findtext("license") == PYPROJECT["project"]["license"] == "Apache-2.0"
    assert SERVO_XML.findtext("license") == "Apache-2.0"
    assert "Apache License" in (CHECKOUT / "LICENSE").read_text()


@pytest.mark.parametrize(
    ("folder", "known"),
    [
        (
            "generative_ik_ros",
            declared("collision", "formats", "reach", "learned", "viewer"),
        ),
        ("benchmarks/generative_ik_benchmarks", declared("learned", benchmarks=True)),
        ("scripts", declared("learned", "dev", "docs", benchmarks=True) | {"packaging"}),
    ],
)
def test_every_imported_distribution_is_declared(folder: str, known: set[str]):
    undeclared = {
        (path, module)
        for path, module in imported(folder)
        if not is_ros(module) and canonical(DISTRIBUTIONS.get(module, module)) not in known
    }
    assert not undeclared


def test_rosdep_has_every_key_on_every_supported_ubuntu():
    elements = [*PACKAGE_XML, *SERVO_XML]
    needed = {element.text for element in elements if element.tag.endswith("depend")}
    assert needed - {"generative_ik"} == ROSDEP | IN_ROSDISTRO  # the core, of this repository


def test_rosdep_or_pip_brings_every_requirement():
    keys = {re.sub("^python3-|-pip$", "", key) for key in ROSDEP}
    keys = {{"collada": "pycollada", "yaml": "pyyaml"}.get(key, key) for key in keys}
    assert not declared() - keys


def test_every_imported_ros_package_is_declared():
    # moveit_msgs is used where it is installed, and the package works without it.
    known = ros_packages() | {"moveit_msgs"}
    undeclared = {
        (path, module)
        for folder in ("generative_ik_ros", "launch")
        for path, module in imported(folder)
        if is_ros(module) and {"tf2_ros": "tf2_ros_py"}.get(module, module) not in known
    }
    assert not undeclared


def test_every_dependency_has_a_fixed_version():
    lines = (CHECKOUT / "constraints.txt").read_text().splitlines()
    fixed = {canonical(line) for line in lines if not line.startswith("#")}
    extras = PYPROJECT["project"]["optional-dependencies"]
    assert declared(*extras, benchmarks=True) <= fixed
    assert all(re.match(r"[\w.-]+==[\w.]+( ;|$)", line) for line in lines[1:])


def test_ruff_is_the_same_before_a_commit():
    hooks = yaml.safe_load((CHECKOUT / ".pre-commit-config.yaml").read_text())["repos"]
    (version,) = (hook["rev"] for hook in hooks if hook["repo"].endswith("/ruff-pre-commit"))
    assert f"\nruff=={version.removeprefix('v')} ;" in (CHECKOUT / "constraints.txt").read_text()


def test_the_workflow_has_every_python_that_is_declared():
    workflow = yaml.safe_load((CHECKOUT / ".github" / "workflows" / "check.yml").read_text())
    classifiers = PYPROJECT["project"]["classifiers"]
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(classifiers))
    assert workflow["jobs"]["check"]["strategy"]["matrix"]["python"] == versions


def test_every_interface_is_generated():
    cmake = (CHECKOUT / "CMakeLists.txt").read_text()
    files = [*CHECKOUT.glob("msg/*.msg"), *CHECKOUT.glob("srv/*.srv")]
    assert files
    for path in files:
        assert f'"{path.relative_to(CHECKOUT)}"' in cmake


def test_no_machine_paths():
    """Nothing that is committed names a folder of the machine it was written on."""
    if shutil.which("git") is None or not (CHECKOUT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    machine = re.compile(rb"(^|[^A-Za-z0-9._-])/(tmp|root|home|work|opt/pypi)/[A-Za-z0-9]")
    for name in listed:
        path = CHECKOUT / name
        if path.is_file() and b"\0" not in (content := path.read_bytes()):
            found = [line for line in content.splitlines() if machine.search(line)]
            assert not found, f"{name}: {found[0]!r}"
