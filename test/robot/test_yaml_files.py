"""YAML of unknown origin: values as PyYAML has them, and no file that costs much."""

import math
import time

import pytest
import yaml

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.yaml_files import LIMITS, read_yaml

PLAIN = """
# A comment
numbers: [1, -2, 3.5, 1.0e-3, +4., .5, 1e3]
words: {yes: true, no: off, nothing: ~, empty: , text: hello, quoted: "1.5"}
folded: >
    two
    lines
nested:
  - a: 1
    b: [[], {}]
  -
  - - x
shared: &pose {x: 1, y: 2}
again: *pose
merged:
  <<: *pose
  y: 3
"""


def read(tmp_path, text):
    path = tmp_path / "file.yaml"
    path.write_text(text)
    return read_yaml(path)


def test_values_are_those_of_pyyaml(tmp_path):
    text = PLAIN.replace("1e3", "1.0e+3").replace("yes:", "'yes':").replace("no:", "'no':")
    expected = yaml.safe_load(text)
    assert expected["merged"] == {"x": 1, "y": 3}
    assert read(tmp_path, text) == expected


def test_numbers_as_in_yaml_1_2(tmp_path):
    found = read(tmp_path, "[1e-3, 1E5, .inf, -.inf, .nan, 0x, 12345678901234567890123, nan, inf]")
    assert found[:4] == [0.001, 1e5, math.inf, -math.inf]
    assert math.isnan(found[4])
    assert found[5:] == ["0x", 12345678901234567890123.0, "nan", "inf"]


def test_keys_stay_texts(tmp_path):
    assert read(tmp_path, "{1: a, true: b, ~: c, 1.50: d}") == {
        "1": "a",
        "true": "b",
        "~": "c",
        "1.50": "d",
    }


def test_nothing_at_all(tmp_path):
    assert read(tmp_path, "") is None
    assert read(tmp_path, "# only words\n---\n") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1, 2", "is not YAML"),
        ("a: 1\na: 2", r"'a' is there twice \(line 2\)"),
        ("a: 1\n---\nb: 2", "more than one document"),
        ("a: *b", "stands for nothing"),
        ("a: &a [*a]", "stands for nothing"),
        ("? [1, 2]\n: 3", "key must be a text"),
        ("<<: 3", "must be mappings"),
        ("a: !!python/object/apply:os.system ['true']", "tag .*has no meaning"),
        ("a: !Thing {x: 1}", "tag !Thing has no meaning"),
        ("a: !!binary aGVsbG8=", "has no meaning"),
        ("[" * 100 + "]" * 100, f"more than {LIMITS.max_depth} deep"),
        ("a: \x01", "is not YAML"),
    ],
)
def test_what_is_no_scene_is_refused(tmp_path, text, message):
    with pytest.raises(InvalidArgumentError, match=message) as caught:
        read(tmp_path, text)
    assert "file.yaml" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a0: &a0 [1, 1]\n"
        + "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]\n" for k in range(1, 40)),
        "[" * 1_000_000,
        "{a: " * 200_000,
        "- " * 200_000,
        "? " * 100_000,
        "".join(" " * k + "a:\n" for k in range(2000)),
        "*a " * 100_000,
        "&a " * 100_000,
        "%YAML 1.1\n" * 1000,
    ],
    ids=["aliases", "lists", "mappings", "dashes", "keys", "indents", "stars", "anchors", "heads"],
)
def test_bombs_are_cheap(tmp_path, text):
    start = time.process_time()
    with pytest.raises(InvalidArgumentError):
        read(tmp_path, text)
    assert time.process_time() - start < 5.0


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidArgumentError, match="cannot be read: No such file"):
        read_yaml(tmp_path / "gone.yaml")
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        read_yaml(tmp_path)
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        read_yaml(tmp_path / "a\0b")
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"a: \xff\xfe\xfa")
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        read_yaml(path)


def test_a_large_file_is_not_opened(tmp_path):
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(InvalidArgumentError, match="larger than"):
        read_yaml(path)
