#include "region_truth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "robots.hpp"

namespace generative_ik::test {
namespace {

Eigen::Isometry3d poseAt(const TaskSpaceRegion::Bounds& at) {
  return Eigen::Isometry3d(Eigen::Translation3d(at.head<3>()) *
                           Eigen::AngleAxisd(at[5], Eigen::Vector3d::UnitZ()) *
                           Eigen::AngleAxisd(at[4], Eigen::Vector3d::UnitY()) *
                           Eigen::AngleAxisd(at[3], Eigen::Vector3d::UnitX()));
}

double excessOf(double value, double lower, double upper) {
  return std::max({lower - value, value - upper, 0.0});
}

// How far a rotation is outside bounds of its angles, of which it has two triples.
double anglesOutside(const TaskSpaceRegion& region, const Eigen::Matrix3d& r) {
  const double roll = std::atan2(r(2, 1), r(2, 2));
  const double pitch = std::asin(std::clamp(-r(2, 0), -1.0, 1.0));
  const double yaw = std::atan2(r(1, 0), r(0, 0));
  double least = 10.0;
  for (const Eigen::Vector3d& angles :
       {Eigen::Vector3d(roll, pitch, yaw),
        Eigen::Vector3d(roll + kHalfCircle, kHalfCircle - pitch, yaw + kHalfCircle)}) {
    double most = 0.0;
    for (Eigen::Index k = 0; k < 3; ++k) {
      double nearest = 10.0;
      for (const double turns : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
        nearest = std::min(nearest, excessOf(angles[k] + 2.0 * kHalfCircle * turns,
                                             region.lower()[3 + k], region.upper()[3 + k]));
      }
      most = std::max(most, nearest);
    }
    least = std::min(least, most);
  }
  return least;
}

}  // namespace

TaskSpaceRegion::Bounds sixBounds(double x, double y, double z, double roll, double pitch,
                                  double yaw) {
  TaskSpaceRegion::Bounds bounds;
  bounds << x, y, z, roll, pitch, yaw;
  return bounds;
}

std::vector<NamedRegion> kindsOfRegions() {
  return {{"free x", TaskSpaceRegion::freeAxis(TaskSpaceRegion::Axis::kX)},
          {"free y", TaskSpaceRegion::freeAxis(TaskSpaceRegion::Axis::kY)},
          {"free z", TaskSpaceRegion::freeAxis()},
          {"cone", TaskSpaceRegion::cone(TaskSpaceRegion::Axis::kZ, 0.4)},
          {"wide cone",
           TaskSpaceRegion::cone(TaskSpaceRegion::Axis::kX, 2.0, {-0.1, 0, 0}, {0.1, 0, 0})},
          {"all directions", TaskSpaceRegion::cone(TaskSpaceRegion::Axis::kY, kHalfCircle)},
          {"position", TaskSpaceRegion::positionOnly()},
          {"orientation", TaskSpaceRegion::orientationOnly()},
          {"plane", TaskSpaceRegion::plane(TaskSpaceRegion::Axis::kY)},
          {"band", {sixBounds(0, 0, -0.2, 0, 0, 0), sixBounds(0, 0, 0.1, 0, 0, 0)}},
          {"box", {sixBounds(-0.1, 0, 0, -0.3, -0.2, -1), sixBounds(0.1, 0.05, 0, 0.3, 0.4, 0.5)}},
          {"turned", {sixBounds(0, 0, 0, 0.3, -0.4, 3.0), sixBounds(0, 0, 0, 0.3, -0.4, 3.4)}},
          {"steep", {sixBounds(0, 0, 0, 0, 1.2, -0.1), sixBounds(0, 0, 0, 0, 2.0, 0.1)}}};
}

// A pose somewhere inside a region, in the target's frame.
Eigen::Isometry3d somewhereIn(const TaskSpaceRegion& region, std::mt19937& random) {
  const auto within = [&](double lower, double upper, double most) {
    return std::uniform_real_distribution<>(std::max(lower, -most), std::min(upper, most))(random);
  };
  TaskSpaceRegion::Bounds at;
  for (Eigen::Index k = 0; k < 6; ++k) {
    at[k] = within(region.lower()[k], region.upper()[k], k < 3 ? 0.2 : 4.0);
  }
  if (!region.boundingCone()) {
    return poseAt(at);
  }
  const auto [axis, half_angle] = *region.boundingCone();
  const Eigen::Vector3d along = Eigen::Vector3d::Unit(static_cast<int>(axis));
  const Eigen::Vector3d aside = Eigen::Vector3d::Unit((static_cast<int>(axis) + 1) % 3);
  Eigen::Isometry3d pose(Eigen::Translation3d(at.head<3>()));
  pose.rotate(Eigen::AngleAxisd(within(-kHalfCircle, kHalfCircle, kHalfCircle), along));
  pose.rotate(Eigen::AngleAxisd(within(0.0, half_angle, kHalfCircle), aside));
  pose.rotate(Eigen::AngleAxisd(within(-kHalfCircle, kHalfCircle, kHalfCircle), along));
  return pose;
}

// How far a tip is outside the region about a target, in metres and radians.
std::array<double, 2> measureOutside(const TaskSpaceRegion& region,
                                     const Eigen::Isometry3d& target,
                                     const Eigen::Isometry3d& tip) {
  const Eigen::Isometry3d gap = target.inverse() * tip;
  Eigen::Vector3d away;
  for (Eigen::Index k = 0; k < 3; ++k) {
    away[k] = excessOf(gap.translation()[k], region.lower()[k], region.upper()[k]);
  }
  if (!region.boundingCone()) {
    return {away.norm(), anglesOutside(region, gap.linear())};
  }
  const auto [axis, half_angle] = *region.boundingCone();
  const Eigen::Vector3d own = gap.linear().col(static_cast<int>(axis));
  const Eigen::Vector3d other = Eigen::Vector3d::Unit(static_cast<int>(axis));
  const double angle = std::atan2(own.cross(other).norm(), own.dot(other));
  return {away.norm(), std::max(angle - half_angle, 0.0)};
}

void expectInside(const Chain& chain, const IKRequest& request, const IKSolutions& found) {
  ASSERT_NE(found.status, SolveStatus::kNoSolution);
  ASSERT_FALSE(found.solutions.empty());
  EXPECT_LE(found.solutions.size(), request.num_solutions);
  for (std::size_t i = 0; i < found.solutions.size(); ++i) {
    const auto& [q, position_error, orientation_error] = found.solutions[i];
    EXPECT_TRUE(SearchBox(chain.variables()).contains(q));
    const auto [away, turned] =
        measureOutside(request.regions.front(), request.target_in_base, chain.tipInBase(q));
    EXPECT_LE(away, kInsideRegion);
    EXPECT_LE(turned, kInsideRegion);
    EXPECT_LE(position_error, 1e-5);
    EXPECT_LE(orientation_error, 1e-5);
    EXPECT_LE(away, position_error + 1e-9);
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_GE((q - found.solutions[k].q).cwiseAbs().maxCoeff(), 0.05);
    }
  }
}

IKRequest requestWithin(const TaskSpaceRegion& region, const Chain& chain, std::mt19937& random,
                        std::size_t num_solutions) {
  IKRequest request;
  const Eigen::Isometry3d tip = chain.tipInBase(randomPosition(chain, random) * 0.5);
  request.target_in_base = tip * somewhereIn(region, random).inverse();
  request.regions = {region};
  request.num_solutions = num_solutions;
  return request;
}

}  // namespace generative_ik::test
