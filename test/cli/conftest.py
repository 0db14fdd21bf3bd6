"""Gives the tests a shell: words in, exit code and both streams out, in this process."""

from typing import NamedTuple

import pytest

from generative_ik_ros.cli.main import main


class Reply(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def shell(capsys):
    """Run `generative-ik WORDS` as the installed command does."""

    def run(*words):
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Reply(code, *capsys.readouterr())

    return run
