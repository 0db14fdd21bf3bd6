"""Markers of a meshed Panda on a real topic: addresses, scales, places by pinocchio, and time."""

import itertools
import re
import statistics
import time

import numpy as np
import pinocchio
import pytest
from ik_client import LATCHED, IKClient
from real_robots import example_robot, needs_real_robots
from rviz_display import arms, shown
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros.drawing import colors
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.ros import marker_template
from generative_ik_ros.ros.conversions import poses_to_transforms
from generative_ik_ros.ros.markers import SolutionMarkers

pytestmark = needs_real_robots
ARMS = 200
HAND = [
    f"package://example-robot-data/robots/panda_description/meshes/visual/{name}.dae"
    for name in ("hand", "finger", "link7")
]
SCALE = ' scale="1 2 0.5" />'


@pytest.fixture(scope="module")
def urdf():
    """The maker's description, with a scale that can be told from the usual one."""
    file = example_robot("panda_description/urdf/panda.urdf")
    return re.sub(r'\.dae"\s*/>', f'.dae"{SCALE}', file.read_text())


@pytest.fixture(scope="module")
def chain(urdf):
    return KinematicChain.from_urdf(urdf, "panda_link0", "panda_link8")


@pytest.fixture(scope="module")
def solved(chain):
    target = chain.forward((chain.lower + chain.upper) / 2.0)
    found = IKSolver(chain).solve(target, ARMS)
    assert found.counts[0] == ARMS
    return found, target[None]


@pytest.fixture(scope="module")
def topic(ros):
    """A publisher, and a list of what arrives."""
    client = IKClient("/markers")
    publisher = client.node.create_publisher(
        MarkerArray, "generative_ik/solution_markers", LATCHED
    )
    yield publisher, client.markers()
    client.close()


@pytest.fixture
def sent(topic):
    """Publishes a message, and returns what arrives."""
    publisher, arrived = topic

    def send(message):
        publisher.publish(message)
        return arrived.next()

    return send


def links_in_base(urdf, names, q):
    """Where pinocchio puts every link, by name."""
    model = pinocchio.buildModelFromXML(urdf)
    data = model.createData()
    position = pinocchio.neutral(model)
    for name, value in zip(names, q, strict=True):
        position[model.joints[model.getJointId(name)].idx_q] = value
    pinocchio.framesForwardKinematics(model, data, position)
    base = data.oMf[model.getFrameId("panda_link0")].inverse()
    return {frame.name: (base * data.oMf[i]).homogeneous for i, frame in enumerate(model.frames)}


def test_every_arm_has_the_meshes_of_its_solution_in_place(urdf, chain, solved, sent):
    found, targets = solved
    drawn = sent(SolutionMarkers().draw(chain, found, targets, ARMS, 0.3))
    assert len(arms(drawn)) == ARMS
    moving = [link for link in chain.description.visuals if link != "panda_link0"]
    uris = {link: chain.description.visuals[link][0].mesh_uri for link in moving}
    assert all(uri.startswith("package://") for uri in uris.values())
    for which in (0, 1, ARMS // 2, ARMS - 1):
        parts = arms(drawn)[f"solution_{which:03d}"]
        assert sorted(part.mesh_resource for part in parts) == sorted(uris.values())
        frames = links_in_base(urdf, chain.names, found.of(0)[which])
        places = poses_to_transforms([part.pose for part in parts])
        for link in moving:
            assert any(
                part.mesh_resource == uris[link] and np.allclose(place, frames[link], atol=1e-4)
                for part, place in zip(parts, places, strict=True)
            ), link
        for part in parts:
            assert part.type == Marker.MESH_RESOURCE and not part.mesh_use_embedded_materials
            assert (part.scale.x, part.scale.y, part.scale.z) == (1.0, 2.0, 0.5)
            assert part.header.frame_id == "panda_link0"
            assert part.color.a == pytest.approx(1.0 if part.mesh_resource in HAND else 0.3)


def test_what_all_arms_of_a_target_share_is_drawn_once_in_grey(chain, solved, sent):
    found, targets = solved
    drawn = shown(sent(SolutionMarkers().draw(chain, found, targets, ARMS, 0.3))).of("solution_")
    hands = [part for parts in drawn.values() for part in parts if part.mesh_resource in HAND]
    assert len(hands) == len({part.id for part in hands}) > 0
    for part in hands:
        assert (part.color.r, part.color.g, part.color.b) == pytest.approx(colors.STILL)
    # A single arm has all its parts in its own colour.
    drawn = shown(sent(SolutionMarkers().draw(chain, found, targets, 1, 0.3)))
    (arm,) = drawn.of("solution_").values()
    assert {round(part.color.a, 6) for part in arm} == {0.3}


def test_a_cylinder_that_turns_about_its_axis_is_drawn_once(sent):
    """The column of the Panda that ships."""
    chain = load_robot("panda")
    target = chain.forward((chain.lower + chain.upper) / 2.0)
    found = IKSolver(chain).solve(target, 20)
    assert np.ptp(found.of(0)[:, 0]) > 0.5
    drawn = shown(sent(SolutionMarkers().draw(chain, found, target[None], 20, 0.3)))
    drawn = drawn.of("solution_")
    cylinders = [p for parts in drawn.values() for p in parts if p.type == Marker.CYLINDER]
    column = [part for part in cylinders if np.isclose(part.pose.position.z, 0.233)]
    assert len(column) == 1 and column[0].color.a == 1.0
    shoulder = [part for part in cylinders if np.isclose(part.pose.position.z, 0.333)]
    assert len(shoulder) == 20  # it lies across: turned, it looks different


def test_what_other_joints_move_is_not_drawn(sent):
    """Only the robot's own display knows where a second arm is."""
    parts = ['<robot name="two"><link name="table">']
    box = '<visual><geometry><box size="{} 0.1 0.1"/></geometry></visual></link>'
    parts += [box.format(1.0), f'<link name="loose">{box.format(0.5)}']
    parts.append('<joint name="lies" type="floating"><parent link="table"/><child link="loose"/>')
    parts.append("</joint>")
    for number, side in enumerate(("left", "right")):
        for link in ("base", "arm"):
            parts.append(f'<link name="{side}_{link}">{box.format(0.2 + 0.1 * number)}')
        parts.append(
            f'<joint name="{side}_mount" type="fixed"><parent link="table"/>'
            f'<child link="{side}_base"/></joint>'
            f'<joint name="{side}_turn" type="continuous"><parent link="{side}_base"/>'
            f'<child link="{side}_arm"/><axis xyz="0 0 1"/></joint>'
        )
    chain = KinematicChain.from_urdf("".join(parts) + "</robot>", "left_base", "left_arm")
    target = np.eye(4)
    found = IKSolver(chain).solve(target, 1)
    drawn = shown(sent(SolutionMarkers().draw(chain, found, target[None], 20, 0.3)))
    sizes = sorted(round(part.scale.x, 6) for part in drawn.of("base")["base"])
    assert sizes == [
        0.2,
        0.3,
        1.0,
    ]  # the table and both bases, not the right arm or what lies


def test_simple_shapes_instead_of_meshes(chain, solved, sent):
    found, targets = solved
    pictures = SolutionMarkers()
    drawn = sent(pictures.draw(chain, found, targets, 20, 0.3))
    assert Marker.MESH_RESOURCE in {part.type for part in drawn.markers}
    drawn = shown(sent(pictures.draw(chain, found, targets, 20, 0.3, meshes=False)))
    assert len(drawn.of("solution_")) == 20
    types = {part.type for parts in drawn.of("solution_").values() for part in parts}
    assert types == {Marker.CYLINDER, Marker.SPHERE}


def test_bytes_say_the_same_as_messages(chain, solved, monkeypatch, sent):
    """Where the middleware's format is not the known one, the slow way draws the same."""
    found, targets = solved
    pictures = []
    for kind in (bytes, MarkerArray):
        message = SolutionMarkers().draw(chain, found, targets, 7, 0.3)
        assert isinstance(message, kind)
        pictures.append(shown(sent(message)).markers)
        monkeypatch.setattr(marker_template, "_find", lambda *_: ())
    assert pictures[0] == pictures[1] and len(pictures[0]) > 40


def test_two_hundred_arms_are_published_in_under_50_ms(chain, solved, topic):
    found, targets = solved
    publisher, arrived = topic

    def publish(pictures):
        # Of this thread alone: who listens, and what else runs on the machine, is not ours.
        start = time.thread_time()
        publisher.publish(pictures.draw(chain, found, targets, ARMS, 0.3))
        return time.thread_time() - start

    fresh = [SolutionMarkers() for _ in range(3)]
    first = [publish(pictures) for pictures in fresh]
    later = [publish(pictures) for pictures, _ in itertools.product(fresh, range(5))]
    times = min(first), statistics.median(later)
    print("first picture {:.1f} ms, later {:.1f} ms".format(*(1e3 * t for t in times)))
    assert times[1] < 0.05
    # Once after a change of the robot or of how many arms there are.
    assert times[0] < 0.25
    publisher.publish(fresh[0].draw(chain, found, targets, 1, 0.3))
    while len(shown(arrived.next()).of("solution_")) != 1:
        pass
