// Collision models against distances between the shapes that are worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <generative_ik/collision_model.hpp>
#include <generative_ik/path.hpp>
#include <generative_ik/search.hpp>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "robots.hpp"

namespace generative_ik {
namespace {

// Two joints about z, 1 m apart; the second carries what is at 1 m of it.
Chain planar() {
  std::vector<Joint> joints(2);
  joints[1].joint_in_parent.translation().x() = 1.0;
  joints[1].variable = 1;
  Eigen::Isometry3d tip = Eigen::Isometry3d::Identity();
  tip.translation().x() = 1.0;
  return {{{"a", -3.0, 3.0}, {"b", -3.0, 3.0}}, joints, tip};
}

ChainFrame frameAt(int joints, double x) {
  ChainFrame frame{joints};
  frame.in_last_joint.translation().x() = x;
  return frame;
}

Shape at(Shape shape, double x, double y, double z) {
  shape.pose.translation() = Eigen::Vector3d(x, y, z);
  return shape;
}

// A cube of edge 2, wound outwards but for one face.
std::shared_ptr<const Mesh> cube() {
  Mesh mesh;
  for (int k = 0; k < 8; ++k) {
    mesh.vertices.emplace_back(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
  }
  mesh.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 5, 7}};
  return std::make_shared<const Mesh>(mesh);
}

// A ball of 0.1 m on the second link, 1 m from its joint.
CollisionModel ballOnArm(double padding = 0.0) {
  return {planar(), {{"ball", frameAt(2, 1.0), {{Sphere{0.1}}}, padding}}};
}

Eigen::Vector2d ballAt(const Vector& q) {
  return {std::cos(q[0]) + std::cos(q[0] + q[1]), std::sin(q[0]) + std::sin(q[0] + q[1])};
}

// Signed distance of a point in the plane from a rectangle.
double fromRectangle(const Eigen::Vector2d& p, const Eigen::Vector2d& middle, double x, double y) {
  const Eigen::Vector2d out = {std::fabs(p.x() - middle.x()) - x,
                               std::fabs(p.y() - middle.y()) - y};
  return out.cwiseMax(0.0).norm() + std::min(out.maxCoeff(), 0.0);
}

template <class Gap>
void expectVerdicts(const CollisionChecker& checker, double margin, const Gap& gap) {
  std::mt19937 random(1);  // NOLINT(*-msc51-cpp): the same in every run
  std::uniform_real_distribution<double> angle(-3.0, 3.0);
  int colliding = 0;
  for (int k = 0; k < 3000; ++k) {
    const Vector q = Eigen::Vector2d(angle(random), angle(random));
    const double apart = gap(q);
    if (std::fabs(apart - margin) > 2e-6) {
      EXPECT_EQ(checker.collides(q), apart < margin) << q.transpose() << " gap " << apart;
    }
    if (apart > 0.0) {
      EXPECT_NEAR(checker.distance(q), apart, 1e-6);
    }
    colliding += checker.collides(q) ? 1 : 0;
  }
  EXPECT_GT(colliding, 30);
  EXPECT_LT(colliding, 2970);
}

TEST(CollisionModel, BoxesAndMeshesCollideWhereTheyDo) {
  for (const double margin : {0.0, 0.07}) {
    CollisionScene scene;
    scene.padding = margin;
    scene.objects = {{"box", at({Box{{0.6, 0.4, 1.0}}}, 1.2, 0.3, 0.0)},
                     {"post", at({Cylinder{0.2, 1.0}}, -0.6, 0.5, 0.0)},
                     {"crate", at({cube()}, 0.0, -2.3, 0.0)}};
    expectVerdicts(ballOnArm().among(scene), margin, [](const Vector& q) {
      const Eigen::Vector2d ball = ballAt(q);
      return std::min({fromRectangle(ball, {1.2, 0.3}, 0.3, 0.2),
                       (ball - Eigen::Vector2d(-0.6, 0.5)).norm() - 0.2,
                       fromRectangle(ball, {0.0, -2.3}, 1.0, 1.0)}) -
             0.1;
    });
  }
}

TEST(CollisionModel, WhatIsInsideOfAMeshCollides) {
  // The ball never leaves the inside of a crate that is larger than the arm; where it is smaller,
  // its middle is always far from the surface.
  const CollisionModel model = ballOnArm();
  const auto crate = [](double size) {
    Mesh mesh = *cube();
    for (Eigen::Vector3d& vertex : mesh.vertices) {
      vertex *= size;
    }
    return Shape{std::make_shared<const Mesh>(mesh)};
  };
  EXPECT_TRUE(model.among({{{"crate", crate(5.0)}}}).collides(Eigen::Vector2d(0.3, 0.4)));
  // An open one is a surface only.
  Mesh open = *std::get<std::shared_ptr<const Mesh>>(crate(5.0).solid);
  open.faces.pop_back();
  const Shape lidless{std::make_shared<const Mesh>(open)};
  EXPECT_FALSE(model.among({{{"crate", lidless}}}).collides(Eigen::Vector2d(0.3, 0.4)));
  // A small ball in the middle of a link that is a mesh.
  const CollisionModel block(planar(), {{"block", frameAt(2, 1.0), {{cube()}}}});
  const Vector q = Eigen::Vector2d(0.4, -0.3);
  const Eigen::Vector2d middle = ballAt(q);
  const Shape pea = at({Sphere{1e-3}}, middle.x(), middle.y(), 0.0);
  EXPECT_EQ(block.among({{{"pea", pea}}}).collidingPair(q),
            std::pair(std::string("block"), std::string("pea")));
}

TEST(CollisionModel, LinksAreCheckedAgainstEachOtherButForThoseThatAreAllowed) {
  const std::vector<CollisionLink> links = {{"base", frameAt(0, 0.0), {{Sphere{0.2}}}},
                                            {"upper", frameAt(1, 0.5), {{Box{{1.0, 0.1, 0.1}}}}},
                                            {"ball", frameAt(2, 1.0), {{Sphere{0.1}}}, 0.05}};
  EXPECT_EQ(adjoiningLinks({planar()}, links), (NamePairs{{"base", "upper"}, {"upper", "ball"}}));
  const CollisionModel model(planar(), links);
  expectVerdicts(model.among(), 0.05,
                 [](const Vector& q) { return ballAt(q).norm() - 0.2 - 0.1; });
  const Vector folded = Eigen::Vector2d(0.7, 3.0);
  EXPECT_EQ(model.among().collidingPair(folded),
            std::pair(std::string("ball"), std::string("base")));
  const CollisionModel spared(planar(), links,
                              NamePairs{{"ball", "base"}, {"base", "upper"}, {"none", "ball"}});
  EXPECT_EQ(spared.among().collidingPair(folded),
            std::pair(std::string("upper"), std::string("ball")));
  const Shape wall = at({Box{{0.1, 9.0, 9.0}}}, 1.4, 0.0, 0.0);
  const Vector straight = Eigen::Vector2d(0.0, 0.0);
  EXPECT_FALSE(model.among({{{"wall", wall}}}).collides(Eigen::Vector2d(2.0, 0.5)));
  // "upper" ends at 1 m, the ball begins at 1.9 m.
  EXPECT_FALSE(model.among({{{"wall", wall}}}).collides(straight));
  const Shape far = at({Box{{0.1, 9.0, 9.0}}}, 1.95, 0.0, 0.0);
  EXPECT_TRUE(model.among({{{"far", far}}}).collides(straight));
  EXPECT_FALSE(model.among({{{"far", far}}, 0.0, {{"far", "ball"}}}).collides(straight));
}

TEST(CollisionModel, ChainsThatShareJointsHaveFramesInCommon) {
  const Chain chain = planar();
  const CollisionModel model(std::vector<Chain>{chain, chain},
                             {{"one", frameAt(2, 1.0), {{Sphere{0.1}}}},
                              {"other", frameAt(2, 1.05), {{Sphere{0.1}}}, 0.0, 1}});
  // They stand together, as one frame carries both.
  EXPECT_FALSE(model.among().collides(Eigen::Vector2d(0.1, 0.2)));
  EXPECT_EQ(model.among().world().numFrames(), 2);
  EXPECT_EQ(model.among().world().numVariables(), 2);
}

TEST(CollisionModel, SolutionsAndPathsAreFree) {
  const Chain chain = planar();
  SolverOptions options;
  options.tolerance.orientation = std::numeric_limits<double>::infinity();
  const IKSolver solver(chain, options);
  const CollisionModel model(chain, {{"upper", frameAt(1, 0.5), {{Box{{1.0, 0.1, 0.1}}}}},
                                     {"lower", frameAt(2, 0.5), {{Box{{1.0, 0.1, 0.1}}}}}});
  IKRequest request;
  request.target_in_base = chain.tipInBase(Eigen::Vector2d(0.4, 0.9));
  request.num_solutions = 2;
  EXPECT_EQ(solver.solve(request).solutions.size(), 2U);
  const Shape post = at({Cylinder{0.05, 1.0}}, std::cos(0.4), std::sin(0.4), 0.0);
  const CollisionChecker checker = model.among({{{"post", post}}});
  checker.applyTo(request);
  const IKSolutions found = solver.solve(request);
  ASSERT_EQ(found.solutions.size(), 1U);
  EXPECT_NEAR(found.solutions[0].q[1], -0.9, 1e-3);
  request.num_solutions = 1;
  request.seed_state = Eigen::Vector2d(0.4, 0.9);
  ASSERT_EQ(solver.solve(request).solutions.size(), 1U);
  EXPECT_NEAR(solver.solve(request).solutions[0].q[1], -0.9, 1e-3);
  PathRequest path;
  for (int k = 0; k <= 20; ++k) {
    path.targets_in_base.push_back(chain.tipInBase(Eigen::Vector2d(0.4 + 0.01 * k, 0.9)));
  }
  checker.applyTo(path);
  const IKPath followed = solver.solvePath(path);
  EXPECT_EQ(followed.status, PathStatus::kComplete);
  for (const Solution& solution : followed.solutions) {
    EXPECT_LT(solution.q[1], 0.0);
    EXPECT_FALSE(checker.collides(solution.q));
  }
}

// The robot's links as capsules from joint to joint, of which neighbours are not checked.
CollisionModel capsules(const std::vector<Chain>& chains) {
  std::vector<CollisionLink> links;
  NamePairs neighbours;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const std::vector<Joint>& joints = chains[c].joints();
    for (std::size_t k = 0; k + 1 < joints.size(); ++k) {
      const Eigen::Vector3d next = joints[k + 1].joint_in_parent.translation();
      Shape shape{Capsule{0.04, std::max(next.norm(), 0.01)}};
      shape.pose.translation() = next / 2.0;
      shape.pose.linear() =
          Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), next).toRotationMatrix();
      const std::string name = std::to_string(c) + "," + std::to_string(k);
      links.push_back({name, ChainFrame{static_cast<int>(k) + 1}, {shape}, 0.0, c});
      for (std::size_t before = k < 3 ? 0 : k - 3; before < k; ++before) {
        neighbours.emplace_back(std::to_string(c) + "," + std::to_string(before), name);
      }
      for (int before = 0; c > 0 && before < 3; ++before) {  // where they stand side by side
        neighbours.emplace_back("0," + std::to_string(before), name);
      }
    }
  }
  return {chains, links, neighbours};
}

CollisionScene boxes(int count, std::mt19937& random) {
  std::uniform_real_distribution<double> place(-0.9, 0.9);
  CollisionScene scene;
  while (std::ssize(scene.objects) < count) {
    const Eigen::Vector2d at_floor(place(random), place(random));
    if (at_floor.norm() > 0.4) {
      scene.objects.push_back(
          {"box " + std::to_string(scene.objects.size()),
           at({Box{{0.25, 0.25, 0.25}}}, at_floor.x(), at_floor.y(), 0.5 + place(random) / 2.0)});
    }
  }
  return scene;
}

Vector randomInside(const std::vector<Variable>& variables, std::mt19937& random) {
  Vector q(std::ssize(variables));
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const double lower = variables[v].continuous ? -3.0 : variables[v].lower;
    const double upper = variables[v].continuous ? 3.0 : variables[v].upper;
    q[static_cast<Eigen::Index>(v)] = std::uniform_real_distribution(lower, upper)(random);
  }
  return q;
}

struct InWorld {
  std::string name;
  std::vector<Chain> chains;
};

class SolutionsInAWorld : public testing::TestWithParam<InWorld> {
 protected:
  SolutionsInAWorld()
      : solver_(GetParam().chains),
        random_(7),  // NOLINT(*-msc51-cpp): the same in every run
        checker_(capsules(GetParam().chains).among(boxes(8, random_))) {}

  // A request for what a free configuration reaches.
  IKRequest request() {
    Vector q = randomInside(solver_.variables(), random_);
    while (checker_.collides(q)) {
      q = randomInside(solver_.variables(), random_);
    }
    IKRequest request;
    request.targets_in_base = solver_.tipsInBase(q);
    checker_.applyTo(request);
    return request;
  }

  IKSolver solver_;
  std::mt19937 random_;
  CollisionChecker checker_;
};

// NOLINTBEGIN(readability-function-cognitive-complexity): assertions
TEST_P(SolutionsInAWorld, AreFreeAndAsManyAsAreAccepted) {
  std::size_t in_world = 0;
  std::size_t accepted = 0;
  for (int i = 0; i < 40; ++i) {
    IKRequest free = request();
    free.num_solutions = i % 4 == 0 ? 1 : 12;
    if (i % 2 == 1) {
      free.seed_state = randomInside(solver_.variables(), random_);
    }
    const IKSolutions found = solver_.solve(free);
    EXPECT_FALSE(found.solutions.empty()) << i;
    for (const Solution& solution : found.solutions) {
      EXPECT_FALSE(checker_.collides(solution.q)) << i;
      for (std::size_t tip = 0; tip < free.targets_in_base.size(); ++tip) {
        const Twist error =
            poseError(solver_.tipsInBase(solution.q)[tip], free.targets_in_base[tip]);
        EXPECT_LT(error.norm(), 2e-5) << i;
      }
    }
    const IKSolutions again = solver_.solve(std::vector<IKRequest>{free})[0];
    ASSERT_EQ(again.solutions.size(), found.solutions.size());
    for (std::size_t k = 0; k < found.solutions.size(); ++k) {
      EXPECT_EQ(again.solutions[k].q, found.solutions[k].q);
    }
    in_world += found.solutions.size();
    free.world = nullptr;
    free.accept = [this](const Vector& q) { return !checker_.collides(q); };
    free.deadline = Deadline(0.1);  // where few are free, it would look for a million others
    accepted += solver_.solve(free).solutions.size();
  }
  EXPECT_GT(static_cast<double>(in_world), 0.99 * static_cast<double>(accepted));
}

TEST_P(SolutionsInAWorld, AreThoseThatSpheresShowToBeFreeIfNobodySaysOtherwise) {
  CollisionMemory memory;
  int count = 0;
  for (int i = 0; i < 20; ++i) {
    IKRequest free = request();
    free.collides = nullptr;
    free.num_solutions = 6;
    for (const Solution& solution : solver_.solve(free).solutions) {
      EXPECT_EQ(checker_.world().check(solution.q.data(), CollisionWorld::kSure, memory),
                Verdict::kFree);
      ++count;
    }
    free.num_solutions = 1;
    free.seed_state = randomInside(solver_.variables(), random_);
    if (const std::optional<Solution> nearest = solver_.nearest(free)) {
      EXPECT_EQ(checker_.world().check(nearest->q.data(), CollisionWorld::kSure, memory),
                Verdict::kFree);
    }
  }
  EXPECT_GT(count, 20);
}

TEST_P(SolutionsInAWorld, AreAcceptedBesides) {
  int count = 0;
  for (int i = 0; i < 20; ++i) {
    IKRequest free = request();
    free.num_solutions = 5;
    free.accept = [](const Vector& q) { return q[0] > 0.0; };
    for (const Solution& solution : solver_.solve(free).solutions) {
      EXPECT_GT(solution.q[0], 0.0);
      EXPECT_FALSE(checker_.collides(solution.q));
      ++count;
    }
  }
  EXPECT_GT(count, 20);
}

TEST(Search, IsAsCloseInAWorldWherePositionIsPreferred) {
  // Nothing is free in a box that is larger than the arm.
  const Chain chain = test::panda();
  SolverOptions options;
  options.prefer = Preference::kPosition;
  const IKSolver solver(chain, options);
  CollisionScene full;
  full.objects = {{"room", {Box{{9.0, 9.0, 9.0}}}}};
  const CollisionChecker checker = capsules({chain}).among(full);
  IKRequest request;
  request.target_in_base = Eigen::Translation3d(0.5, 0.0, 0.4) * Eigen::Isometry3d::Identity();
  checker.applyTo(request);
  Search search(solver, request);
  EXPECT_TRUE(search.takeNew().empty());
  const Vector closest = search.closest(Deadline(10.0));
  ASSERT_EQ(closest.size(), chain.size());
  EXPECT_TRUE(checker.collides(closest));
  EXPECT_LT(poseError(chain.tipInBase(closest), request.target_in_base).head<3>().norm(), 1e-5);
}
// NOLINTEND(readability-function-cognitive-complexity)

TEST_P(SolutionsInAWorld, AreOnesOfTheSameVariables) {
  IKRequest free = request();
  const CollisionChecker other = ballOnArm().among();
  free.world = &other.world();
  EXPECT_THROW(solver_.solve(free), std::invalid_argument);
  EXPECT_THROW(Search(solver_, free), std::invalid_argument);
  free.seed_state = Vector::Zero(std::ssize(solver_.variables()));
  EXPECT_THROW(solver_.solve(free), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Robots, SolutionsInAWorld,
                         testing::Values(InWorld{"panda", {test::panda()}},
                                         InWorld{"ur10", {test::ur10()}},
                                         InWorld{"rail", {test::ur10OnRail()}},
                                         InWorld{"arms", test::twoArms()},
                                         InWorld{"limbs", test::twoLimbs()}),
                         [](const auto& robot) { return robot.param.name; });

TEST(CollisionModel, WhatIsUnsoundIsRefused) {
  const Chain chain = planar();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [&chain](const std::vector<CollisionLink>& links) {
    EXPECT_THROW(CollisionModel(chain, links), std::invalid_argument);
  };
  refused({{"a", frameAt(1, 0.0), {}}});
  refused({{"a", frameAt(3, 0.0), {{Sphere{0.1}}}}});
  refused({{"a", frameAt(-1, 0.0), {{Sphere{0.1}}}}});
  refused({{"a", frameAt(1, nan), {{Sphere{0.1}}}}});
  refused({{"a", frameAt(1, 0.0), {{Sphere{nan}}}}});
  refused({{"a", frameAt(1, 0.0), {{Sphere{0.1}}}, nan}});
  refused({{"a", frameAt(1, 0.0), {{Sphere{0.1}}}, -0.1}});
  refused({{"a", frameAt(1, 0.0), {{Sphere{0.1}}}, 0.0, 1}});
  refused({{"a", frameAt(1, 0.0), {{Sphere{0.1}}}}, {"a", frameAt(2, 0.0), {{Sphere{0.1}}}}});
  EXPECT_THROW(CollisionModel(std::vector<Chain>{}, {}), std::invalid_argument);
  const CollisionModel model = ballOnArm();
  EXPECT_THROW(static_cast<void>(model.among({{{"b", {Box{{0.0, 1.0, 1.0}}}}}})),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(model.among({{}, nan})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(model.among({{}, 0.0, {{"b", "nothing"}}})),
               std::invalid_argument);
  const CollisionChecker checker = model.among();
  const Vector infinite = Eigen::Vector2d(0.0, std::numeric_limits<double>::infinity());
  for (const Vector& q : {Vector(Vector::Zero(0)), Vector(Vector::Zero(9)),
                          Vector(Eigen::Vector2d(nan, 0.0)), infinite}) {
    EXPECT_THROW(static_cast<void>(checker.collides(q)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(checker.collidingPair(q)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(checker.distance(q)), std::invalid_argument);
  }
  const CollisionModel nothing(chain, {});
  EXPECT_FALSE(nothing.among().collides(Eigen::Vector2d(0.1, 0.2)));
  EXPECT_EQ(nothing.among().distance(Eigen::Vector2d(0.1, 0.2)),
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace generative_ik
