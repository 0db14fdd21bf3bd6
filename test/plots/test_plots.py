"""Pictures show the data that they are given, with names and units, in colours for any eye."""

import io

import numpy as np
import pytest
from made_maps import ball

from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.drawing.colors import STILL, by_index
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.cli.curves import training_curves
from generative_ik_ros.plots.reach import reach_figure
from generative_ik_ros.plots.scene import path_figure
from generative_ik_ros.plots.solutions import solutions_figure
from generative_ik_ros.robot.chain import KinematicChain
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


def test_panels_show_neighbouring_joints_inside_their_limits():
    chain = load_robot("ur10")
    q = random_configurations(chain, 40, 1)
    figure = solutions_figure(chain, q, chain.forward(q[:1]), title="40 configurations")
    panels = figure.subfigs[1].axes[:5]
    for i, axes in enumerate(panels):
        points, first = axes.collections
        np.testing.assert_allclose(points.get_offsets(), q[:, [i, i + 1]])
        np.testing.assert_allclose(first.get_offsets(), q[:1, [i, i + 1]])
        assert axes.get_xlim()[0] < chain.lower[i] and axes.get_xlim()[1] > chain.upper[i]
    text = words(figure)
    assert all(f"{name} [rad]" in text for name in chain.names) and "40 configurations" in text


def test_continuous_joints_are_shown_on_one_turn():
    chain = KinematicChain.from_urdf(
        '<robot name="one"><link name="a"/><link name="b"/><joint name="spin" type="continuous">'
        '<parent link="a"/><child link="b"/><origin xyz="0.1 0 0"/><axis xyz="0 0 1"/></joint>'
        "</robot>"
    )
    q = np.array([[0.5], [0.5 + 4 * np.pi], [3.5]])
    figure = solutions_figure(chain, q, chain.forward(q[:1]), title="")
    shown = figure.subfigs[1].axes[0].collections[0].get_offsets()
    np.testing.assert_allclose(shown[:, 0], [0.5, 0.5, 3.5 - 2 * np.pi])


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


def test_a_path_is_shown_from_blue_to_yellow_with_what_is_missed():
    chain = load_robot("panda")
    q = np.linspace(0.4, 0.6, 30)[:, None] * (chain.lower + chain.upper) + 0.1
    q[:, 3], q[:, 5] = np.linspace(-2.0, -1.5, 30), 1.8
    missed = np.tile(np.eye(4), (3, 1, 1))
    missed[:, 0, 3] = (0.9, 1.0, 1.1)
    scene = Scene(boxes={"box": ((0.1, 0.1, 0.1), (0.5, 0.5, 0.5))})
    figure = path_figure(chain, scene, q, missed, num_arms=4, title="a path")
    (axes,) = figure.axes
    *way, left = axes.lines
    assert len(way) == 29 and len(left.get_xdata()) == 4
    np.testing.assert_allclose(way[-1].get_xdata()[1], left.get_xdata()[0])
    shades = np.array([line.get_color() for line in (way[0], way[-1])])
    assert shades[0, 2] > shades[0, 0] and shades[1, 0] > 0.8 > shades[1, 2]
    pixels = axes.images[0].get_array()
    assert (np.abs(pixels - np.array(STILL)).max(axis=2) < 0.3).any()
    assert "a path" in words(figure)
    alone = path_figure(chain, None, q[:1], missed[:0], num_arms=4, title="one")
    assert not alone.axes[0].lines


def test_a_map_is_shown_by_its_index_in_space_and_in_slices(panda):
    made = ball(panda, cells=10)
    figure = reach_figure(panda, made, directions=True, title="a map")
    left, right = figure.subfigs
    upright, flat, bar = right.axes
    hub = panda.canonical.first_joint_in_base[:3, 3]
    for axes, fixed, plane in ((upright, 1, [0, 2]), (flat, 2, [0, 1])):
        (image,) = axes.images
        shown = image.get_array()
        # The layer next to the middle, of which one has the first joint's axis at its side.
        layer = made.voxels[:, fixed] == (5 if fixed == 1 else 4)
        wanted = np.zeros((10, 10))
        wanted[tuple(made.voxels[layer][:, plane[::-1]].T)] = made.index[layer]
        np.testing.assert_allclose(shown.filled(0.0), wanted)
        assert shown.mask.any() and not (wanted == 0).all()
        np.testing.assert_allclose(image.get_extent()[::2], (hub - 1.0)[plane], atol=1e-9)
        assert axes.get_aspect() == 1.0 and image.get_clim() == (0.0, made.index.max())
    arrows = [one for one in upright.collections if hasattr(one, "U")]
    assert len(arrows) == 1 and len(arrows[0].U) == (made.index[made.voxels[:, 1] == 5] > 0).sum()
    text = words(figure)
    assert all(one in text for one in ("a map", "reachability index", "x [m]", "y [m]", "z [m]"))
    # Colours of both ends of the scale are in the picture, the cut ones as they are in the bar.
    pixels = left.axes[0].images[0].get_array()
    best = by_index(np.ones(1))[0]
    assert (np.abs(pixels - best).max(axis=2) < 0.02).sum() > 100


def test_of_one_voxel_only_there_is_a_picture_too(panda, ur10):
    made = ball(panda, cells=1)
    figure = reach_figure(panda, made, title="one", height=0.0)
    assert figure.subfigs[1].axes[0].images[0].get_array().shape == (1, 1)
