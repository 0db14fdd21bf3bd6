"""`generative-ik view` as a process."""

import re
import signal
import subprocess
import sys
import urllib.request

import pytest
from made_maps import ball

COMMAND = [sys.executable, "-m", "generative_ik_ros"]


def check_served(*words):
    """Start a command, read its page, and interrupt it."""
    process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, text=True)
    try:
        lines = iter(process.stdout.readline, "")
        found = (re.search(r"panda at (http://127\.0\.0\.1:\d+) ", line) for line in lines)
        url = next(filter(None, found))
        with urllib.request.urlopen(url[1], timeout=30) as page:
            assert page.status == 200 and b"<html" in page.read().lower()
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def test_it_serves_the_page_on_the_loopback_until_interrupted(needs_viser):
    check_served("view", "--robot", "panda", "--port", "8951")


def test_a_stored_map_is_shown(needs_viser, panda, tmp_path):
    ball(panda).save(tmp_path / "map.npz")
    check_served(
        "reach", "--from", str(tmp_path / "map.npz"), "--robot", "panda", "--view",
        "--port", "8952",
    )  # fmt: skip


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
        (("--robot", "panda", "--reach", "absent.npz"), "absent.npz"),
        (
            ("--tip-link", "a", "--tip-link", "b", "--reach", "m.npz"),
            "--reach is for one --tip-link",
        ),
        (("--robot", "panda", "--sampler", "magic"), "unknown sampler 'magic'"),
        (("--robot", "panda", "--host", "not.an.address.invalid"), "cannot listen on"),
    ],
)
def test_misuse_is_one_line(needs_viser, refused, words, text):
    refused("view", *words, says=text)


def test_without_viser_it_says_what_to_install(monkeypatch, refused):
    monkeypatch.setitem(sys.modules, "viser", None)
    refused("view", "--robot", "panda", says="viser, which is not installed: pip install")
