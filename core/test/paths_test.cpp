// Parts of the search for paths: null spaces, tracks, smoothing.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "../src/paths/find_path.hpp"
#include "../src/simd/constants.hpp"
#include "../src/solver/packed_chain.hpp"
#include "robots.hpp"

namespace generative_ik::paths {
namespace {

// An arm that follows a circle from a configuration.
class PathTest : public ::testing::Test {
 protected:
  PathTest() {
    targets_.reserve(at(16 * kPoses));
    const Vector start = Vector::Map(kStart.data(), 7);
    for (std::int64_t t = 0; t < kPoses; ++t) {
      const double angle = 2.0 * kPi * static_cast<double>(t) / static_cast<double>(kPoses - 1);
      Eigen::Isometry3d pose = chain_.tipInBase(start);
      pose.translation().y() += 0.1 * std::sin(angle);
      pose.translation().z() -= 0.1 * (1.0 - std::cos(angle));
      appendPose(pose, targets_);
    }
    for (const Variable& variable : chain_.variables()) {
      lower_.push_back(variable.lower);
      upper_.push_back(variable.upper);
    }
    calls_.solutions = [this](std::int64_t pose, std::int64_t count, std::int64_t /*random_seed*/,
                              bool /*exactly*/) {
      asked_.push_back(pose);
      Rows found(7);
      if (pose == 0 && count > 0) {
        found.append(kStart.data());
        EXPECT_EQ(refine(task_, found, {0})[0], 1);
      }
      return found;
    };
    calls_.offer = [](const Rows& /*path*/, double /*value*/) { return true; };
    task_.chain = packed_.view();
    task_.targets = targets_.data();
    task_.num_poses = kPoses;
    task_.size = 7;
    task_.lower = lower_.data();
    task_.upper = upper_.data();
    task_.max_step = steps_.data();
    task_.unit = ones_.data();
    task_.weight = ones_.data();
    task_.calls = &calls_;
    task_.stop = &stop_;
  }

  Rows found() { return findPath(task_, std::nullopt, {}, false).best; }

  // A path through the same poses with needless self-motion.
  Rows rough(const Rows& path) {
    Rows seeds = path;
    std::mt19937_64 random(3);
    for (std::int64_t t = 0; t < seeds.size(); ++t) {
      for (std::int64_t v = 0; v < 7; ++v) {
        seeds[t][v] += 0.1 * (static_cast<double>(random() >> 11U) * 0x1p-53 - 0.5);
      }
    }
    const std::vector<char> are_solutions = refine(task_, seeds, poses());
    EXPECT_EQ(std::count(are_solutions.begin(), are_solutions.end(), 1), kPoses);
    return seeds;
  }

  [[nodiscard]] double lengthOf(const Rows& path) const {
    const std::vector<double> lengths = task_.lengths(path);
    return std::accumulate(lengths.begin(), lengths.end(), 0.0);
  }

  static std::vector<std::int64_t> poses() {
    std::vector<std::int64_t> all(at(kPoses));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  static constexpr std::int64_t kPoses = 80;
  static constexpr std::array<double, 7> kStart = {0.4, 0.5, 0.1, -1.5, 0.2, 1.9, 0.3};
  Chain chain_ = test::panda();
  PackedChain packed_ = packed(chain_, Tolerance{});
  std::vector<double> targets_;
  std::vector<double> lower_;
  std::vector<double> upper_;
  std::vector<double> ones_ = std::vector<double>(7, 1.0);
  std::vector<double> steps_ = std::vector<double>(7, 0.2);
  PathCalls calls_;
  parallel::StopWhen stop_;
  PathTask task_;
  std::vector<std::int64_t> asked_;
};

TEST_F(PathTest, SelfMotionsMoveNoTip) {
  const Freedom freedom(task_);
  ASSERT_EQ(freedom.nullity(), 1);
  NullSpace null_space(task_, freedom);
  const HeldTips tips = freedom.at(Rows(7, kStart.data(), 1), {0});
  Vector direction(7);
  null_space.write({kStart.data(), 0, tips.ways(0)}, ones_.data(), nullptr, direction.data());
  EXPECT_NEAR(direction.norm(), 1.0, 1e-12);
  Jacobian jacobian;
  chain_.tipInBase(Vector::Map(kStart.data(), 7), jacobian);
  EXPECT_LT((jacobian * direction).norm(), 1e-12);
}

TEST_F(PathTest, ConfigurationsOfAPathAreWithinAStepOfEachOtherAndOnTheirPoses) {
  const Rows path = found();
  ASSERT_EQ(path.size(), kPoses);
  const std::vector<char> on_poses = solved(task_, path, poses());
  EXPECT_EQ(std::count(on_poses.begin(), on_poses.end(), 1), kPoses);
  for (std::int64_t t = 0; t + 1 < kPoses; ++t) {
    EXPECT_TRUE(task_.isStep(path[t], path[t + 1]));
  }
}

TEST_F(PathTest, SmoothingTakesNeedlessSelfMotionOutOfAPath) {
  const Rows straight = found();
  const Rows path = rough(straight);
  EXPECT_GT(lengthOf(path), 1.3 * lengthOf(straight));
  const MotionCheck motions(task_);
  std::vector<char> held(at(kPoses), 0);
  held[0] = 1;
  const Rows smooth = Smoother(task_, motions).shorten(path, held, false);
  EXPECT_EQ(smooth.part(0, 1), path.part(0, 1));
  EXPECT_LT(lengthOf(smooth), 1.03 * lengthOf(straight));
}

TEST_F(PathTest, SmoothingSlidesAlongAJointLimit) {
  const Rows straight = found();
  double middle = 0.0;
  for (std::int64_t t = 0; t < kPoses; ++t) {
    middle += straight[t][2] / static_cast<double>(kPoses);
  }
  upper_[2] = middle;
  const Rows best = found();
  ASSERT_EQ(best.size(), kPoses);
  const Rows path = rough(best);
  const MotionCheck motions(task_);
  const Rows smooth =
      Smoother(task_, motions).shorten(path, std::vector<char>(at(kPoses), 0), false);
  double largest = -kPi;
  for (std::int64_t t = 0; t < kPoses; ++t) {
    largest = std::max(largest, smooth[t][2]);
  }
  EXPECT_LE(largest, middle);
  EXPECT_GT(largest, middle - 1e-3);
  EXPECT_LT(lengthOf(smooth), 1.02 * lengthOf(best));
}

TEST_F(PathTest, APathTakesThePlaceOfTheLastTrackWhereThereIsNoRoom) {
  const Rows path = found();
  Layers layers(task_, 2);
  Rows starts(7);
  for (int k = 0; k < 4; ++k) {
    starts.append(kStart.data());
  }
  layers.addTracks(starts, 0);
  ASSERT_EQ(layers.size(), 2);
  const Rows first(7, layers.node(0, 0), kPoses);
  layers.addPath(path);
  EXPECT_EQ(layers.size(), 2);
  EXPECT_EQ(Rows(7, layers.node(0, 0), kPoses), first);
  EXPECT_EQ(Rows(7, layers.node(1, 0), kPoses), path);
  layers.addTracks(starts, 0);
  EXPECT_EQ(layers.size(), 2);
}

TEST_F(PathTest, NoWaveIsSentWhereTheNextPoseHasNoSolution) {
  for (std::int64_t t = 20; t < kPoses; ++t) {
    targets_[at(16 * t + 11)] += 5.0;
  }
  const Found search = findPath(task_, std::nullopt, {}, false);
  EXPECT_EQ(search.best.size(), 20);
  EXPECT_EQ(search.end.pose, 20);
  EXPECT_EQ(search.end.ending, Ending::kUnreached);
  EXPECT_EQ(asked_.back(), 20);
}

TEST_F(PathTest, AnInterruptEndsTheSearch) {
  int questions = 0;
  stop_.interrupted = [&questions] { return ++questions > 3; };
  const Found search = findPath(task_, Objective::kLargestStep, {}, false);
  EXPECT_TRUE(search.timed_out);
  EXPECT_LT(questions, 200);
}

}  // namespace
}  // namespace generative_ik::paths
