"""The part of moveit_msgs that IK needs, built if the real package is not installed.

The Python package index has no moveit_msgs. So that the tests talk over the real wire types, it
and the interface packages that it needs are generated and built here once, with the published
names and fields, and those constants that are used, into a folder that is kept, and put before
whoever imports them.
"""

import ctypes
import fcntl
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
POSE, POINT, VECTOR = "geometry_msgs/Pose", "geometry_msgs/Point", "geometry_msgs/Vector3"
HEADER, STAMPED = "std_msgs/Header", "geometry_msgs/PoseStamped"

# Packages in the order of their dependencies; for each its interfaces as "type name" lines.
PACKAGES = {
    "shape_msgs": {
        "msg/MeshTriangle": "uint32[3] vertex_indices",
        "msg/Mesh": f"MeshTriangle[] triangles; {POINT}[] vertices",
        "msg/Plane": "float64[4] coef",
        "msg/SolidPrimitive": "uint8 BOX=1; uint8 SPHERE=2; uint8 CYLINDER=3; uint8 CONE=4; "
        "uint8 type; float64[<=3] dimensions; geometry_msgs/Polygon polygon",
    },
    "object_recognition_msgs": {"msg/ObjectType": "string key; string db"},
    "octomap_msgs": {
        "msg/Octomap": f"{HEADER} header; bool binary; string id; float64 resolution; int8[] data",
        "msg/OctomapWithPose": f"{HEADER} header; {POSE} origin; Octomap octomap",
    },
    "moveit_msgs": {
        "msg/JointConstraint": "string joint_name; float64 position; float64 tolerance_above; "
        "float64 tolerance_below; float64 weight",
        "msg/BoundingVolume": f"shape_msgs/SolidPrimitive[] primitives; {POSE}[] primitive_poses; "
        f"shape_msgs/Mesh[] meshes; {POSE}[] mesh_poses",
        "msg/PositionConstraint": f"{HEADER} header; string link_name; "
        f"{VECTOR} target_point_offset; BoundingVolume constraint_region; float64 weight",
        "msg/OrientationConstraint": f"{HEADER} header; geometry_msgs/Quaternion orientation; "
        "string link_name; float64 absolute_x_axis_tolerance; float64 absolute_y_axis_tolerance; "
        "float64 absolute_z_axis_tolerance; uint8 parameterization; float64 weight",
        "msg/VisibilityConstraint": f"float64 target_radius; {STAMPED} target_pose; "
        f"int32 cone_sides; {STAMPED} sensor_pose; float64 max_view_angle; "
        "float64 max_range_angle; uint8 sensor_view_direction; float64 weight",
        "msg/Constraints": "string name; JointConstraint[] joint_constraints; "
        "PositionConstraint[] position_constraints; "
        "OrientationConstraint[] orientation_constraints; "
        "VisibilityConstraint[] visibility_constraints",
        "msg/CollisionObject": f"{HEADER} header; {POSE} pose; string id; "
        "object_recognition_msgs/ObjectType type; shape_msgs/SolidPrimitive[] primitives; "
        f"{POSE}[] primitive_poses; shape_msgs/Mesh[] meshes; {POSE}[] mesh_poses; "
        f"shape_msgs/Plane[] planes; {POSE}[] plane_poses; string[] subframe_names; "
        f"{POSE}[] subframe_poses; byte ADD=0; byte REMOVE=1; byte APPEND=2; byte MOVE=3; "
        "byte operation",
        "msg/AttachedCollisionObject": "string link_name; CollisionObject object; "
        "string[] touch_links; trajectory_msgs/JointTrajectory detach_posture; float64 weight",
        "msg/RobotState": "sensor_msgs/JointState joint_state; "
        "sensor_msgs/MultiDOFJointState multi_dof_joint_state; "
        "AttachedCollisionObject[] attached_collision_objects; bool is_diff",
        "msg/MoveItErrorCodes": "int32 val; int32 SUCCESS=1; int32 FAILURE=99999; "
        "int32 TIMED_OUT=-6; int32 INVALID_GROUP_NAME=-15; int32 INVALID_GOAL_CONSTRAINTS=-16; "
        "int32 INVALID_ROBOT_STATE=-17; int32 INVALID_LINK_NAME=-18; "
        "int32 FRAME_TRANSFORM_FAILURE=-21; int32 NO_IK_SOLUTION=-31; "
        "string message; string source",
        "msg/PositionIKRequest": "string group_name; RobotState robot_state; "
        "Constraints constraints; bool avoid_collisions; string ik_link_name; "
        f"{STAMPED} pose_stamped; string[] ik_link_names; {STAMPED}[] pose_stamped_vector; "
        "builtin_interfaces/Duration timeout",
        "msg/ContactInformation": f"{HEADER} header; {POINT} position; {VECTOR} normal; "
        "float64 depth; string contact_body_1; uint32 body_type_1; string contact_body_2; "
        "uint32 body_type_2",
        "msg/CostSource": f"float64 cost_density; {VECTOR} aabb_min; {VECTOR} aabb_max",
        "msg/ConstraintEvalResult": "bool result; float64 distance",
        "msg/AllowedCollisionEntry": "bool[] enabled",
        "msg/AllowedCollisionMatrix": "string[] entry_names; "
        "AllowedCollisionEntry[] entry_values; string[] default_entry_names; "
        "bool[] default_entry_values",
        "msg/LinkPadding": "string link_name; float64 padding",
        "msg/LinkScale": "string link_name; float64 scale",
        "msg/ObjectColor": "string id; std_msgs/ColorRGBA color",
        "msg/PlanningSceneWorld": "CollisionObject[] collision_objects; "
        "octomap_msgs/OctomapWithPose octomap",
        "msg/PlanningScene": "string name; RobotState robot_state; string robot_model_name; "
        "geometry_msgs/TransformStamped[] fixed_frame_transforms; "
        "AllowedCollisionMatrix allowed_collision_matrix; LinkPadding[] link_padding; "
        "LinkScale[] link_scale; ObjectColor[] object_colors; PlanningSceneWorld world; "
        "bool is_diff",
        "msg/PlanningSceneComponents": "uint32 SCENE_SETTINGS=1; uint32 ROBOT_STATE=2; "
        "uint32 ROBOT_STATE_ATTACHED_OBJECTS=4; uint32 WORLD_OBJECT_NAMES=8; "
        "uint32 WORLD_OBJECT_GEOMETRY=16; uint32 OCTOMAP=32; uint32 TRANSFORMS=64; "
        "uint32 ALLOWED_COLLISION_MATRIX=128; uint32 LINK_PADDING_AND_SCALING=256; "
        "uint32 OBJECT_COLORS=512; uint32 components",
        "srv/GetPlanningScene": "PlanningSceneComponents components; ---; PlanningScene scene",
        "srv/ApplyPlanningScene": "PlanningScene scene; ---; bool success",
        "srv/GetPositionIK": "PositionIKRequest ik_request; ---; RobotState solution; "
        "MoveItErrorCodes error_code",
        "srv/GetStateValidity": "RobotState robot_state; string group_name; "
        "Constraints constraints; ---; bool valid; ContactInformation[] contacts; "
        "CostSource[] cost_sources; ConstraintEvalResult[] constraint_result",
    },
}
PRESENT = "builtin_interfaces std_msgs geometry_msgs sensor_msgs trajectory_msgs".split()
_ours = []
"""The folder of those built here, once they are in use."""
# Python reaches the middleware through C: without the C++ half the build takes half as long.
# Topics need introspection as well, services do not.
CMAKE = """cmake_minimum_required(VERSION 3.16)
project({name})
find_package(ament_cmake REQUIRED)
foreach(part rosidl_cmake rosidl_generator_type_description rosidl_generator_c
        rosidl_typesupport_fastrtps_c rosidl_typesupport_introspection_c rosidl_typesupport_c
        rosidl_generator_py {dependencies})
  find_package(${{part}} REQUIRED)
endforeach()
list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")
rosidl_generate_interfaces(${{PROJECT_NAME}} {interfaces} DEPENDENCIES {dependencies})
# Sources of one library are compiled as one, all but descriptions, which have static names.
get_target_property(sources ${{PROJECT_NAME}}__rosidl_generator_c SOURCES)
list(FILTER sources INCLUDE REGEX "__description[.]c$")
set_source_files_properties(${{sources}} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
ament_export_dependencies(rosidl_default_runtime {dependencies})
ament_package()
"""
XML = """<package format="3"><name>{name}</name><version>0.0.0</version>
<description>Interfaces for tests</description><maintainer email="tests@example.invalid">tests
</maintainer><license>Apache-2.0</license><buildtool_depend>ament_cmake</buildtool_depend>
{dependencies}<member_of_group>rosidl_interface_packages</member_of_group>
<export><build_type>ament_cmake</build_type></export></package>
"""


def require():
    """Make moveit_msgs importable, or skip the test or the module that needs it."""
    if fault := provide():
        pytest.skip(fault, allow_module_level=True)


def provide():
    """Make moveit_msgs importable, here and in child processes; build it if necessary.

    Returns an empty string, or why it could not be built.
    """
    if installed() or _ours:
        return ""
    prefix = _prefix()
    with _locked(prefix):
        if not (prefix / "complete").exists():
            fault = _build(prefix)
            if fault:
                return fault
            (prefix / "complete").touch()
    site = next((prefix / "install").glob("lib/python3*/site-packages"))
    sys.path.append(str(site))
    for variable, path in (
        ("PYTHONPATH", site),
        ("LD_LIBRARY_PATH", prefix / "install" / "lib"),
        ("AMENT_PREFIX_PATH", prefix / "install"),
    ):
        before = os.environ.get(variable)
        os.environ[variable] = f"{path}{os.pathsep}{before}" if before else str(path)
    # The linker of this process has read its path; what is loaded is found by its name.
    for library in sorted((prefix / "install" / "lib").glob("*typesupport_*_c.so")):
        ctypes.CDLL(str(library))
    importlib.invalidate_caches()
    _ours.append(prefix)
    return ""


def installed():
    """Whether the real package is installed."""
    return not _ours and importlib.util.find_spec("moveit_msgs") is not None


def _prefix():
    text = json.dumps([PACKAGES, CMAKE, XML, sys.version, sys.prefix, str(CHECKOUT)])
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return CHECKOUT / "build" / f"moveit_msgs-{digest}"


class _locked:
    """Allow one build at a time, even if several test runs share a checkout."""

    def __init__(self, prefix):
        prefix.mkdir(parents=True, exist_ok=True)
        self._file = (prefix / "lock").open("w")

    def __enter__(self):
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        self._file.close()


def _build(prefix):
    for name, interfaces in PACKAGES.items():
        others = [*PRESENT, *(package for package in PACKAGES if package != name)]
        dependencies = [other for other in others if f"{other}/" in " ".join(interfaces.values())]
        source = prefix / "src" / name
        for path, fields in interfaces.items():
            file = source / f"{path}.{path[:3]}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(fields.split("; ")) + "\n")
        files = " ".join(f'"{path}.{path[:3]}"' for path in interfaces)
        (source / "CMakeLists.txt").write_text(
            CMAKE.format(name=name, interfaces=files, dependencies=" ".join(dependencies))
        )
        depend = "".join(f"<depend>{other}</depend>" for other in dependencies)
        (source / "package.xml").write_text(XML.format(name=name, dependencies=depend))
    environment = {
        **os.environ,
        "AMENT_PREFIX_PATH": sys.prefix,
        "CMAKE_PREFIX_PATH": sys.prefix,
        "PATH": f"{sys.prefix}/bin{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": sys.prefix,
        "MAKEFLAGS": f"-j{os.cpu_count()}",
    }
    command = [f"{sys.prefix}/bin/colcon", "--log-base", f"{prefix}/log", "build", "--base-paths"]
    command += [f"{prefix}/src", "--build-base", f"{prefix}/build", "--merge-install"]
    command += ["--install-base", f"{prefix}/install", "--event-handlers", "console_cohesion+"]
    command += ["--cmake-args", "-DCMAKE_BUILD_TYPE=None", "-DBUILD_TESTING=OFF"]
    command += ["-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0"]
    command += [f"-DCMAKE_INSTALL_RPATH={prefix}/install/lib", "-DCMAKE_C_FLAGS=-O0 -w"]
    command += ["-DCMAKE_CXX_FLAGS=-O0 -w", f"-DPython3_EXECUTABLE={sys.executable}"]
    command += ["-DPython3_FIND_VIRTUALENV=ONLY"]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=600
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"moveit_msgs is not installed and cannot be built for the tests: {error}"
    if done.returncode:
        log = prefix / "build.log"
        log.write_text(done.stdout + done.stderr)
        return f"moveit_msgs is not installed and its build for the tests failed, see {log}"
    return ""
