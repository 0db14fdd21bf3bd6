#include "limbs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace generative_ik::samplers {
namespace {

constexpr std::size_t kCacheLine = 64;

}  // namespace

PoseTree::PoseTree(const std::vector<PosePoints>& poses) {
  std::vector<std::int64_t> rows(poses.size());
  std::iota(rows.begin(), rows.end(), 0);
  split(poses, rows, 0);
}

void PoseTree::addLeaf(const std::vector<PosePoints>& poses, std::span<const std::int64_t> rows) {
  Leaf& leaf = leaves_.emplace_back();
  for (auto& column : leaf.columns) {
    column.fill(std::numeric_limits<float>::infinity());
  }
  leaf.rows.fill(0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    leaf.rows.at(i) = rows[i];
    for (std::size_t c = 0; c < leaf.columns.size(); ++c) {
      leaf.columns.at(c).at(i) = poses[static_cast<std::size_t>(rows[i])].at(c);
    }
  }
}

void PoseTree::split(const std::vector<PosePoints>& poses, std::span<std::int64_t> rows,
                     std::size_t node) {
  const auto value = [&poses](std::int64_t row, std::size_t c) {
    return poses[static_cast<std::size_t>(row)].at(c);
  };
  nodes_.resize(std::max(nodes_.size(), node + 1));
  if (std::ssize(rows) <= kLeaf) {
    nodes_[node] = {kNone, static_cast<std::int32_t>(leaves_.size()), 0.0F};
    addLeaf(poses, rows);
    return;
  }
  std::size_t widest = 0;
  double most = -1.0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(kPoseNumbers); ++c) {
    double sum = 0.0;
    double squares = 0.0;
    for (const std::int64_t row : rows) {
      const double x = value(row, c);
      sum += x;
      squares += x * x;
    }
    const double spread = squares - sum * sum / static_cast<double>(rows.size());
    if (spread > most) {
      most = spread;
      widest = c;
    }
  }
  const auto before = [&](std::int64_t a, std::int64_t b) {
    return std::pair(value(a, widest), a) < std::pair(value(b, widest), b);
  };
  const std::size_t half = rows.size() / 2;
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(rows.begin(), middle, rows.end(), before);
  // Between both sides: what is stored is found, however its pose is rounded.
  const std::int64_t largest = *std::max_element(rows.begin(), middle, before);
  const float at = 0.5F * (value(largest, widest) + value(*middle, widest));
  nodes_[node] = {static_cast<std::int32_t>(widest), kNone, at};
  split(poses, rows.first(half), 2 * node + 1);
  split(poses, rows.subspan(half), 2 * node + 2);
}

const PoseTree::Leaf& PoseTree::leafOf(const PosePoints& pose) const {
  std::size_t node = 0;
  while (nodes_[node].coordinate != kNone) {
    const bool beyond = pose[static_cast<std::size_t>(nodes_[node].coordinate)] >= nodes_[node].at;
    node = 2 * node + (beyond ? 2 : 1);
  }
  const Leaf& leaf = leaves_[static_cast<std::size_t>(nodes_[node].leaf)];
  const auto* lines = reinterpret_cast<const char*>(&leaf);  // NOLINT(*-reinterpret-cast)
  for (std::size_t line = 0; line < sizeof leaf; line += kCacheLine) {
    __builtin_prefetch(lines + line);
  }
  return leaf;
}

PoseTree::Found PoseTree::Leaf::nearest(const PosePoints& pose) const {
  using Numbers = Eigen::Array<float, kLeaf, 1>;
  Numbers squared = Numbers::Zero();
  for (std::size_t c = 0; c < pose.size(); ++c) {
    squared += (Eigen::Map<const Numbers>(columns[c].data()) - pose[c]).square();
  }
  Eigen::Index least = 0;
  const float smallest = squared.minCoeff(&least);
  return {rows[static_cast<std::size_t>(least)], smallest};
}

Pose Pose::of(const double* rows) {
  const Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>> pose(rows);
  return {pose.leftCols<3>().cast<float>(), pose.col(3).cast<float>()};
}

PosePoints posePoints(const Pose& pose, float length) {
  PosePoints points{};
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    points[k] = pose.origin[i];
    points[k + 3] = pose.origin[i] + length * pose.turn(i, 0);
    points[k + 6] = pose.origin[i] + length * pose.turn(i, 1);
    points[k + 9] = pose.origin[i] + length * pose.turn(i, 2);
  }
  return points;
}

}  // namespace generative_ik::samplers
