// Comparison with the chains that the Python package cuts out of the same descriptions, in files
// that the Python test which runs this program has written: a description, and beside it words and
// numbers, separated by white space:
//   cases C, then C times: base tip (- for none) F, then F times: joint position,
//   then base tip V, then V times: name lower upper continuous velocity,
//   then N, then N times: q(V) tip_in_base(3x4)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <generative_ik/urdf.hpp>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference_files.hpp"

namespace generative_ik::test {
namespace {

std::string word(std::istream& in) {
  std::string text;
  in >> text;
  return text;
}

std::string linkOf(std::istream& in) {
  const std::string text = word(in);
  return text == "-" ? "" : text;
}

// Every link is where the tip of the chain that ends there is.
void compareLinks(const std::string& urdf, const UrdfChain& read, const Vector& q,
                  const std::map<std::string, double>& fixed) {
  for (const auto& [link, frame] : read.links) {
    SCOPED_TRACE("link " + link);
    const Eigen::Isometry3d in_base = read.chain.frameInBase(q, frame);
    if (frame.num_joints == 0) {
      EXPECT_TRUE(in_base.isApprox(frame.in_last_joint, 1e-12));
      continue;
    }
    const UrdfChain to_link = readUrdf(urdf, read.base_link, link, fixed);
    Vector shorter(to_link.chain.size());
    for (Eigen::Index v = 0; v < shorter.size(); ++v) {
      const std::string& name = to_link.chain.variables()[static_cast<std::size_t>(v)].name;
      const auto& all = read.chain.variables();
      const auto same = std::find_if(
          all.begin(), all.end(), [&](const Variable& variable) { return variable.name == name; });
      ASSERT_NE(same, all.end()) << name;
      shorter[v] = q[same - all.begin()];
    }
    const Eigen::Isometry3d expected = to_link.chain.tipInBase(shorter);
    EXPECT_LT((in_base.matrix() - expected.matrix()).cwiseAbs().maxCoeff(), 1e-12);
  }
}

void compare(const std::string& urdf, std::istream& in) {
  const std::string base = linkOf(in);
  const std::string tip = linkOf(in);
  std::map<std::string, double> fixed;
  for (int count = static_cast<int>(number(in)); count > 0; --count) {
    const std::string joint = word(in);
    fixed[joint] = number(in);
  }
  SCOPED_TRACE("from " + base + " to " + tip);
  const UrdfChain read = readUrdf(urdf, base, tip, fixed);
  EXPECT_EQ(read.base_link, word(in));
  EXPECT_EQ(read.tip_link, word(in));
  const int size = static_cast<int>(number(in));
  ASSERT_EQ(read.chain.size(), size);
  for (int v = 0; v < size; ++v) {
    const Variable& variable = read.chain.variables()[static_cast<std::size_t>(v)];
    EXPECT_EQ(variable.name, word(in));
    EXPECT_EQ(variable.lower, number(in));
    EXPECT_EQ(variable.upper, number(in));
    EXPECT_EQ(variable.continuous, number(in) != 0.0);
    EXPECT_EQ(read.velocity_limits[v], number(in));
  }
  Vector q = Vector::Zero(size);
  for (int count = static_cast<int>(number(in)); count > 0; --count) {
    q = matrix(in, size, 1);
    const Eigen::Isometry3d expected = pose(in);
    EXPECT_LT((read.chain.tipInBase(q).matrix() - expected.matrix()).cwiseAbs().maxCoeff(), 1e-12);
    const Eigen::Isometry3d end = read.chain.frameInBase(q, read.links.at(read.tip_link));
    EXPECT_LT((end.matrix() - expected.matrix()).cwiseAbs().maxCoeff(), 1e-12);
  }
  compareLinks(urdf, read, q, fixed);
}

TEST(Urdf, ChainsAreThoseOfThePythonPackage) {
  const std::string directory = environment("GENERATIVE_IK_URDFS_DIR");
  if (directory.empty()) {
    GTEST_SKIP() << "no reference files: GENERATIVE_IK_URDFS_DIR is not set";
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".urdf") {
      continue;
    }
    SCOPED_TRACE(entry.path().string());
    std::stringstream urdf;
    urdf << std::ifstream(entry.path()).rdbuf();
    std::ifstream in(std::filesystem::path(entry.path()).replace_extension(".cases"));
    expectWord(in, "cases");
    for (int count = static_cast<int>(number(in)); count > 0; --count) {
      compare(urdf.str(), in);
    }
    ++files;
  }
  EXPECT_GT(files, 0);
}

// What is wrong with a description, or "".
std::string faultOf(const std::string& urdf, const std::string& base, const std::string& tip,
                    const std::map<std::string, double>& fixed = {}) {
  try {
    readUrdf(urdf, base, tip, fixed);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

std::string robot(const std::string& joints) {
  return R"(<robot name="r"><link name="a"/><link name="b"/><link name="c"/>)" + joints +
         "</robot>";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& more = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + more + "</joint>";
}

TEST(Urdf, LinksAreThoseThatMoveAsTheChainDoes) {
  const std::string limit = R"(<limit lower="-1" upper="1" effort="1" velocity="1"/>)";
  const std::string aside = R"(<origin xyz="0 0 0.5" rpy="0 0 1"/>)";
  const std::string urdf =
      R"(<robot name="r"><link name="world"/><link name="sensor"/><link name="finger"/>)"
      R"(<link name="a"/><link name="b"/><link name="c"/>)" +
      joint("stand", "fixed", "world", "a", aside) +
      joint("one", "revolute", "a", "b", aside + limit) +
      joint("two", "prismatic", "b", "c", limit) + joint("mount", "fixed", "b", "sensor", aside) +
      joint("grasp", "prismatic", "c", "finger", limit) + "</robot>";
  const Vector q = Eigen::Vector2d(0.4, 0.3);

  const UrdfChain down = readUrdf(urdf, "a", "c");
  std::vector<std::string> names;
  for (const auto& [name, frame] : down.links) {
    names.push_back(name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c", "sensor", "world"}));
  EXPECT_EQ(down.links.at("world").num_joints, 0);
  EXPECT_NEAR(down.links.at("world").in_last_joint.translation().z(), -0.5, 1e-15);
  const Eigen::Isometry3d sensor = down.chain.frameInBase(q, down.links.at("sensor"));
  EXPECT_NEAR(sensor.translation().z(), 0.5 + 0.5 * std::cos(0.4), 1e-15);
  // Two turns by 1 rad, and 0.4 rad about the x axis of the first.
  const Eigen::Quaterniond expected = Eigen::AngleAxisd(1.0, Eigen::Vector3d::UnitZ()) *
                                      Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitX()) *
                                      Eigen::AngleAxisd(1.0, Eigen::Vector3d::UnitZ());
  EXPECT_NEAR(sensor.translation().head<2>().norm(), 0.5 * std::sin(0.4), 1e-12);
  EXPECT_LT(expected.angularDistance(Eigen::Quaterniond(sensor.linear())), 1e-12);

  const UrdfChain up = readUrdf(urdf, "c", "world");
  EXPECT_EQ(up.links.size(), 5U);
  EXPECT_EQ(up.links.at("sensor").num_joints, 1);
  compareLinks(urdf, down, q, {});
  compareLinks(urdf, up, q, {});
}

TEST(Urdf, WhatIsWrongIsSaid) {
  const std::string limit = R"(<limit lower="-1" upper="1" effort="1" velocity="1"/>)";
  const std::string sound =
      robot(joint("one", "revolute", "a", "b", limit) + joint("two", "fixed", "b", "c"));
  EXPECT_EQ(faultOf(sound, "", ""), "");
  EXPECT_EQ(faultOf(sound, "a", "b"), "");
  EXPECT_EQ(faultOf(sound, "a", "d"), "URDF: no link 'd'; links: a, b, c");
  EXPECT_EQ(faultOf(sound, "b", "c"), "URDF: no joint moves between 'b' and 'c'");
  EXPECT_EQ(faultOf(sound, "", "", {{"three", 0.0}}), "URDF: fixed: no joint 'three' moves");
  EXPECT_NE(faultOf(sound, "", "", {{"one", 2.0}}).find("cannot stand at 2"), std::string::npos);
  EXPECT_NE(faultOf("<robot", "", "").find("no robot description"), std::string::npos);
  const std::string forked =
      robot(joint("one", "revolute", "a", "b", limit) + joint("two", "revolute", "a", "c", limit));
  EXPECT_EQ(
      faultOf(forked, "", ""),
      "URDF: the robot has several possible tip links below 'a'; choose tip_link from: b, c");
  EXPECT_EQ(faultOf(forked, "b", "c"), "");
  const std::string floats =
      robot(joint("one", "floating", "a", "b") + joint("two", "revolute", "b", "c", limit));
  EXPECT_EQ(faultOf(floats, "b", "c"), "");
  EXPECT_NE(faultOf(floats, "a", "c").find("floating"), std::string::npos);
  const std::string crossed =
      robot(joint("one", "revolute", "a", "b", limit + R"(<mimic joint="two"/>)") +
            joint("two", "revolute", "b", "c", limit + R"(<mimic joint="one"/>)"));
  EXPECT_NE(faultOf(crossed, "a", "c").find("in a circle"), std::string::npos);
}

constexpr const char* kGrasping = R"(
<robot name="grasping">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="arm">
    <collision><origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.05" length="1.0"/></geometry></collision>
    <collision><geometry><sphere radius="0.08"/></geometry></collision>
  </link>
  <link name="hand"><collision><geometry><mesh filename="package://grasping/hand.stl"
    scale="0.001 0.001 0.002"/></geometry></collision></link>
  <link name="finger"><collision><geometry><box size="0.02 0.02 0.1"/></geometry></collision></link>
  <link name="camera"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="mount" type="fixed"><parent link="arm"/><child link="hand"/>
    <origin xyz="1 0 0"/></joint>
  <joint name="grip" type="prismatic"><parent link="hand"/><child link="finger"/>
    <axis xyz="0 1 0"/><limit lower="0.01" upper="0.04" effort="1" velocity="1"/></joint>
  <joint name="mast" type="fixed"><parent link="base"/><child link="camera"/></joint>
</robot>)";

Mesh tetrahedron(const std::string& address) {
  EXPECT_EQ(address, "package://grasping/hand.stl");
  return {{{0.0, 0.0, 0.0}, {100.0, 0.0, 0.0}, {0.0, 100.0, 0.0}, {0.0, 0.0, 50.0}},
          {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

TEST(Urdf, CollisionElementsAreThoseOfTheLinks) {
  const UrdfChain robot = readUrdf(kGrasping, "base", "arm");
  const auto collisions = [&](const std::map<std::string, double>& fixed) {
    return readUrdfCollisions(kGrasping, robot, tetrahedron, fixed);
  };
  const UrdfCollisions found = collisions({});
  ASSERT_EQ(found.links.size(), 4U);  // arm, base, finger, hand
  EXPECT_EQ(found.links[0].frame.num_joints, 1);
  EXPECT_EQ(found.links[0].shapes.size(), 2U);
  EXPECT_EQ(found.links[1].frame.num_joints, 0);
  EXPECT_EQ(found.links[2].name, "finger");
  EXPECT_TRUE(found.links[2].frame.in_last_joint.translation().isApprox(
      Eigen::Vector3d(1.0, 0.01, 0.0), 1e-12));
  EXPECT_NEAR(collisions({{"grip", 0.03}}).links[2].frame.in_last_joint.translation().y(), 0.03,
              1e-12);
  EXPECT_EQ(found.joined.size(), 4U);
  const auto& hand = std::get<std::shared_ptr<const Mesh>>(found.links[3].shapes[0].solid);
  EXPECT_TRUE(hand->vertices[1].isApprox(Eigen::Vector3d(0.1, 0.0, 0.0), 1e-12));
  EXPECT_TRUE(hand->vertices[3].isApprox(Eigen::Vector3d(0.0, 0.0, 0.1), 1e-12));
  // The hand reaches from 1 m to 1.1 m, at a quarter turn along y.
  const CollisionModel model(robot.chain, found.links, found.joined);
  Shape wall{Box{{0.5, 0.02, 0.5}}};
  wall.pose.translation().y() = 1.09;
  const CollisionChecker checker = model.among({{{"wall", wall}}});
  EXPECT_FALSE(checker.collides(Vector::Constant(1, 0.0)));
  EXPECT_EQ(checker.collidingPair(Vector::Constant(1, 1.5707963267948966)),
            std::pair(std::string("hand"), std::string("wall")));
}

TEST(Urdf, CapsulesAreRead) {
  std::string text = kGrasping;
  const std::string ball = "<sphere radius=\"0.08\"/>";
  text.replace(text.find(ball), ball.size(), "<capsule radius=\"0.08\" length=\"0.3\"/>");
  const std::string camera = "<link name=\"camera\"/>";
  text.replace(text.find(camera), camera.size(),
               "<link name=\"camera\"><visual><geometry><capsule radius=\"0.1\" length=\"1\"/>"
               "</geometry></visual></link>");
  const UrdfChain robot = readUrdf(text, "base", "arm");
  const UrdfCollisions found = readUrdfCollisions(text, robot, tetrahedron);
  ASSERT_EQ(found.links.size(), 4U);  // arm, base, finger, hand
  ASSERT_EQ(found.links[0].shapes.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<Cylinder>(found.links[0].shapes[0].solid));
  const auto& capsule = std::get<Capsule>(found.links[0].shapes[1].solid);
  EXPECT_EQ(capsule.radius, 0.08);
  EXPECT_EQ(capsule.length, 0.3);
  // Its caps count: the wall begins 0.21 m above the arm's frame, the capsule ends at 0.23 m.
  Shape wall{Box{{0.1, 0.1, 0.1}}};
  wall.pose.translation().z() = 0.26;
  EXPECT_TRUE(CollisionModel(robot.chain, found.links, found.joined)
                  .among({{{"wall", wall}}})
                  .collides(Vector::Constant(1, 0.0)));
}

TEST(Urdf, PointsOfContactCollide) {
  std::string text = kGrasping;
  const std::string ball = "<sphere radius=\"0.08\"/>";
  text.replace(text.find(ball), ball.size(), "<sphere radius=\"0\"/>");
  const UrdfChain robot = readUrdf(text, "base", "arm");
  const UrdfCollisions found = readUrdfCollisions(text, robot, tetrahedron);
  const Shape& point = found.links[0].shapes[1];
  EXPECT_EQ(std::get<Sphere>(point.solid).radius, 1e-6);
  Shape wall{Box{{0.01, 0.01, 0.01}}};
  wall.pose.translation() = (found.links[0].frame.in_last_joint * point.pose).translation();
  const auto collides = [&] {
    return CollisionModel(robot.chain, {{found.links[0].name, found.links[0].frame, {point}}}, {})
        .among({{{"wall", wall}}})
        .collides(Vector::Constant(1, 0.0));
  };
  EXPECT_TRUE(collides());
  wall.pose.translation().z() += 0.006;
  EXPECT_FALSE(collides());
}

TEST(Urdf, CollisionElementsThatCannotBeReadAreRefused) {
  const UrdfChain robot = readUrdf(kGrasping, "base", "arm");
  EXPECT_THROW(readUrdfCollisions(kGrasping, robot), std::invalid_argument);
  EXPECT_THROW(readUrdfCollisions("<robot", robot), std::invalid_argument);
  std::string other = kGrasping;
  while (other.find("\"arm\"") != std::string::npos) {
    other.replace(other.find("\"arm\""), 5, "\"limb\"");
  }
  EXPECT_THROW(readUrdfCollisions(other, robot, tetrahedron), std::invalid_argument);
  // A finger that follows the chain's joint is not where it would be said to be.
  std::string follows = kGrasping;
  const std::string axis = "<axis xyz=\"0 1 0\"/>";
  follows.insert(follows.find(axis), "<mimic joint=\"turn\"/>");
  EXPECT_THROW(readUrdfCollisions(follows, robot, tetrahedron), std::invalid_argument);
}

}  // namespace
}  // namespace generative_ik::test
