// Comparison with the groups that the Python package reads from the same descriptions, in files
// that the Python test which runs this program has written: a URDF and an SRDF, and beside them
// words and numbers, separated by white space:
//   groups G, then G times: name found(0 or 1), and if found base T tips(T) J joints(J),
//   effectors E, then E times: name parent_link group parent_group (- for none),
//   links L names(L), unchecked U, then U times two links
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <generative_ik/srdf.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference_files.hpp"

namespace generative_ik::test {
namespace {

std::string textOf(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string nextWord(std::istream& in) {
  std::string text;
  in >> text;
  return text;
}

std::vector<std::string> words(std::istream& in) {
  std::vector<std::string> read(static_cast<std::size_t>(number(in)));
  std::generate(read.begin(), read.end(), [&] { return nextWord(in); });
  return read;
}

void compareGroups(const std::string& urdf, const Srdf& srdf, std::istream& in) {
  expectWord(in, "groups");
  const std::size_t count = static_cast<std::size_t>(number(in));
  EXPECT_EQ(srdf.groups.size(), count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name = nextWord(in);
    SCOPED_TRACE("group " + name);
    ASSERT_EQ(srdf.groups.count(name), 1U);
    if (number(in) == 0.0) {
      EXPECT_THROW(readUrdfGroup(urdf, srdf, name), std::invalid_argument);
      continue;
    }
    const UrdfGroup group = readUrdfGroup(urdf, srdf, name);
    EXPECT_EQ(group.base_link, nextWord(in));
    EXPECT_EQ(group.tip_links, words(in));
    EXPECT_EQ(group.joint_names, words(in));
  }
}

void compareRest(const Srdf& srdf, std::istream& in) {
  expectWord(in, "effectors");
  ASSERT_EQ(srdf.end_effectors.size(), static_cast<std::size_t>(number(in)));
  for (const EndEffector& effector : srdf.end_effectors) {
    EXPECT_EQ(effector.name, nextWord(in));
    EXPECT_EQ(effector.parent_link, nextWord(in));
    EXPECT_EQ(effector.group, nextWord(in));
    EXPECT_EQ(effector.parent_group.empty() ? "-" : effector.parent_group, nextWord(in));
  }
  expectWord(in, "links");
  std::vector<CollisionLink> links;
  for (const std::string& name : words(in)) {
    links.emplace_back().name = name;
  }
  NamePairs unchecked = srdf.uncheckedPairs(links);
  std::sort(unchecked.begin(), unchecked.end());
  expectWord(in, "unchecked");
  ASSERT_EQ(unchecked.size(), static_cast<std::size_t>(number(in)));
  for (const auto& [first, second] : unchecked) {
    EXPECT_EQ(first, nextWord(in));
    EXPECT_EQ(second, nextWord(in));
  }
}

TEST(Srdf, GroupsAndPairsAreThoseOfThePythonPackage) {
  const std::string directory = environment("GENERATIVE_IK_URDFS_DIR");
  if (directory.empty()) {
    GTEST_SKIP() << "no reference files: GENERATIVE_IK_URDFS_DIR is not set";
  }
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/groups")) {
    if (entry.path().extension() != ".srdf") {
      continue;
    }
    SCOPED_TRACE(entry.path().stem());
    std::filesystem::path beside = entry.path();
    const Srdf srdf = readSrdf(textOf(beside));
    const std::string urdf = textOf(beside.replace_extension(".urdf"));
    std::ifstream in(beside.replace_extension(".groups"));
    compareGroups(urdf, srdf, in);
    compareRest(srdf, in);
    EXPECT_TRUE(in);
    ++count;
  }
  EXPECT_GE(count, 2);
}

std::string srdfFaultOf(const std::string& srdf) {
  try {
    readSrdf(srdf);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Srdf, WhatIsWrongIsSaid) {
  EXPECT_EQ(srdfFaultOf("\n<?xml version=\"1.0\"?><!-- none --><robot name=\"r\"/>"), "");
  const auto has = [](const std::string& srdf, const std::string& said) {
    EXPECT_NE(srdfFaultOf(srdf).find(said), std::string::npos) << srdfFaultOf(srdf);
  };
  has("", "not XML");
  has("<robot", "not XML");
  has("<robot></robt>", "not XML");
  has("<robot/><robot/>", "two root elements");
  has(std::string("<robot/>") + '\0', "zero byte");
  has("<mujoco/>", "the root element is not <robot>");
  has("<!DOCTYPE robot><robot/>", "DOCTYPE");
  has("<robot><xacro:arm/></robot>", "<xacro:arm>: it is unexpanded xacro");
  has("<robot><group/></robot>", "a group has no name");
  has("<robot><group name=' '/></robot>", "a group has no name");
  has("<robot><group name='a'/><group name='a'/></robot>", "group 'a' is defined twice");
  has("<robot><group name='a'><chain base_link='b'/></group></robot>",
      "group 'a': chain has no tip_link");
  has("<robot><group name='a'><joint/></group></robot>", "group 'a': joint has no name");
  has("<robot><end_effector name='e' parent_link='l'/></robot>", "end effector 'e' has no group");
  std::string deep;
  for (int k = 0; k < 100'000; ++k) {
    deep += "<group>";
  }
  has("<robot>" + deep, "not XML");
  // Pairs that are none are left out.
  EXPECT_TRUE(readSrdf("<robot><disable_collisions link1='a'/><disable_collisions link1='a' "
                       "link2='a'/></robot>")
                  .disabled_collisions.empty());
}

TEST(Srdf, GroupsThatARobotLacksAreRefused) {
  const std::string urdf = R"(<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
    <joint name="one" type="revolute"><parent link="a"/><child link="b"/>
      <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
    <joint name="two" type="fixed"><parent link="b"/><child link="c"/></joint></robot>)";
  const Srdf srdf = readSrdf(
      "<robot><group name='stands'><joint name='two'/></group>"
      "<group name='empty'/><group name='lost'><link name='d'/></group>"
      "<group name='far'><chain base_link='a' tip_link='d'/></group>"
      "<group name='other'><joint name='three'/></group>"
      "<group name='hollow'><group name='none'/></group></robot>");
  const auto has = [&](const std::string& group, const std::string& said) {
    try {
      readUrdfGroup(urdf, srdf, group);
      ADD_FAILURE() << group;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  };
  has("stands", "no joint of group 'stands' moves");
  has("empty", "no joint of group 'empty' moves");
  has("lost", "the robot has no link 'd'");
  has("far", "the robot has no link 'd'");
  has("other", "the robot has no joint 'three'");
  has("hollow", "no group 'none'; groups: empty, far, hollow");
  has("none", "no group 'none'");
}

}  // namespace
}  // namespace generative_ik::test
