"""Pictures show the figures that they are given."""

import numpy as np
import pytest

from generative_ik_benchmarks.plots.scale import Growth, growth_figure
from generative_ik_benchmarks.plots.seed_value import Gain, gains_figure
from generative_ik_benchmarks.text import Quartiles

pytest.importorskip("matplotlib", reason="matplotlib not installed")


def test_a_line_a_chain_and_a_mark_a_method():
    gains = [
        Gain("arm", "map", Quartiles(0.9, 1.2, 1.5)),
        Gain("arm", "flow", Quartiles(1.5, 2.5, 2.75)),
        Gain("leg", "map", Quartiles(0.25, 0.5, 0.75)),
    ]
    (axes,) = gains_figure(gains).axes
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_yticklabels()] == ["arm", "leg"]
    of_map, of_flow = axes.containers
    assert list(of_map.lines[0].get_xdata()) == [1.2, 0.5]
    assert list(of_flow.lines[0].get_xdata()) == [2.5]
    ends = [bar[:, 0] for bar in of_map.lines[2][0].get_segments()]
    np.testing.assert_allclose(ends, [[0.9, 1.5], [0.25, 0.75]])
    assert of_map.get_label() == "map" and of_flow.get_label() == "flow"


def test_growth_has_three_panels():
    sizes = np.array([1.0, 100.0, 10_000.0])
    curves = [
        Growth("arm", sizes, np.array([1e-3, 0.05, 4]), np.array([1e-3, 5e-4, 4e-4]), 1e6 * sizes),
        Growth("other", sizes, np.array([2e-3, 0.1, 9]), np.array([2e-3, 1e-3, 9e-4]), 0 / sizes),
    ]
    figure = growth_figure(curves, "targets")
    time, each, memory = figure.axes
    np.testing.assert_allclose(time.lines[0].get_ydata(), [1, 50, 4000])
    np.testing.assert_allclose(each.lines[1].get_ydata(), [2000, 1000, 900])
    np.testing.assert_allclose(memory.lines[0].get_ydata(), sizes)
    assert [axes.get_xscale() for axes in figure.axes] == ["log"] * 3
    assert "[ms]" in time.get_ylabel() and "[MB]" in memory.get_ylabel()
    assert {text.get_text() for text in time.get_legend().get_texts()} == {"arm", "other"}
