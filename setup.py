"""Package the core for pip: everything is in pyproject.toml but the robots and parameter files.

These live in config/ at the top level, where ROS users look for them, and travel in the wheel as
generative_ik_ros/config.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithConfig(build_py):
    """The usual build, with config/ laid beside the modules."""

    def run(self) -> None:
        """Copy the modules, then config/; an editable installation finds it in the checkout."""
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib, "generative_ik_ros", "config")
            shutil.copytree("config", target, dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithConfig})
