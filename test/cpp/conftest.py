"""The native core as installed, for programs that use it."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the core; return the prefix."""
    from cpp_builds import built, cmake, run

    prefix = tmp_path_factory.mktemp("installed")
    run(cmake(), "--install", built(), "--prefix", prefix)
    return prefix
