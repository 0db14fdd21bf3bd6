#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "../src/collision/building/body.hpp"
#include "../src/collision/building/hull.hpp"
#include "../src/collision/building/mesh_surface.hpp"
#include "../src/collision/building/patches.hpp"
#include "../src/collision/building/surface.hpp"
#include "../src/collision/building/tight_balls.hpp"

namespace generative_ik::collision::building {
namespace {

std::vector<Point> unitVectors(int count) {
  std::mt19937 random(7);  // NOLINT(*-msc51-cpp): the same in every run
  std::normal_distribution<double> number;
  std::vector<Point> found;
  for (int i = 0; i < count; ++i) {
    const Point p = {number(random), number(random), number(random)};
    found.push_back((1.0 / lengthOf(p)) * p);
  }
  return found;
}

// A box from -half to half, wound outwards.
Mesh boxMesh(const Point& half) {
  Mesh mesh;
  for (const Point& corner : boxCorners(2.0 * half)) {
    mesh.vertices.emplace_back(corner.x, corner.y, corner.z);
  }
  mesh.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

Shape shapeOf(Mesh mesh) {
  return {std::make_shared<const Mesh>(std::move(mesh))};
}

Sphere tightBall(const std::vector<Sphere>& group, const std::vector<Depths>& grids) {
  Outermost outermost;
  for (const Sphere& small : group) {
    outermost.add(small);
  }
  Sphere ball = {tightCentre(outermost.balls(), grids), 0.0};
  for (const Sphere& small : group) {
    ball.radius = std::max(ball.radius, between(small.centre, ball.centre) + small.radius);
  }
  return ball;
}

TEST(TightBalls, WithoutASolidAreNearlyTheSmallest) {
  std::vector<Sphere> cube;
  for (const Point& corner : boxCorners({1.0, 1.0, 1.0})) {
    cube.push_back({corner + Point{5.5, -2.5, 0.5}, 0.0});
  }
  EXPECT_NEAR(tightBall(cube, {}).radius, std::sqrt(3.0) / 2.0, 1e-3);
  const std::vector<Sphere> two = {{{0.0, 0.0, 0.0}, 0.1}, {{1.0, 0.0, 0.0}, 0.3}};
  EXPECT_NEAR(tightBall(two, {}).radius, (0.1 + 1.0 + 0.3) / 2.0, 0.02);
}

TEST(TightBalls, OfAFlatSurfaceLieDeepInTheSolid) {
  // A block from z = -1 down to -3, with a patch of 0.4 by 0.4 on top.
  Shape block{Box{{4.0, 4.0, 2.0}}};
  block.pose.translation().z() = -2.0;
  const std::optional<Depths> grid = depthsOf(solidOf(block));
  ASSERT_TRUE(grid.has_value());
  std::vector<Sphere> patch;
  for (const double x : {-0.2, 0.2}) {
    for (const double y : {-0.2, 0.2}) {
      patch.push_back({{x, y, -1.0}, 0.0});
    }
  }
  const auto above = [](const Sphere& ball) { return ball.centre.z + ball.radius + 1.0; };
  EXPECT_GT(above(tightBall(patch, {})), 0.25);
  EXPECT_LT(above(tightBall(patch, {*grid})), 0.1);
}

TEST(Depths, AreLinearBetweenCentresAndConstantBeyond) {
  Depths grid{{1.0, 2.0, 3.0}, 0.5, {2, 3, 4}, {}, true, 0.0};
  for (int i = 0; i < 24; ++i) {
    grid.depth.push_back(i / 12 + 10.0 * (i / 4 % 3) - 2.0 * (i % 4));
  }
  const auto at = [&grid](double x, double y, double z) {
    return grid.at({1.0 + 0.5 * x, 2.0 + 0.5 * y, 3.0 + 0.5 * z});
  };
  EXPECT_NEAR(at(0.25, 1.5, 2.75), 0.25 + 15.0 - 5.5, 1e-12);
  EXPECT_NEAR(at(-4.0, 7.0, 1.0), 0.0 + 20.0 - 2.0, 1e-12);
  EXPECT_NEAR(at(9.0, 0.0, 3.0), 1.0 - 6.0, 1e-12);
  EXPECT_EQ(at(std::nan(""), 0.0, 0.0), grid.depth[0]);
}

TEST(Depths, AreDistancesFromTheSurface) {
  const Point half = {0.1, 0.2, 0.3};
  const std::optional<Depths> of_box =
      depthsOf(solidOf({Box{{2.0 * half.x, 2.0 * half.y, 2.0 * half.z}}}));
  const std::optional<Depths> of_mesh = depthsOf(solidOf(shapeOf(boxMesh(half))));
  ASSERT_TRUE(of_box && of_mesh && of_mesh->solid);
  ASSERT_EQ(of_box->depth.size(), of_mesh->depth.size());
  for (std::size_t k = 0; k < of_box->depth.size(); ++k) {
    if (of_box->depth[k] > 0.0) {
      EXPECT_NEAR(of_mesh->depth[k], of_box->depth[k], 1e-8);
      EXPECT_LE(of_mesh->depth[k], of_box->depth[k]);
    } else {
      EXPECT_LE(of_mesh->depth[k], 0.0);
    }
  }
}

TEST(BallsAt, AreThoseThatPointsAreDeepestIn) {
  const std::vector<Point> points = unitVectors(3000);
  std::vector<Sphere> balls;
  for (std::size_t k = 0; k < 40; ++k) {
    balls.push_back({points[10 * k], 0.01 * static_cast<double>(k)});
    if (k % 5 == 0) {
      balls.push_back({points[0], kEmptyRadius});
    }
  }
  const std::vector<std::int64_t> found = ballsAt(points, balls);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto outside = [&](std::size_t k) {
      return between(points[i], balls[k].centre) - balls[k].radius;
    };
    for (std::size_t k = 0; k < balls.size(); ++k) {
      EXPECT_LE(outside(static_cast<std::size_t>(found[i])), outside(k) + 1e-12);
    }
  }
}

// Leaves of a tree that contain a point, as do all above them.
bool contains(const PackedTree& packed, const Point& point) {
  const SphereTree tree = packed.view();
  std::vector<std::int64_t> open = {kRoot};
  while (!open.empty()) {
    const std::int64_t node = open.back();
    open.pop_back();
    const Sphere sphere = sphereOf(tree, node);
    if (between(sphere.centre, point) > sphere.radius + 1e-12) {
      continue;
    }
    if (groupBelow(node) >= tree.groups) {
      return true;
    }
    for (int lane = 0; lane < kSiblings; ++lane) {
      open.push_back(kSiblings * groupBelow(node) + lane);
    }
  }
  return false;
}

std::vector<Sphere> leaves(const PackedTree& packed) {
  const SphereTree tree = packed.view();
  std::vector<Sphere> found;
  for (std::int64_t node = kRoot; node < kSiblings * tree.groups; ++node) {
    if (groupBelow(node) >= tree.groups && isThere(sphereOf(tree, node))) {
      found.push_back(sphereOf(tree, node));
    }
  }
  return found;
}

// What was built before is read from files by this number; change both together.
TEST(Bodies, ComeOutAsTheirRevisionSays) {
  Shape mesh = shapeOf(boxMesh({0.1, 0.2, 0.3}));
  mesh.pose.translation().x() = 0.4;
  const BuiltBody body = bodyOf({mesh, {Cylinder{0.1, 0.5}}});
  double cover = 0.0;
  double inner = 0.0;
  for (const Sphere& sphere : leaves(body.cover)) {
    cover += sphere.radius;
  }
  for (const Sphere& sphere : leaves(body.inner)) {
    inner += sphere.radius;
  }
  EXPECT_EQ(kBodyRevision, 1);
  EXPECT_NEAR(cover, 37.262, 0.01) << "sum of the radii of the cover's leaves";
  EXPECT_NEAR(inner, 3.652, 0.002) << "sum of the radii of balls inside";
}

TEST(Shapes, ThatAreUnsoundAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const Shape& shape) {
    EXPECT_THROW(static_cast<void>(bodyOf({shape})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(surfaceOf({shape})), std::invalid_argument);
  };
  refused({Box{{0.1, 0.0, 0.1}}});
  refused({Box{{0.1, nan, 0.1}}});
  refused({generative_ik::Sphere{-1.0}});
  refused({Cylinder{0.1, 2e4}});
  refused({Capsule{std::numeric_limits<double>::infinity(), 0.1}});
  refused({std::shared_ptr<const Mesh>()});
  refused(shapeOf({}));
  Mesh mesh = boxMesh({0.1, 0.1, 0.1});
  mesh.faces[3][1] = 8;
  refused(shapeOf(mesh));
  mesh.faces[3][1] = -1;
  refused(shapeOf(mesh));
  mesh = boxMesh({0.1, 0.1, 0.1});
  mesh.vertices[5].y() = nan;
  refused(shapeOf(mesh));
  mesh.vertices[5].y() = 1e300;
  refused(shapeOf(mesh));
  Shape bent{Box{{0.1, 0.1, 0.1}}};
  bent.pose.matrix()(0, 1) = 0.1;
  refused(bent);
  bent.pose.matrix()(0, 1) = nan;
  refused(bent);
  Shape far{Box{{0.1, 0.1, 0.1}}};
  far.pose.translation().x() = nan;
  refused(far);
  EXPECT_THROW(static_cast<void>(bodyOf({})), std::invalid_argument);
}

TEST(Shapes, OfExtremeSizesHaveBodiesOfTheUsualSize) {
  for (const Shape& shape :
       {Shape{Box{{1e4, 1e-9, 1e-9}}}, Shape{Box{{1e4, 1e4, 1e4}}}, Shape{Cylinder{1e-300, 1e4}},
        Shape{Cylinder{1e4, 1e-300}}, Shape{Capsule{1e-6, 1e4}}, Shape{Capsule{1e4, 1e-6}}}) {
    const BuiltBody body = bodyOf({shape});
    EXPECT_EQ(leaves(body.cover).size(), 512U);
    EXPECT_LE(leaves(body.inner).size(), 512U);
    const Bounds bounds = boundsOf(solidOf(shape));
    EXPECT_TRUE(contains(body.cover, bounds.middle()));
  }
}

TEST(Meshes, AreWoundConsistently) {
  Mesh mesh = boxMesh({0.1, 0.2, 0.3});
  EXPECT_TRUE(isClosed(mesh));
  std::swap(mesh.faces[2][0], mesh.faces[2][1]);
  std::swap(mesh.faces[7][1], mesh.faces[7][2]);
  EXPECT_FALSE(isClosed(mesh));
  // A triangle without area in an edge, and vertices of their own for each face.
  mesh.faces.push_back({0, 1, 1});
  Mesh apart;
  for (const Face& face : mesh.faces) {
    for (const std::int64_t corner : face) {
      apart.vertices.push_back(mesh.vertices[static_cast<std::size_t>(corner)]);
    }
    const auto last = static_cast<std::int64_t>(apart.vertices.size());
    apart.faces.push_back({last - 3, last - 2, last - 1});
  }
  for (Mesh given : {mesh, apart}) {
    const Repaired repaired = repairedFaces(given);
    EXPECT_FALSE(repaired.unsure);
    EXPECT_EQ(repaired.faces.size(), 12U);
    given.faces = repaired.faces;
    EXPECT_TRUE(isClosed(given));
    const MeshParts parts = partsOf(given);
    EXPECT_EQ(parts.points.size(), 1U);
    EXPECT_TRUE(windsAround(parts.closed, {0.09, -0.19, 0.29}));
    EXPECT_FALSE(windsAround(parts.closed, {0.09, -0.19, 0.31}));
  }
}

TEST(Hulls, HaveTheCornersOfWhatIsInThem) {
  std::vector<Point> points = unitVectors(2000);
  for (std::size_t k = 0; k < points.size(); ++k) {
    points[k] = (k % 4 == 0 ? 1.0 : 0.9) * points[k];
  }
  const std::vector<Point> corners = hullCorners(points);
  EXPECT_GE(corners.size(), 500U);
  EXPECT_LT(corners.size(), 600U);
  for (const Point& way : unitVectors(500)) {
    const auto reach = [&way](const std::vector<Point>& of) {
      double most = -1.0;
      for (const Point& point : of) {
        most = std::max(most, dot(point, way));
      }
      return most;
    };
    EXPECT_NEAR(reach(corners), reach(points), 1e-9);
  }
}

TEST(Hulls, OfRegularGridsAndFlatThingsLoseNothing) {
  std::vector<Point> grid;
  for (int k = 0; k < 343; ++k) {
    grid.push_back({0.1 * (k % 7), 0.1 * (k / 7 % 7), 0.1 * (k / 49)});
  }
  std::vector<Point> flat;
  for (const Point& point : grid) {
    flat.push_back({point.x, point.y, 0.0});
  }
  for (const std::vector<Point>& points : {grid, flat}) {
    const std::vector<Point> corners = hullCorners(points);
    for (const double x : {0.0, 0.6}) {
      for (const double y : {0.0, 0.6}) {
        const auto is_there = [&](const Point& p) {
          return std::fabs(p.x - x) < 1e-12 && std::fabs(p.y - y) < 1e-12;
        };
        EXPECT_TRUE(std::any_of(corners.begin(), corners.end(), is_there));
      }
    }
  }
  EXPECT_LT(hullCorners(grid).size(), 100U);
}

}  // namespace
}  // namespace generative_ik::collision::building
