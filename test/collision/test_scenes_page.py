"""The examples of docs/scenes.md run as they stand there."""

import re
from pathlib import Path

from generative_ik_ros import Scene

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "scenes.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_python():
    names = {}
    for block in blocks("python"):
        exec(block, names)
    scene = names["scene"]
    assert [one.name for one in names["fewer"].obstacles][0] == "sphere_0"
    assert scene.obstacles[-1].frame == "base_link"
    assert len(scene.cloud.points) < 200_000


def test_yaml(tmp_path):
    found = []
    for block in blocks("yaml"):
        path = tmp_path / "scene.yaml"
        path.write_text(block)
        found.append([one.name for one in Scene.from_yaml(path).obstacles])
    assert found == [["shelf[0]", "shelf[1]"], ["table", "ball", "post"]]


def test_the_message_is_the_one_shown():
    (shown,) = re.findall(r"```\n(table: .*)\n```", PAGE)
    try:
        Scene(boxes={"table": ((1.0, 0.0, 1.0), (0.0, 0.0, 0.0))})
    except ValueError as error:
        assert str(error) == shown
    else:
        raise AssertionError("no error")
