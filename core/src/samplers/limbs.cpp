#include "limbs.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>
#include <utility>

namespace generative_ik::samplers {
namespace {

using Pose = Eigen::Isometry3d;
using Rows34 = Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>>;

Pose poseAt(const double* rows) {
  Pose pose;
  pose.matrix().topRows<3>() = Rows34(rows);
  pose.makeAffine();
  return pose;
}

PosePoints pointsOf(const Pose& pose, double length) {
  PosePoints points{};
  const Eigen::Vector3d origin = pose.translation();
  for (int axis = -1; axis < 3; ++axis) {
    Eigen::Vector3d point = origin;
    if (axis >= 0) {
      point += length * pose.linear().col(axis);
    }
    for (int i = 0; i < 3; ++i) {
      points.at(static_cast<std::size_t>(3 * (axis + 1) + i)) = static_cast<float>(point[i]);
    }
  }
  return points;
}

// Where the base of a configuration stands; at the origin if it does not float.
Pose baseOf(const StoredLimbs& stored, const double* q) {
  Pose pose = Pose::Identity();
  if (!stored.base.empty()) {
    const auto at = [&](std::size_t i) { return q[stored.base[i]]; };
    pose.translation() = Eigen::Vector3d(at(0), at(1), at(2));
    pose.linear() = (Eigen::AngleAxisd(at(3), Eigen::Vector3d::UnitZ()) *
                     Eigen::AngleAxisd(at(4), Eigen::Vector3d::UnitY()) *
                     Eigen::AngleAxisd(at(5), Eigen::Vector3d::UnitX()))
                        .toRotationMatrix();
  }
  return pose;
}

// Gives a posture its limbs; returns how far the tips then are from their goals.
float fitOne(const StoredLimbs& stored, const double* goals, std::int64_t row, double* seed) {
  const Pose base = baseOf(stored, seed);
  float squared = 0.0F;
  for (const Limb& limb : stored.limbs) {
    const Pose root = base * poseAt(limb.roots.data() + kPoseNumbers * row);
    const Pose goal = root.inverse() * poseAt(goals + 16 * limb.tip);
    const PoseTree::Found found = limb.tips.near(pointsOf(goal, stored.length));
    squared += found.squared;
    const double* from = stored.positions.data() + stored.num_variables * found.row;
    for (const std::int64_t v : limb.variables) {
      seed[v] = from[v];
    }
  }
  return squared;
}

}  // namespace

PoseTree::PoseTree(const std::vector<PosePoints>& poses)
    : rows_(poses.size()), columns_(poses.size() * kPoseNumbers) {
  std::iota(rows_.begin(), rows_.end(), 0);
  split(poses, 0, 0, std::ssize(rows_));
}

void PoseTree::split(const std::vector<PosePoints>& poses, std::int64_t node, std::int64_t first,
                     std::int64_t last) {
  const auto value = [&poses](std::int64_t row, std::int64_t c) {
    return poses[static_cast<std::size_t>(row)].at(static_cast<std::size_t>(c));
  };
  if (last - first <= kLeaf) {
    float* to = columns_.data() + kPoseNumbers * first;
    for (std::int64_t c = 0; c < kPoseNumbers; ++c) {
      for (std::int64_t i = first; i < last; ++i) {
        *to++ = value(rows_[static_cast<std::size_t>(i)], c);
      }
    }
    return;
  }
  Cut cut{0, 0.0F};
  double widest = -1.0;
  for (std::int64_t c = 0; c < kPoseNumbers; ++c) {
    double sum = 0.0;
    double squares = 0.0;
    for (std::int64_t i = first; i < last; ++i) {
      const double x = value(rows_[static_cast<std::size_t>(i)], c);
      sum += x;
      squares += x * x;
    }
    const double spread = squares - sum * sum / static_cast<double>(last - first);
    if (spread > widest) {
      widest = spread;
      cut.coordinate = c;
    }
  }
  const std::int64_t middle = first + (last - first) / 2;
  const auto before = [&](std::int64_t a, std::int64_t b) {
    return std::pair(value(a, cut.coordinate), a) < std::pair(value(b, cut.coordinate), b);
  };
  const auto begin = rows_.begin();
  std::nth_element(begin + first, begin + middle, begin + last, before);
  // Between both sides: what is stored is found, however its pose is rounded.
  const std::int64_t largest = *std::max_element(begin + first, begin + middle, before);
  cut.at = 0.5F * (value(largest, cut.coordinate) +
                   value(rows_[static_cast<std::size_t>(middle)], cut.coordinate));
  if (std::ssize(cuts_) <= node) {
    cuts_.resize(static_cast<std::size_t>(node) + 1);
  }
  cuts_[static_cast<std::size_t>(node)] = cut;
  split(poses, 2 * node + 1, first, middle);
  split(poses, 2 * node + 2, middle, last);
}

PoseTree::Found PoseTree::near(const PosePoints& pose) const {
  std::int64_t first = 0;
  std::int64_t last = std::ssize(rows_);
  for (std::int64_t node = 0; last - first > kLeaf;) {
    const Cut& cut = cuts_[static_cast<std::size_t>(node)];
    const std::int64_t middle = first + (last - first) / 2;
    const bool beyond = pose[static_cast<std::size_t>(cut.coordinate)] >= cut.at;
    (beyond ? first : last) = middle;
    node = 2 * node + (beyond ? 2 : 1);
  }
  std::array<float, kLeaf> squared{};
  const float* column = columns_.data() + kPoseNumbers * first;
  for (const float wanted : pose) {
    for (std::int64_t i = 0; i < last - first; ++i) {
      const float gap = column[i] - wanted;
      squared[static_cast<std::size_t>(i)] += gap * gap;
    }
    column += last - first;
  }
  const float* least = std::min_element(squared.data(), squared.data() + (last - first));
  return {rows_[static_cast<std::size_t>(first + (least - squared.data()))], *least};
}

PosePoints posePoints(const double* pose, double length) {
  return pointsOf(poseAt(pose), length);
}

void fitLimbs(const StoredLimbs& stored, const double* goals, const std::int64_t* rows,
              std::int64_t count, std::int64_t block, double* seeds) {
  const std::int64_t size = stored.num_variables;
  std::vector<std::pair<float, std::int64_t>> order(static_cast<std::size_t>(block));
  std::vector<double> sorted(static_cast<std::size_t>(block * size));
  for (std::int64_t first = 0; first < count; first += block) {
    double* some = seeds + first * size;
    for (std::int64_t k = 0; k < block; ++k) {
      order[static_cast<std::size_t>(k)] = {
          fitOne(stored, goals, rows[first + k], some + k * size), k};
    }
    std::sort(order.begin(), order.end());
    auto to = sorted.begin();
    for (const auto& [squared, k] : order) {
      to = std::copy_n(some + k * size, size, to);
    }
    std::copy(sorted.begin(), sorted.end(), some);
  }
}

}  // namespace generative_ik::samplers
