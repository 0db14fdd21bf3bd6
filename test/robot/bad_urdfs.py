"""Malformed robot descriptions with the error that each must raise; shared by all test folders.

`BAD_URDFS` walks every fault that a URDF text can have; `GOOD_URDF` is the sound robot that most
of them are a mutation of. Use them as

    @pytest.mark.parametrize("bad", BAD_URDFS, ids=lambda bad: bad.id)
    def test_...(bad):
        with pytest.raises(bad.error, match=re.escape(bad.message)):
            KinematicChain.from_urdf(bad.text, bad.base_link, bad.tip_link)
"""

import re
from dataclasses import dataclass

from generative_ik_ros.errors import (
    AmbiguousChainError,
    GenerativeIKError,
    RobotDescriptionError,
    UnknownNameError,
)

GOOD_URDF = """<?xml version="1.0"?>
<robot name="good">
  <link name="base"/>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-2.5" upper="2" effort="10" velocity="1"/>
  </joint>
  <link name="upper"/>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="slider"/>
    <origin xyz="0.4 0 0" rpy="0 1.5 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-0.1" upper="0.5" effort="10" velocity="1"/>
  </joint>
  <link name="slider"/>
  <joint name="roll" type="continuous">
    <parent link="slider"/><child link="wrist"/>
    <origin xyz="0 0.2 0" rpy="0.3 0 0"/>
    <axis xyz="1 0 0"/>
  </joint>
  <link name="wrist"/>
  <joint name="flange" type="fixed">
    <parent link="wrist"/><child link="tip"/>
    <origin xyz="0 0 0.1"/>
  </joint>
  <link name="tip"/>
</robot>
"""
"""Three joints from base to tip, one of each kind that moves; nothing wrong with it."""


@dataclass(frozen=True)
class BadUrdf:
    """A description, the chain to ask of it, and what must come of that."""

    id: str
    text: str
    message: str
    base_link: str | None = None
    tip_link: str | None = None
    error: type[GenerativeIKError] = RobotDescriptionError


def edited(*replacements: tuple[str, str]) -> str:
    """Return GOOD_URDF with each first occurrence replaced."""
    text = GOOD_URDF
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def with_extra(extra: str) -> str:
    """Return GOOD_URDF with elements added at its end."""
    return edited(("</robot>", extra + "</robot>"))


def joint(name: str, parent: str, child: str, kind: str = "fixed", inside: str = "") -> str:
    """Return the text of a joint."""
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


_TURN_LIMIT = '<limit lower="-2.5" upper="2" effort="10" velocity="1"/>'
_SLIDE_LIMIT = '<limit lower="-0.1" upper="0.5" effort="10" velocity="1"/>'
_TURN_ORIGIN = '<origin xyz="0 0 0.3" rpy="0 0 0"/>'
_TURN_AXIS = '<axis xyz="0 0 1"/>'
_ENTITIES = '<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


def _turn(**attributes: str) -> str:
    """GOOD_URDF with the turn joint's limit element replaced."""
    written = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    return edited((_TURN_LIMIT, f"<limit {written}/>"))


def _mimic(inside: str, limit: str = _TURN_LIMIT) -> str:
    """GOOD_URDF with a mimic element in its turn joint."""
    return edited((_TURN_LIMIT, limit + inside))


BAD_URDFS: list[BadUrdf] = [
    # No URDF at all.
    BadUrdf("empty", "", "empty"),
    BadUrdf("only_white_space", " \n\t ", "empty"),
    BadUrdf("plain_words", "a robot arm\nwith seven joints", "does not start with '<'"),
    BadUrdf("json", '{"robot": "panda",\n "joints": []}', "does not start with '<'"),
    BadUrdf("truncated", GOOD_URDF[: len(GOOD_URDF) // 2], "is not XML"),
    BadUrdf("unclosed_tag", edited(('<link name="tip"/>', '<link name="tip">')), "is not XML"),
    BadUrdf("unquoted_attribute", edited(('"wrist"', "wrist")), "is not XML"),
    BadUrdf("bare_ampersand", edited(('"good"', '"good & bad"')), "is not XML"),
    BadUrdf("two_roots_in_the_xml", GOOD_URDF + "<robot/>", "is not XML"),
    BadUrdf("control_character", edited(('"good"', '"go\x00od"')), "is not XML"),
    BadUrdf("lone_surrogate", edited(('"good"', '"go\udc80od"')), "is not XML"),
    BadUrdf("html", "<!-- 404 --><html><body>Not found</body></html>", "root element is <html>"),
    BadUrdf("sdf", '<sdf version="1.9"><model name="m"/></sdf>', "the robot has no links"),
    BadUrdf(
        "robot_is_not_the_root",
        "<robots>" + re.sub(r"<\?.*\?>", "", GOOD_URDF) + "</robots>",
        "root element is <robots>",
    ),
    # Unexpanded xacro.
    BadUrdf(
        "xacro_macro",
        edited(
            ('name="good"', 'name="good" xmlns:xacro="http://www.ros.org/wiki/xacro"'),
            ('<link name="base"/>', '<link name="base"/><xacro:arm prefix="left"/>'),
        ),
        "unexpanded xacro",
    ),
    BadUrdf(
        "xacro_undeclared",
        edited(('<link name="base"/>', '<link name="base"/><xacro:arm/>')),
        "holds <xacro:arm>: it is unexpanded xacro",
    ),
    BadUrdf("xacro_number", edited(("0 0 0.3", "0 0 ${height}")), "unexpanded xacro"),
    BadUrdf("xacro_name", edited(('name="turn"', 'name="${prefix}turn"')), "unexpanded xacro"),
    # Attacks.
    BadUrdf(
        "doctype",
        GOOD_URDF.replace("<robot", "<!DOCTYPE robot><robot", 1),
        "DOCTYPE or entities",
    ),
    BadUrdf(
        "entity_expansion",
        _ENTITIES + ']><robot name="&i;"><link name="base"/></robot>',
        "DOCTYPE or entities",
    ),
    BadUrdf(
        "external_entity_file",
        '<!DOCTYPE robot [<!ENTITY file SYSTEM "file:///etc/hostname">]>'
        '<robot name="&file;"><link name="base"/></robot>',
        "DOCTYPE or entities",
    ),
    BadUrdf(
        "external_dtd",
        '<!DOCTYPE robot SYSTEM "http://192.0.2.1/robot.dtd"><robot><link name="base"/></robot>',
        "DOCTYPE or entities",
    ),
    BadUrdf("undeclared_entity", edited(('"good"', '"&secret;"')), "is not XML"),
    BadUrdf("too_large", f"<robot><!--{'x' * 2**24}--></robot>", "larger than 16 MiB"),
    BadUrdf("too_many_elements", f"<robot>{'<a/>' * 200_000}</robot>", "more than 200000"),
    BadUrdf("too_deep", f"<robot>{'<a>' * 64}{'</a>' * 64}</robot>", "nested deeper than 64"),
    BadUrdf(
        "endless_name",
        edited(('<link name="tip"', f'<link name="{"t" * 2000}"')),
        "is over 1000 long",
    ),
    # Links and joints.
    BadUrdf("no_links", '<robot name="empty"/>', "has no links"),
    BadUrdf("link_without_name", with_extra("<link/>"), "a link has no name"),
    BadUrdf("two_links_of_one_name", with_extra('<link name="tip"/>'), "links are named 'tip'"),
    BadUrdf("joint_without_name", edited((' name="turn"', "")), "a joint has no name"),
    BadUrdf("blank_joint_name", edited(('"turn"', '" "')), "a joint has no name"),
    BadUrdf("two_joints_of_one_name", edited(('"slide"', '"turn"')), "joints are named 'turn'"),
    BadUrdf("joint_without_type", edited((' type="revolute"', "")), "'turn' has no type"),
    BadUrdf(
        "unknown_joint_type",
        edited(('"revolute"', '"hinge"')),
        "unknown type 'hinge'; valid: revolute, continuous, prismatic, fixed",
    ),
    BadUrdf("no_parent", edited(('<parent link="base"/>', "")), "'turn' has no parent link"),
    BadUrdf("parent_unnamed", edited(('<parent link="base"/>', "<parent/>")), "no parent link"),
    BadUrdf("no_child", edited(('<child link="upper"/>', "")), "'turn' has no child link"),
    BadUrdf(
        "two_parent_elements",
        edited(('<parent link="base"/>', '<parent link="base"/><parent link="tip"/>')),
        "'turn' has 2 <parent> elements",
    ),
    BadUrdf(
        "two_origins", edited((_TURN_ORIGIN, _TURN_ORIGIN * 2)), "'turn' has 2 <origin> elements"
    ),
    BadUrdf(
        "unknown_parent",
        edited(('<parent link="base"/>', '<parent link="bass"/>')),
        "'turn' has the parent link 'bass', which is not defined; links: base, upper",
    ),
    BadUrdf(
        "unknown_child",
        edited(('<child link="tip"/>', '<child link="tipp"/>')),
        "'flange' has the child link 'tipp', which is not defined",
    ),
    # The tree.
    BadUrdf(
        "two_parents",
        with_extra(joint("extra", "base", "wrist")),
        "'wrist' is the child of two joints, 'roll' and 'extra'",
    ),
    BadUrdf(
        "joined_to_itself",
        with_extra('<link name="odd"/>' + joint("extra", "odd", "odd")),
        "'extra' joins 'odd' to itself",
    ),
    BadUrdf(
        "loop_with_the_root", with_extra(joint("extra", "tip", "base")), "form a loop: base, upper"
    ),
    BadUrdf(
        "loop_aside",
        with_extra(
            '<link name="a"/><link name="b"/>' + joint("ab", "a", "b") + joint("ba", "b", "a")
        ),
        "form a loop: a, b",
    ),
    BadUrdf(
        "several_roots", with_extra('<link name="loose"/>'), "2 root links, it must have one: base"
    ),
    # Numbers.
    BadUrdf("origin_word", edited(("0 0 0.3", "0 0 high")), "origin xyz holds 'high'"),
    BadUrdf("origin_comma", edited(("0 0 0.3", "0,0,0.3")), "origin xyz needs 3 numbers"),
    BadUrdf("origin_decimal_comma", edited(("0 0 0.3", "0 0 0,3")), "origin xyz holds '0,3'"),
    BadUrdf("origin_underscore", edited(("0 0 0.3", "0 0 1_0")), "origin xyz holds '1_0'"),
    BadUrdf("origin_two_numbers", edited(("0 0 0.3", "0 0")), "origin xyz needs 3 numbers"),
    BadUrdf("origin_four_numbers", edited(("0 0 0.3", "0 0 0 1")), "origin xyz needs 3 numbers"),
    BadUrdf("origin_no_numbers", edited(("0 0 0.3", "")), "origin xyz needs 3 numbers"),
    BadUrdf("origin_nan", edited(("0 0 0.3", "0 nan 0")), "origin xyz is not finite"),
    BadUrdf("origin_infinite", edited(("0 1.5 0", "0 -inf 0")), "origin rpy is not finite"),
    BadUrdf("origin_overflow", edited(("0 0 0.3", "0 0 1e999")), "origin xyz is too large"),
    BadUrdf("origin_huge", edited(("0 0 0.3", "0 0 1e12")), "origin xyz is too large"),
    BadUrdf(
        "origin_quaternion", edited(('rpy="0 0 0"', 'quat_xyzw="0 0 0 1"')), "quat_xyzw (URDF 1.2)"
    ),
    BadUrdf("axis_zero", edited((_TURN_AXIS, '<axis xyz="0 0 0"/>')), "'turn' has a zero axis"),
    BadUrdf("axis_nan", edited((_TURN_AXIS, '<axis xyz="0 nan 1"/>')), "axis xyz is not finite"),
    BadUrdf("axis_short", edited((_TURN_AXIS, '<axis xyz="0 1"/>')), "axis xyz needs 3 numbers"),
    BadUrdf("axis_word", edited((_TURN_AXIS, '<axis xyz="0 0 z"/>')), "axis xyz holds 'z'"),
    # Limits.
    BadUrdf("limit_nan", _turn(lower="nan", upper="1"), "limit lower is not finite"),
    BadUrdf("limit_infinite", _turn(lower="-1", upper="inf"), "joint 'turn' has no limits"),
    BadUrdf("limit_word", _turn(lower="-1", upper="pi"), "limit upper holds 'pi'"),
    BadUrdf("limit_empty", _turn(lower="", upper="1"), "limit lower needs 1 number"),
    BadUrdf(
        "limits_swapped", _turn(lower="1", upper="-1"), "lower limit 1 above its upper limit -1"
    ),
    BadUrdf("limits_missing", edited((_TURN_LIMIT, "")), "revolute joint 'turn' has no limits"),
    BadUrdf("limits_not_given", _turn(effort="1", velocity="1"), "'turn' has no limits; give"),
    BadUrdf(
        "prismatic_limits_missing",
        edited((_SLIDE_LIMIT, "")),
        "prismatic joint 'slide' has no limits; give it limits, there or by joint_limits=",
    ),
    BadUrdf(
        "prismatic_limits_absurd",
        edited((_SLIDE_LIMIT, '<limit lower="-1e16" upper="1e16"/>')),
        "give it real ones",
    ),
    BadUrdf("limit_one_sided_absurd", _turn(lower="0", upper="1e16"), "give it real ones"),
    # Mimic joints.
    BadUrdf("mimic_without_joint", _mimic("<mimic/>"), "mimic element names no joint"),
    BadUrdf(
        "mimic_unknown",
        _mimic('<mimic joint="nobody"/>'),
        "'turn' between 'base' and 'tip' mimics 'nobody', which is not defined: not supported; "
        "choose other links, or hold it by fixed=",
    ),
    BadUrdf("mimic_itself", _mimic('<mimic joint="turn"/>'), "'turn' mimics itself"),
    BadUrdf(
        "mimic_circle",
        edited(
            (_TURN_LIMIT, '<mimic joint="slide"/>'),
            (_SLIDE_LIMIT, '<mimic joint="turn"/>'),
        ),
        "mimic each other in a circle: turn, slide",
    ),
    BadUrdf("mimic_fixed", _mimic('<mimic joint="flange"/>'), "mimics 'flange', which is fixed"),
    BadUrdf(
        "mimic_nan",
        _mimic('<mimic joint="slide" multiplier="nan"/>'),
        "mimic multiplier is not finite",
    ),
    BadUrdf(
        "mimic_word", _mimic('<mimic joint="slide" offset="half"/>'), "mimic offset holds 'half'"
    ),
    BadUrdf(
        "mimics_multiply_beyond_reason",
        edited(
            (_TURN_LIMIT, '<mimic joint="slide" multiplier="1e6"/>'),
            (_SLIDE_LIMIT, '<mimic joint="roll" multiplier="1e6"/>'),
        ),
        "'turn' follows 'roll' 1e+12 times with offset 0, which is too large",
    ),
    BadUrdf(
        "mimic_half_turns_of_an_unlimited_joint",
        _mimic('<mimic joint="roll" multiplier="0.5"/>', ""),
        "'roll' has no limits, but 'turn' follows it 0.5 times",
    ),
    BadUrdf(
        "mimic_never_within_its_limits",
        _mimic('<mimic joint="slide" multiplier="-2" offset="4"/>'),
        "'turn' follows 'slide' -2 times with offset 4; nowhere are both within their limits: "
        "-2.5 to 2, and -0.1 to 0.5",
    ),
    # The chain.
    BadUrdf(
        "floating_in_chain", edited(('"continuous"', '"floating"')), "is floating", tip_link="tip"
    ),
    BadUrdf("planar_in_chain", edited(('"continuous"', '"planar"')), "is planar", tip_link="tip"),
    BadUrdf("nothing_moves", edited(), "no joint moves between", "wrist", "tip"),
    BadUrdf("base_is_tip", edited(), "no joint moves between 'tip' and 'tip'", "tip", "tip"),
    BadUrdf("no_joints", '<robot><link name="alone"/></robot>', "no joint moves any link"),
    BadUrdf(
        "too_many_joints",
        "<robot>"
        + "".join(f'<link name="l{i}"/>' for i in range(66))
        + "".join(joint(f"j{i}", f"l{i}", f"l{i + 1}", "continuous") for i in range(65))
        + "</robot>",
        "65 joints move between 'l0' and 'l65', at most 64 may",
    ),
    BadUrdf(
        "unknown_base",
        edited(),
        "unknown link 'bass'; choose from: base, upper, slider, wrist, tip",
        base_link="bass",
        error=UnknownNameError,
    ),
    BadUrdf("unknown_tip", edited(), "unknown link 'tool0'", None, "tool0", UnknownNameError),
    BadUrdf(
        "two_possible_tips",
        with_extra('<link name="probe"/>' + joint("extra", "slider", "probe")),
        "choose tip_link from: probe, tip",
        error=AmbiguousChainError,
    ),
]
