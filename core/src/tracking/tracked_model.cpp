#include "tracked_model.hpp"

#include <utility>

namespace generative_ik::tracking {

TrackedModel::TrackedModel(JointTree joints, std::vector<double> regions,
                           std::vector<std::int64_t> bounded, std::size_t num_closures)
    : joints_(std::move(joints)),
      regions_(std::move(regions)),
      bounded_(std::move(bounded)),
      num_closures_(num_closures) {
  pointToNumbers();
}

TrackedModel::TrackedModel(JointTree joints) : TrackedModel(std::move(joints), {}, {}) {
  const auto goals = static_cast<std::size_t>(joints_.numGoals());
  regions_.assign(goals * RegionRow::kSize, 0.0);
  bounded_.assign(goals, 0);
  pointToNumbers();
}

void TrackedModel::boundBy(const regions::PackedRegions& regions) {
  regions_ = regions.solver;
  bounded_ = regions.bounded;
  pointToNumbers();
}

void TrackedModel::pointToNumbers() {
  tree_ = joints_.goals();
  tree_.bounded = bounded_.data();
}

}  // namespace generative_ik::tracking
