"""Lightness of the colour scale."""

import numpy as np

from generative_ik_ros.drawing import colors
from generative_ik_ros.robot.known import load_robot


def lightness(rgb):
    """Relative luminance of sRGB colours, as WCAG 2 defines it."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_lightness_grows_along_the_scale():
    light = lightness(colors.by_order(50))
    assert (np.diff(light) > 0).all() and light[-1] - light[0] > 0.5


def test_similar_first_joints_have_similar_colours():
    panda = load_robot("panda")
    q = np.zeros((200, 7))
    q[:, 0] = np.linspace(panda.lower[0], panda.upper[0], 200)
    found = colors.by_first_joint(panda, q)
    assert np.abs(np.diff(found, axis=0)).max() < 0.02
    assert np.allclose(found, colors.by_order(200))
    assert colors.by_order(1).shape == (1, 3) and colors.by_order(0).shape == (0, 3)
