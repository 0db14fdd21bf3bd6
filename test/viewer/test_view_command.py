"""`generative-ik view` as a process."""

import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from generative_ik_ros.cli.main import main

COMMAND = [sys.executable, "-m", "generative_ik_ros", "view"]


def test_it_serves_the_page_on_the_loopback_until_interrupted(needs_viser):
    process = subprocess.Popen(
        [*COMMAND, "--robot", "panda", "--port", "8951"], stdout=subprocess.PIPE, text=True
    )
    try:
        line = process.stdout.readline()
        url = re.search(r"panda at (http://127\.0\.0\.1:\d+) ", line)
        assert url is not None, line
        with urllib.request.urlopen(url[1], timeout=30) as page:
            assert page.status == 200 and b"<html" in page.read().lower()
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "give one of --robot NAME and --urdf FILE"),
        (("--robot", "pandora"), "unknown robot 'pandora'"),
        (("--robot", "panda", "--path", "absent.csv"), "cannot read 'absent.csv'"),
        (
            ("--tip-link", "a", "--tip-link", "b", "--path", "p.csv"),
            "--path is for one --tip-link",
        ),
        (("--robot", "panda", "--sampler", "magic"), "unknown sampler 'magic'"),
        (("--robot", "panda", "--host", "not.an.address.invalid"), "cannot listen on"),
    ],
)
def test_misuse_is_one_line(needs_viser, capsys, words, text):
    assert main(["view", *words]) == 2
    reply = capsys.readouterr()
    assert text in reply.err
    assert len(reply.err.strip().splitlines()) == 1 and not reply.out


def test_without_viser_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "viser", None)
    assert main(["view", "--robot", "panda"]) == 2
    assert "viser, which is not installed: pip install" in capsys.readouterr().err
