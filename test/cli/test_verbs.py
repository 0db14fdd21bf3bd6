"""Verbs that other packages add, and what the shell says of those that cannot be had."""

from importlib.metadata import EntryPoint

import pytest
import typer
from typer.testing import CliRunner

from generative_ik_ros.cli import verbs
from generative_ik_ros.errors import MissingDependencyError


def application(monkeypatch, **others):
    entries = [EntryPoint(name, value, verbs.GROUP) for name, value in others.items()]
    monkeypatch.setattr(verbs, "entry_points", lambda group: entries)
    app = typer.Typer()
    verbs.add_verbs(app)
    return app


def run(app, *words):
    return CliRunner().invoke(app, words, env={"COLUMNS": "400"})


def test_broken_package_is_an_absent_verb(monkeypatch, tmp_path):
    (tmp_path / "broken_verbs.py").write_text("raise ValueError('half\\ninstalled')")
    monkeypatch.syspath_prepend(tmp_path)
    app = application(monkeypatch, odd="broken_verbs:odd", gone="no_such_package:gone")
    for verb, reason in (("odd", "ValueError: half"), ("gone", "No module named 'no_such_pack")):
        error = run(app, verb, "--any", "option").exception
        assert isinstance(error, MissingDependencyError) and reason in str(error)
        assert f"no '{verb}': " in str(error)
        assert reason in run(app, verb, "--help").stdout
    assert run(app, "robots", "--json").exit_code == 0


@pytest.mark.parametrize("verb", ["evaluate", "reproduce"])
def test_verbs_of_the_benchmarks_say_how_to_get_them(monkeypatch, verb):
    app = application(monkeypatch)
    error = run(app, verb, "peers", "--quick").exception
    assert isinstance(error, MissingDependencyError)
    assert "pip install ./benchmarks in a checkout" in str(error)
    assert "Measure" in run(app, verb, "--help").stdout
