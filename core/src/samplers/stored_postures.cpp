#include "stored_postures.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace generative_ik::samplers {
namespace {

using BasePose = Eigen::Isometry3d;
using BaseNumbers = std::array<double, 6>;  // x y z yaw pitch roll

BasePose baseAt(const BaseNumbers& q) {
  BasePose pose = BasePose::Identity();
  pose.translation() = Eigen::Vector3d(q[0], q[1], q[2]);
  pose.linear() = (Eigen::AngleAxisd(q[3], Eigen::Vector3d::UnitZ()) *
                   Eigen::AngleAxisd(q[4], Eigen::Vector3d::UnitY()) *
                   Eigen::AngleAxisd(q[5], Eigen::Vector3d::UnitX()))
                      .toRotationMatrix();
  return pose;
}

BaseNumbers numbersOf(const BasePose& base) {
  const auto& turn = base.linear();
  return {base.translation()[0],
          base.translation()[1],
          base.translation()[2],
          std::atan2(turn(1, 0), turn(0, 0)),
          std::asin(std::clamp(-turn(2, 0), -1.0, 1.0)),
          std::atan2(turn(2, 1), turn(2, 2))};
}

// Fits the postures of a block.
class Block {
 public:
  Block(const StoredPostures& stored, const TipGoals& goals, std::int64_t size)
      : stored_(stored),
        goals_(goals),
        bounded_(anglesAreBounded()),
        bases_(static_cast<std::size_t>(size)),
        reaches_(static_cast<std::size_t>(size) * stored.limbs.size()),
        found_(reaches_.size()),
        order_(static_cast<std::size_t>(size)) {
    for (const Limb& limb : stored.limbs) {
      tips_.push_back(Pose::of(goals.poses + 16 * limb.tip));
    }
  }

  // Sorts stored postures, as many as a block has, by how near their tips come.
  void fit(const std::int64_t* rows) {
    rows_ = rows;
    for (std::size_t k = 0; k < order_.size(); ++k) {
      place(k);
    }
    for (std::size_t k = 0; k < order_.size(); ++k) {
      order_[k] = {fitLimbs(k), k};
    }
    std::sort(order_.begin(), order_.end());
  }

  // Writes the one of a rank (n).
  void write(std::int64_t rank, double* seed) const {
    const std::size_t k = order_[static_cast<std::size_t>(rank)].second;
    const std::int64_t n = stored_.num_variables;
    const double* positions = stored_.positions.data();
    std::copy_n(positions + n * rows_[k], n, seed);
    const BaseNumbers base = inLimits(numbersOf(bases_[k]));
    for (std::size_t i = 0; i < base.size(); ++i) {
      seed[stored_.base[i]] = base[i];
    }
    const std::int64_t* row = found_.data() + k * stored_.limbs.size();
    for (const Limb& limb : stored_.limbs) {
      const double* from = positions + n * *row++;
      for (const std::int64_t v : limb.variables) {
        seed[v] = from[v];
      }
    }
  }

 private:
  // Whether an angle that `numbersOf` returns may be beyond its limits.
  [[nodiscard]] bool anglesAreBounded() const {
    constexpr double kPi = std::numbers::pi;
    constexpr std::array<double, 3> kMost = {kPi, kPi / 2.0, kPi};
    for (std::size_t i = 0; i < kMost.size(); ++i) {
      const auto v = static_cast<std::size_t>(stored_.base[3 + i]);
      if (stored_.lower[v] > -kMost[i] || stored_.upper[v] < kMost[i]) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] BaseNumbers inLimits(BaseNumbers base) const {
    for (std::size_t i = 0; i < base.size(); ++i) {
      const auto v = static_cast<std::size_t>(stored_.base[i]);
      base[i] = std::clamp(base[i], stored_.lower[v], stored_.upper[v]);
    }
    return base;
  }

  // Where the base of a posture stands, within its limits.
  [[nodiscard]] BasePose baseFor(std::int64_t row) const {
    const auto k = static_cast<std::size_t>(row);
    BasePose base = BasePose::Identity();
    base.linear() = goals_.turn.transpose() * stored_.turns[k];
    base.translation() = goals_.centre - base.linear() * stored_.centres[k];
    if (!bounded_) {
      for (int i = 0; i < 3; ++i) {
        const auto v = static_cast<std::size_t>(stored_.base[static_cast<std::size_t>(i)]);
        base.translation()[i] =
            std::clamp(base.translation()[i], stored_.lower[v], stored_.upper[v]);
      }
      return base;
    }
    return baseAt(inLimits(numbersOf(base)));
  }

  // Chooses the base, and from where on limbs have to reach their goals.
  void place(std::size_t k) {
    const std::int64_t row = rows_[k];
    bases_[k] = baseFor(row);
    const Pose base = {bases_[k].linear().cast<float>(), bases_[k].translation().cast<float>()};
    for (std::size_t l = 0; l < tips_.size(); ++l) {
      const Limb& limb = stored_.limbs[l];
      const Pose root = base * limb.roots[static_cast<std::size_t>(row)];
      Reach& reach = reaches_[k * tips_.size() + l];
      reach.goal = posePoints(root.seen(tips_[l]), stored_.length);
      reach.leaf = &limb.tips.leafOf(reach.goal);
    }
  }

  // Chooses limbs; returns how far the tips then are from their goals.
  float fitLimbs(std::size_t k) {
    float squared = 0.0F;
    for (std::size_t l = k * tips_.size(); l < (k + 1) * tips_.size(); ++l) {
      const PoseTree::Found found = reaches_[l].leaf->nearest(reaches_[l].goal);
      squared += found.squared;
      found_[l] = found.row;
    }
    return squared;
  }

  // Where a limb has to reach from its root, and limbs that nearly do.
  struct Reach {
    PosePoints goal;
    const PoseTree::Leaf* leaf;
  };

  const StoredPostures& stored_;
  const TipGoals& goals_;
  bool bounded_;
  const std::int64_t* rows_ = nullptr;
  std::vector<Pose> tips_;           // of the limbs
  std::vector<BasePose> bases_;      // of the block's postures
  std::vector<Reach> reaches_;       // of their limbs
  std::vector<std::int64_t> found_;  // stored postures that each one's limbs are of
  std::vector<std::pair<float, std::size_t>> order_;
};

}  // namespace

void fitPostures(const StoredPostures& stored, const TipGoals& goals, const FittedRanks& ranks,
                 double* seeds) {
  Block block(stored, goals, ranks.block);
  std::int64_t rank = ranks.first;
  const std::int64_t last = ranks.first + ranks.count;
  for (std::int64_t first = 0; first < last; first += ranks.block) {
    block.fit(ranks.rows + first);
    for (; rank < std::min(last, first + ranks.block); ++rank) {
      block.write(rank - first, seeds);
      seeds += stored.num_variables;
    }
  }
}

}  // namespace generative_ik::samplers
