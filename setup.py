"""Package the core for pip: everything is in pyproject.toml but two things.

The native module is compiled by CMake from core/ and bindings/. The robots and parameter files
live in config/ at the top level, where ROS users look for them, and travel in the wheel as
generative_ik_ros/config.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "bindings"))

from build_backend import config_folder, lasting, missing_tools  # noqa: E402


class Build(build):
    """The usual build, with the module first: where it cannot be built, nothing else happens."""

    sub_commands = sorted(build.sub_commands, key=lambda command: command[0] != "build_ext")


class BuildWithCMake(build_ext):
    """Has CMake compile the native module; what has not changed is not compiled again."""

    def run(self) -> None:
        """Compile, or say in one line what is missing."""
        if missing := missing_tools():
            raise SystemExit(missing)
        super().run()

    def build_extension(self, ext: Extension) -> None:
        """Compile in build/native, a folder for each Python, and copy the module from there."""
        target = Path(self.get_ext_fullpath(ext.name))
        folder = ROOT / "build" / "native" / "".join(target.suffixes[:-1]).strip(".")
        used = folder.exists()
        configured = self._configure(folder)
        if used and not configured:
            # An environment that it was configured with may be gone, as pip's are after a build.
            shutil.rmtree(folder)
            configured = self._configure(folder)
        if not configured:
            raise SystemExit("generative_ik_ros: CMake failed, as it says above")
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or os.cpu_count() or 1
        if subprocess.call(["cmake", "--build", folder, "--parallel", str(jobs)]):
            raise SystemExit("generative_ik_ros: compiling failed, as it says above")
        self.mkpath(str(target.parent))
        self.copy_file(str(folder / target.name), str(target))
        made = folder / "cuda" / "kernels.fatbin"
        wanted = "GENERATIVE_IK_CUDA:BOOL=ON" in (folder / "CMakeCache.txt").read_text()
        self._copy_kernels(made if wanted else None, target.parent)

    def copy_extensions_to_source(self) -> None:
        """Copy the kernels for GPUs beside the module, where it is used from the checkout."""
        super().copy_extensions_to_source()
        for ext in self.extensions:
            package = Path(*ext.name.split(".")[:-1])
            made = self.build_lib / package / "kernels.fatbin"
            self._copy_kernels(made if made.exists() else None, ROOT / package)

    def _copy_kernels(self, made: Path | None, folder: Path) -> None:
        """Copy the kernels for GPUs; where none were made, leave none of an earlier build."""
        if made is None:
            (folder / "kernels.fatbin").unlink(missing_ok=True)
        else:
            self.copy_file(str(made), str(folder / "kernels.fatbin"))

    def _configure(self, folder: Path) -> bool:
        command = [
            *("cmake", "-S", ROOT / "bindings", "-B", folder),
            f"-DPython3_EXECUTABLE={sys.executable}",
        ]
        for package in ("Eigen3", "pybind11"):
            found = config_folder(package.lower(), f"{package}Config.cmake")
            if found is not None:
                found = lasting(found, ROOT / "build" / "native" / "libraries")
            command.append(f"-D{package}_DIR={found}")
        command += os.environ.get("CMAKE_ARGS", "").split()
        if not shutil.which("make"):
            command += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={shutil.which('ninja')}"]
        return subprocess.call(command) == 0


class BuildWithConfig(build_py):
    """The usual build, with config/ laid beside the modules."""

    def run(self) -> None:
        """Copy the modules, then config/; an editable installation finds it in the checkout."""
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib, "generative_ik_ros", "config")
            shutil.copytree("config", target, dirs_exist_ok=True)


setup(
    ext_modules=[Extension("generative_ik_ros._core", sources=[])],
    cmdclass={"build": Build, "build_ext": BuildWithCMake, "build_py": BuildWithConfig},
)
