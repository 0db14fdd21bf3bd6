"""A robot of two arms on a lift, and an SRDF with groups of all kinds."""

JOINT = (
    '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><axis xyz="0 0 1"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/>{4}</joint>'
)
TWO_ARMS = "<robot name='two'>" + "".join(
    f"<link name='{link}'/>"
    for link in "world base torso l1 l2 l_tool l_a l_b r1 r2 r_tool".split()
)
for row in [
    ("mount", "fixed", "world", "base", ""),
    ("lift", "prismatic", "base", "torso", ""),
    ("left1", "revolute", "torso", "l1", ""),
    ("left2", "revolute", "l1", "l2", ""),
    ("left_mount", "fixed", "l2", "l_tool", ""),
    ("z_finger", "prismatic", "l_tool", "l_b", ""),
    ("a_finger", "prismatic", "l_tool", "l_a", "<mimic joint='z_finger' multiplier='-1'/>"),
    ("right1", "revolute", "torso", "r1", ""),
    ("right2", "continuous", "r1", "r2", ""),
    ("right_mount", "fixed", "r2", "r_tool", ""),
]:
    TWO_ARMS += JOINT.format(*row)
TWO_ARMS += "</robot>"
SRDF = """<?xml version="1.0"?>
<robot name="two">
  <group name="left"><chain base_link="torso" tip_link="l_tool"/></group>
  <group name="right"><joint name="right2"/><joint name="right1"/></group>
  <group name="both"><group name="right"/><group name="left"/></group>
  <group name="fingers"><link name="l_b"/><link name="l_a"/></group>
  <group name="left_with_lift"><joint name="lift"/><group name="left"/></group>
  <group name="gap"><joint name="lift"/><joint name="left2"/></group>
  <group name="mounts"><joint name="left_mount"/></group>
  <group name="all"><group name="lifting"/><group name="left"/><group name="right"/>
    <group name="fingers"/></group>
  <group name="lifting"><joint name="lift"/></group>
  <group name="nested"><group name="all"/><group name="mounts"/><group name="nested"/></group>
  <group name="chains"><chain base_link="torso" tip_link="r_tool"/>
    <chain base_link="torso" tip_link="l_tool"/></group>
  <group name="equipped"><group name="both"/></group>
  <group name="round"><group name="about"/><joint name="lift"/></group>
  <group name="about"><group name="round"/></group>
  <group name="lost"><chain base_link="torso" tip_link="nowhere"/></group>
  <group name="hollow"><group name="nothing"/></group>
  <end_effector name="hand" parent_link="l_tool" group="fingers" parent_group="left_with_lift"/>
  <end_effector name="right_hand" parent_link="r_tool" group="right_fingers"
    parent_group="equipped"/>
  <end_effector name="left_hand" parent_link="l_tool" group="fingers" parent_group="equipped"/>
  <group_state name="home" group="left"><joint name="left1" value="0"/></group_state>
  <disable_collisions link1="l1" link2="l2" reason="Adjacent"/>
</robot>"""
