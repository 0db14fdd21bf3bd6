"""What the README tells people to type works, and what it links to is there."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language):
    fenced = [block.partition("\n") for block in README.split("```")[1::2]]
    return [text for name, _, text in fenced if name == language]


def test_python_examples(monkeypatch):
    example = "\n".join(_blocks("python"))  # each goes on where the one before ended
    monkeypatch.chdir(ROOT / "config" / "robots")
    names = {}
    exec(compile(example, "README.md", "exec"), names)
    assert names["found"].of(0).shape == (100, 7)
    assert names["near"].counts[0] > 0
    assert names["path"].complete


def test_shell_examples(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (block,) = [block for block in _blocks("") if block.startswith("generative-ik")]
    (tmp_path / "my.urdf").write_text((ROOT / "config/robots/ur10.urdf").read_text())
    for line in block.splitlines():
        program, *words = shlex.split(line, comments=True)
        assert program == "generative-ik"
        if words[0] in ("evaluate", "train"):  # these take minutes
            words.append("--help")
        assert shell(*words).code == 0, line
    assert (tmp_path / "panda.png").exists()


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)]+)\)", README))
def test_links(link):
    assert (ROOT / link).exists()
