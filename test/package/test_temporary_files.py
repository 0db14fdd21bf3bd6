"""The temporary files of a test session: in a folder of its own, removed when the tests pass."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).resolve().parents[2] / "conftest.py"
CODE = "import tempfile; print(tempfile.mkstemp(prefix='generative_ik_', dir={!r})[1])"


@pytest.fixture
def session(tmp_path):
    """Run a session with one test; return its exit code, its output and the temporary folder."""
    temporary, tests = tmp_path / "temporary", tmp_path / "tests"
    temporary.mkdir()
    tests.mkdir()
    shutil.copy(CONFTEST, tests)

    def run(body):
        (tests / "test_one.py").write_text(
            f"import subprocess, sys\ndef test_one():\n    {body}\n"
        )
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-o",
                "tmp_path_retention_policy=failed",
                tests,
            ],
            # Other plugins take seconds to import.
            env={
                **os.environ,
                "TMPDIR": str(temporary),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            },
            cwd=tests,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert not done.stderr
        return done.returncode, done.stdout, temporary

    return run


def test_files_of_the_tests_and_of_their_processes_are_removed(session):
    code = CODE.format(None)
    body = f"exec({code!r}); subprocess.run([sys.executable, '-c', {code!r}], check=True)"
    body += "; from multiprocessing import util; util.get_temp_dir()"
    status, output, temporary = session(body)
    assert status == 0, output
    assert not list(temporary.iterdir())


def test_files_outside_that_folder_are_reported(session, tmp_path):
    status, output, temporary = session(f"exec({CODE.format(str(tmp_path / 'temporary'))!r})")
    (left,) = temporary.iterdir()
    assert status == 1 and "temporary files left behind" in output and str(left) in output
