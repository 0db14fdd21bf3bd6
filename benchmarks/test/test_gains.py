"""The picture of gains shows the figures that it is given."""

import numpy as np
import pytest

from generative_ik_benchmarks.plots.seed_value import Gain, gains_figure

pytest.importorskip("matplotlib", reason="matplotlib not installed")


def test_a_line_a_chain_and_a_mark_a_method():
    gains = [
        Gain("arm", "map", 0.9, 1.2, 1.5),
        Gain("arm", "flow", 1.5, 2.5, 2.75),
        Gain("leg", "map", 0.25, 0.5, 0.75),
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
