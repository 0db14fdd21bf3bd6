"""Commands that may not write where only root may."""

import os
import shutil
import subprocess

import pytest


def not_as_root() -> list[str]:
    """Words before a command that take root's right to write anywhere away."""
    if os.geteuid() != 0:
        return []
    words = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]
    if shutil.which("setpriv") is None or subprocess.run([*words, "true"]).returncode:
        pytest.skip("root may write anywhere, and there is no setpriv")
    return words
