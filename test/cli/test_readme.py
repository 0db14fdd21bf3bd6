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


def test_python_examples(monkeypatch, tmp_path, capsys):
    example = "\n".join(_blocks("python"))  # each goes on where the one before ended
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(example, "README.md", "exec"), names)
    (promised,) = [block for block in _blocks("") if block.startswith("IKSolutions")]
    # Times and the last digit of a double are the machine's own.
    own = re.compile(r"in [0-9.]+ ms|at most \S+e-1[56] m, \S+e-1[56] rad")
    assert own.sub("", capsys.readouterr().out) == own.sub("", promised)
    assert names["found"].of(0).shape == (100, 7)
    assert names["near"].counts[0] > 0
    assert names["path"].complete


def test_shell_examples(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (block,) = [block for block in _blocks("") if block.startswith("generative-ik")]
    (tmp_path / "my.urdf").write_text((ROOT / "config/robots/ur10.urdf").read_text())
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "poses.csv").write_text("x,y,z,roll,pitch,yaw\n0.45,0.1,0.4,3.1,0,0\n")
    for line in block.splitlines():
        program, *words = shlex.split(line, comments=True)
        assert program == "generative-ik"
        if words[0] in ("evaluate", "train", "view", "reach"):  # these take minutes, or do not end
            words.append("--help")
        assert shell(*words).code == 0, line
    assert (tmp_path / "panda.png").exists()


PAGES = [
    page
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/*.md", "examples/*.md", "config/**/*.md")
    for page in sorted(ROOT.glob(pattern))
]


def _anchors(page):
    """The anchors of a page's headings, as GitHub and mkdocs make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text).strip().lower().replace(" ", "-") for text in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target), link
