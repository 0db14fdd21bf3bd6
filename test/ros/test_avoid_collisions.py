"""Requests that avoid collisions: replies are free of them by coal alone, and errors say why."""

import itertools
import math
import re
import time

import numpy as np
import pytest
from ik_client import Response, path_request, request
from solid_panda import DISABLED, SRDF, Truth, boxes_file

pytest.importorskip("coal")

BOXES = {
    "table": ((1.2, 1.2, 0.05), (0.5, 0.0, -0.03)),
    "wall": ((0.05, 1.0, 1.0), (0.75, 0.0, 0.5)),
    "shelf": ((0.3, 0.6, 0.02), (0.5, 0.3, 0.5)),
}
ENCLOSED = {"block": ((0.4, 0.4, 0.4), (0.5, 0.0, 0.4))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("scenes")


@pytest.fixture(scope="module")
def node(start_node, solid_urdf, folder):
    return start_node(
        robot_description=solid_urdf,
        robot_description_semantic=SRDF,
        tip_link="panda_hand_tcp",
        scene_file=boxes_file(folder / "boxes.yaml", **BOXES),
    )


@pytest.fixture(scope="module")
def client(node, client_of, solid_urdf):
    client = client_of(node)
    message = request(np.eye(4)[None], avoid_collisions=True)
    client.until(message, lambda one: one.status > 0, timeout=120.0)
    return client


@pytest.fixture(scope="module")
def truth(solid_urdf):
    return Truth(solid_urdf, BOXES, DISABLED)


@pytest.fixture(scope="module")
def targets(panda):
    share = np.random.default_rng(0).uniform(0.3, 0.7, (30, 7))
    return panda.forward(panda.lower + share * (panda.upper - panda.lower))


@pytest.fixture
def restored(client, folder):
    """Parameters are set back after a test that changes them."""
    yield
    back = {
        "scene_file": str(folder / "boxes.yaml"), "avoid_collisions": False,
        "collision_padding": 0.0, "point_cloud_topic": "",
    }  # fmt: skip
    assert all(one.successful for one in client.set_parameters(**back))


def hits(truth, panda, response, margin=0.0, **others):
    """What collides in each configuration of a reply."""
    return truth.of_reply(panda.joint_names, response, margin, **others)


def test_every_solution_is_free_by_coal_where_plain_ones_are_not(client, panda, truth, targets):
    plain, free = 0, 0
    for target in targets:
        plain += any(hits(truth, panda, client.call(request(target[None], num_solutions=1))))
        response = client.call(request(target[None], num_solutions=5, avoid_collisions=True))
        found = hits(truth, panda, response)
        assert not any(found), found
        free += len(found)
        assert len(response.clearance) == len(found)
        reached = panda.forward(np.reshape(response.positions, (-1, 7)))
        assert np.allclose(reached, target, atol=2e-5)
    # Otherwise the scene is no test.
    assert plain > 5 and free > 50


def test_the_widest_clearance_comes_first_and_is_optimized(client, panda, truth, targets):
    best = []
    for optimize in (False, True):
        order = {"order_by": "clearance", "optimize": optimize, "avoid_collisions": True}
        response = client.call(request(targets[:6], num_solutions=4, timeout=10.0, **order))
        assert not any(hits(truth, panda, response))
        starts = np.cumsum([0, *response.counts])[:-1]
        gaps = np.split(np.array(response.clearance), starts[1:])
        assert all((np.diff(one) <= 1e-12).all() for one in gaps)
        best.append(sum(one[0] for one in gaps if len(one)))
    assert best[1] > best[0] > 0.0


def test_a_batch_and_a_seed_state(client, panda, truth, targets):
    response = client.call(request(targets, num_solutions=3, avoid_collisions=True, timeout=10.0))
    assert response.status == Response.PARTIAL
    assert "; target " in response.message and "reached in collision only: " in response.message
    assert len(response.counts) == len(targets) and sum(response.counts) == len(response.clearance)
    assert not any(hits(truth, panda, response))
    start = 0
    for target, count in zip(targets, response.counts, strict=True):
        if count:
            seed = np.reshape(response.positions, (-1, 7))[start]
            answer = client.call(
                request(
                    target[None], num_solutions=4, seed_state=seed.tolist(), avoid_collisions=True
                )
            )
            q = np.reshape(answer.positions, (-1, 7))
            assert not any(hits(truth, panda, answer)) and np.allclose(q[0], seed, atol=1e-4)
        start += count


def on_the_way(truth, panda, response):
    """What collides at points of a trajectory, at most 60 of them."""
    points = response.trajectory.points
    rows = [one.positions for one in points[:: 1 + len(points) // 60]]
    pairs = [truth.pairs(dict(zip(panda.joint_names, q, strict=True)), 0.0) for q in rows]
    return [pair for pair in pairs if pair]


def test_paths_lead_around_obstacles_that_plain_ones_run_into(
    client, solid_urdf, panda, folder, restored
):
    """A line in front of the arm, and a beam where its elbow would be."""
    beam = {"beam": ((0.06, 1.2, 0.06), (0.25, 0.0, 0.72))}
    assert client.set_parameters(scene_file=boxes_file(folder / "beam.yaml", **beam))[0].successful
    targets = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (150, 1, 1))
    targets[:, :3, 3] = np.linspace([0.5, -0.4, 0.3], [0.5, 0.4, 0.3], 150)
    oracle = Truth(solid_urdf, beam, DISABLED)
    plain = client.call_path(path_request(targets, timeout=20.0))
    assert plain.status == 1 and on_the_way(oracle, panda, plain)
    response = client.call_path(path_request(targets, timeout=20.0, avoid_collisions=True))
    assert response.status == 1, response.message
    found = on_the_way(oracle, panda, response)
    assert not found and response.clearance >= 0.0, found
    inside = {"block": ((0.4, 0.4, 0.4), (0.5, 0.0, 0.3))}
    assert client.set_parameters(scene_file=boxes_file(folder / "in.yaml", **inside))[0].successful
    response = client.call_path(path_request(targets, timeout=20.0, avoid_collisions=True))
    assert response.status in (2, 3) and "block" in response.reason and response.fraction < 0.5


def test_a_pose_that_is_reached_in_collision_only_says_between_what(
    client, panda, targets, folder, restored
):
    block = boxes_file(folder / "block.yaml", **ENCLOSED)
    assert client.set_parameters(scene_file=block)[0].successful
    inside = np.diag([1.0, -1.0, -1.0, 1.0])
    inside[:3, 3] = (0.5, 0.0, 0.4)
    response = client.call(request(inside[None], num_solutions=5, avoid_collisions=True))
    assert response.status == Response.NO_SOLUTION and list(response.counts) == [0]
    words, _, pair = response.message.partition(": ")
    assert words == "reached in collision only" and pair.endswith(" with block")
    assert pair.startswith("panda_") and not len(response.clearance)
    assert np.allclose(panda.forward(np.array(response.best_effort)), inside, atol=2e-5)
    several = np.stack([inside, inside])
    response = client.call(request(several, num_solutions=1, avoid_collisions=True))
    assert response.message.endswith("(2 of 2 targets are)")
    assert client.call(request(inside[None], num_solutions=5)).status == Response.SOLVED


def test_the_padding_is_kept(client, panda, truth, targets, restored):
    assert client.set_parameters(collision_padding=0.05)[0].successful
    for target in targets[:20]:
        response = client.call(request(target[None], num_solutions=3, avoid_collisions=True))
        among = truth.without_self()
        assert not any(hits(among, panda, response, margin=0.05 - 1e-6))


def test_the_parameter_holds_for_all_requests(client, panda, truth, targets, restored):
    assert client.set_parameters(avoid_collisions=True)[0].successful
    for target in targets[:20]:
        response = client.call(request(target[None], num_solutions=3, avoid_collisions=False))
        assert not any(hits(truth, panda, response))
    assert len(response.clearance) == sum(response.counts)


def test_joints_outside_the_chain_are_where_the_seed_state_says(
    client, solid_urdf, panda, targets
):
    """A wide open gripper does not fit where a closed one does."""
    names = [*panda.joint_names, "panda_finger_joint1"]
    message = request(targets[:1], num_solutions=3, avoid_collisions=True, seed_joint_names=names)
    for opening in (0.0, 0.04):
        message.seed_state = [*((panda.lower + panda.upper) / 2.0).tolist(), opening]
        response = client.call(message)
        truth = Truth(solid_urdf, BOXES, DISABLED)
        assert not any(hits(truth, panda, response, panda_finger_joint1=opening))
        assert response.status > 0
    message.seed_state = [*message.seed_state[:7], math.nan]
    answer = client.call(message)
    assert answer.status == Response.INVALID_REQUEST
    assert "panda_finger_joint1" in answer.message
    message.avoid_collisions = False
    assert client.call(message).status > 0


def test_deadlines_are_kept_as_without_checks(client, targets):
    for _ in range(5):  # the machine may be busy with something else now and then
        late = {False: 0, True: 0}
        for target, timeout in itertools.product(targets, (0.003, 0.02)):
            for avoid in late:
                start = time.perf_counter()
                client.call(
                    request(
                        target[None], num_solutions=1000, avoid_collisions=avoid, timeout=timeout
                    )
                )
                late[avoid] += time.perf_counter() - start > timeout + 0.02
        if late[True] <= late[False] + 0.05 * 2 * len(targets):
            return
    pytest.fail(f"late with checks and without in the last of all attempts: {late}")


def test_health_says_what_is_checked_among_what(node, client):
    shown = node.health()
    assert "on request; geometry ready" in shown.stdout
    assert "3 obstacles, 0 points, 0 attached" in shown.stdout


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("world: {collision_objects: [{id: a}]}", "collision object 'a' has no shapes"),
        ("table: 1", "neither a MoveIt planning scene"),
        ("a: [", "YAML"),
        (None, "No such file"),
    ],
)
def test_a_scene_that_cannot_be_used_is_refused(client, folder, targets, content, reason):
    path = folder / "bad.yaml"
    path.unlink(missing_ok=True)
    if content is not None:
        path.write_text(content)
    (result,) = client.set_parameters(scene_file=str(path))
    assert not result.successful and reason in result.reason and "bad.yaml" in result.reason
    assert client.get_parameters("scene_file")[0].string_value.endswith("boxes.yaml")
    assert client.call(request(targets[:1], avoid_collisions=True)).status > 0


def test_a_scene_of_links_that_the_robot_lacks_is_an_answer(client, folder, targets, restored):
    path = folder / "moon.yaml"
    path.write_text((folder / "boxes.yaml").read_text().replace("panda_link0", "moon"))
    assert client.set_parameters(scene_file=str(path))[0].successful
    answer = client.call(request(targets[:1], avoid_collisions=True))
    assert answer.status == Response.INVALID_REQUEST and "unknown link 'moon'" in answer.message
    assert client.call(request(targets[:1])).status > 0


def test_a_bad_scene_at_the_start_ends_the_node_with_one_line(start_node, solid_urdf, folder):
    from node_process import NodeProcess

    (folder / "worse.yaml").write_text("table: 1")
    node = NodeProcess(robot_description=solid_urdf, scene_file=str(folder / "worse.yaml"))
    code, _ = node.wait()
    assert code == 2 and "neither a MoveIt planning scene" in node.output()
    assert "Traceback" not in node.output()


WITH_MESHES = "<mesh filename='package://panda_meshes/hand.stl'/>"


@pytest.fixture(scope="module")
def meshed(solid_urdf):
    """The Panda with a mesh for its hand."""
    head, tail = solid_urdf.split('<link name="panda_hand">')
    return (
        head
        + f'<link name="panda_hand"><collision><geometry>{WITH_MESHES}</geometry></collision>'
        + tail
    )


def test_missing_meshes_are_said_and_all_else_works(
    start_node, client_of, meshed, targets, tmp_path
):
    import trimesh

    node = start_node(
        robot_description=meshed, robot_description_semantic=SRDF, tip_link="panda_hand_tcp"
    )
    client = client_of(node)
    answer = client.call(request(targets[:1], num_solutions=3, avoid_collisions=True, timeout=5.0))
    assert answer.status == Response.INVALID_REQUEST
    assert "1 of 1 collision meshes were not found" in answer.message
    assert "package://panda_meshes/hand.stl" in answer.message
    assert "parameter mesh_dirs" in answer.message
    for _ in range(2):
        client.call(request(targets[:1], num_solutions=3, avoid_collisions=True))
    assert node.printed_once("no collision checks for robot 'panda'")
    assert client.call(request(targets[:1], num_solutions=3)).status == Response.SOLVED
    assert "geometry unusable: collisions cannot be checked" in node.health().stdout
    (result,) = client.set_parameters(mesh_dirs=str(tmp_path / "nothing"))
    assert not result.successful and "there is no folder" in result.reason
    (tmp_path / "panda_meshes").mkdir()
    trimesh.creation.box([0.2, 0.06, 0.06]).export(tmp_path / "panda_meshes" / "hand.stl")
    assert client.set_parameters(mesh_dirs=str(tmp_path))[0].successful
    answer = client.call(request(targets[:1], num_solutions=3, avoid_collisions=True, timeout=9.0))
    assert answer.status > 0, answer.message


def test_a_robot_without_collision_elements_is_not_taken_for_free(
    start_node, client_of, panda_urdf, targets, tmp_path
):
    bare = re.sub("<collision>.*?</collision>", "", panda_urdf, flags=re.DOTALL)
    bare = re.sub("<mesh.*?/>", '<sphere radius="0.02"/>', bare)
    node = start_node(robot_description=bare, tip_link="panda_hand_tcp")
    client = client_of(node)
    answer = client.call(request(targets[:1], avoid_collisions=True, timeout=5.0))
    assert answer.status == Response.INVALID_REQUEST
    assert "has no collision elements" in answer.message
    assert "collision_visuals" in answer.message
    # Its base alone has a shape, which does not move.
    shape = '<collision><geometry><sphere radius="0.02"/></geometry></collision>'
    base = bare.replace('<link name="panda_link0">', f'<link name="panda_link0">{shape}')
    assert base != bare
    scene = boxes_file(tmp_path / "boxes.yaml", **BOXES)
    results = client.set_parameters(robot_description=base, scene_file=scene)
    assert all(result.successful for result in results), results
    answer = client.call(request(targets[:1], avoid_collisions=True, timeout=30.0))
    assert answer.status == Response.INVALID_REQUEST
    assert "no link that the chain to panda_hand_tcp moves has collision shapes" in answer.message
    assert node.printed_once("no link of robot 'panda' that its joints move has")
    assert client.set_parameters(collision_visuals=True)[0].successful
    answer = client.call(request(targets[:1], avoid_collisions=True, timeout=30.0))
    assert answer.status > 0, answer.message


def test_geometry_is_read_before_the_robot_is_ready_if_all_requests_need_it(
    start_node, client_of, solid_urdf, panda, targets, truth, folder
):
    node = start_node(
        robot_description=solid_urdf,
        robot_description_semantic=SRDF,
        tip_link="panda_hand_tcp",
        avoid_collisions=True,
        scene_file=str(folder / "boxes.yaml"),
    )
    client = client_of(node)
    node.wait_for("robot 'panda' ready")
    assert node.output().index("collision geometry") < node.output().index("robot 'panda' ready")
    response = client.call(request(targets[:1], num_solutions=5, timeout=0.2))
    assert response.status > 0 and not any(hits(truth, panda, response))


def test_a_request_does_not_wait_for_geometry_beyond_its_deadline(
    start_node, client_of, solid_urdf, targets, monkeypatch, tmp_path
):
    file = tmp_path / "read it"
    monkeypatch.setenv("LATE_GEOMETRY", str(file))
    node = start_node(module="late_node", robot_description=solid_urdf, tip_link="panda_hand_tcp")
    client = client_of(node)
    message = request(targets[:1], num_solutions=1, avoid_collisions=True, timeout=0.1)
    # While others compile, a request may also not get a turn in time.
    answer = client.until(
        message, lambda one: one.status != Response.BUSY and one.total_time < 0.3
    )
    assert answer.status == Response.PREPARING
    assert "the collision geometry of robot 'panda' is being read; try again" in answer.message
    plain = request(targets[:1], num_solutions=1, timeout=0.5)
    assert client.until(plain, lambda one: one.status != Response.BUSY).status == Response.SOLVED
    file.touch()
    waiting = Response.PREPARING, Response.BUSY
    answer = client.until(message, lambda one: one.status not in waiting, 120.0)
    assert answer.status > 0, answer.message
