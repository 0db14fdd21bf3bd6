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


@pytest.fixture
def refused(shell):
    """Run `generative-ik WORDS`, which ends with 2 and a line of its own that says something."""

    def check(*words, says):
        reply = shell(*words)
        assert reply.code == 2 and reply.out == "", reply.err
        assert reply.err.startswith("generative-ik: ") and reply.err.count("\n") == 1, reply.err
        assert says in reply.err, reply.err
        return reply

    return check
