"""Pictures show the data that they are given, with names and units, in colours for any eye."""

import io

import numpy as np
import pytest

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.cli.curves import training_curves
from generative_ik_ros.plots.joints import joint_pairs, on_one_turn
from generative_ik_ros.plots.style import SERIES
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.robot.random_poses import random_configurations

pytest.importorskip("matplotlib", reason="matplotlib not installed")


def words(figure):
    """Every text in a picture, as it is written into an SVG whose letters stay letters."""
    import matplotlib as mpl

    file = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none"}):
        figure.savefig(file, format="svg")
    return file.getvalue()


def test_joint_pairs_are_points_on_the_torus():
    chain = load_robot("ur10")
    q = random_configurations(chain, 40, 1)
    assert np.abs(q).max() > np.pi, "more than a turn, to be brought back"
    figure = joint_pairs(chain, q, shade=np.linspace(0, 9, 40), shade_label="error [mm]")
    grid = np.array(figure.axes[:36]).reshape(6, 6)
    points = grid[4, 1].collections[0]
    assert np.allclose(np.exp(1j * points.get_offsets()), np.exp(1j * q[:, [1, 4]]))
    assert np.abs(on_one_turn(chain, q)).max() <= np.pi
    assert np.array_equal(points.get_array(), np.linspace(0, 9, 40))
    heights = [bar.get_height() for bar in grid[2, 2].patches]
    assert sum(heights) == 40
    text = words(figure)
    assert all(text.count(f"{name}") == 2 for name in chain.names)
    assert "[rad]" in text and "error [mm]" in text


def test_series_differ_in_lightness_or_hue_for_the_colour_blind():
    """Seen without red and green cones apart (Vienot, Brettel and Mollon 1999), all differ."""
    rgb = np.array([[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in SERIES])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    deuteranope = np.array(
        [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]
    )
    seen = np.clip(linear @ deuteranope.T, 0, 1) ** (1 / 2.2)
    gaps = np.linalg.norm(seen[:, None] - seen[None], axis=2) + np.eye(len(SERIES))
    assert gaps.min() > 0.15


def test_training_curves_have_a_panel_a_figure_and_a_line_a_training():
    trainings = {
        name: [{"step": k, "samples": k * 1e6, "mmd": 1.0 / k, "a_mm": 5.0 * k} for k in (1, 2, 4)]
        for name in ("short", "long")
    }
    figure = training_curves(trainings, levels={"mmd": 0.03}, title="course")
    assert len(figure.axes) == 2
    mmd = figure.axes[0]
    assert [line.get_ydata()[0] for line in mmd.lines] == [1.0, 1.0, 0.03]
    assert list(mmd.lines[0].get_xdata()) == [1.0, 2.0, 4.0]
    text = words(figure)
    assert "samples seen [million]" in text and "short" in text and "course" in text
    assert len(training_curves(trainings, figures=["a_mm"]).axes) == 1
    for bad in ({}, {"none": []}):
        with pytest.raises(InvalidArgumentError):
            training_curves(bad)
    with pytest.raises(InvalidArgumentError, match="beauty"):
        training_curves(trainings, figures=["beauty"])
