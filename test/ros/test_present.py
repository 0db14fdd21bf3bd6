"""Reports what is missing if the tests of this folder cannot run."""

import pytest


def test_ros_and_our_interfaces_are_there(missing):
    if missing:
        pytest.skip(missing)
