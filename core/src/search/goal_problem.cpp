#include "goal_problem.hpp"

#include <algorithm>

namespace generative_ik::search {
namespace {

/// Hands out an array's numbers one part after the other; null once there are too few.
template <class Number>
class Parts {
 public:
  Parts(const Number* numbers, std::size_t count)
      : next_(numbers), left_(static_cast<std::int64_t>(count)) {}

  const Number* take(std::int64_t count) {
    if (count > left_) {
      next_ = nullptr;
      left_ = 0;
      return nullptr;
    }
    const Number* part = next_;
    next_ += count;
    left_ -= count;
    return part;
  }
  [[nodiscard]] bool exhausted() const { return next_ != nullptr && left_ == 0; }

 private:
  const Number* next_;
  std::int64_t left_;
};

bool allWithin(const std::int64_t* indices, std::int64_t count, std::int64_t lower,
               std::int64_t upper) {
  return std::all_of(indices, indices + count,
                     [lower, upper](std::int64_t i) { return lower <= i && i < upper; });
}

// Counts the columns of all goals. Returns whether the parts of paths are such.
bool countColumns(GoalTree& tree, std::int64_t path_size) {
  std::int64_t last = -1;
  for (std::int64_t p = 0; p < path_size; ++p) {
    const std::int64_t* part = tree.path + 3 * p;
    if (part[0] < 0 || part[0] >= tree.num_joints || part[2] < 0) {
      return false;
    }
    last = std::max(last, part[2]);
  }
  tree.num_columns = last + 1;
  return last < tree.num_goals * tree.num_variables;
}

// Whether no index of a tree leads outside its arrays; slots are known to be right.
bool isConsistent(const GoalTree& tree, std::int64_t path_size) {
  return allWithin(tree.variable, tree.num_joints, 0, tree.num_variables) &&
         allWithin(tree.column, tree.num_goals * tree.num_variables, -1, tree.num_columns) &&
         allWithin(tree.path_end, tree.num_goals, 0, path_size + 1);
}

constexpr std::int64_t kNumOptions = 9;
// More joints, variables, goals or parts of paths than these are no robot's.
constexpr std::int64_t kMost = 1 << 16;

}  // namespace

bool GoalNumbers::read(const Packed& packed) {
  Parts<double> floats(packed.floats, packed.num_floats);
  Parts<std::int64_t> wholes(packed.ints, packed.num_ints);
  const std::int64_t* sizes = wholes.take(4);
  const double* settings = floats.take(kNumOptions + 2);
  if (sizes == nullptr || settings == nullptr || !allWithin(sizes, 4, 0, kMost) ||
      !readOptions(settings, options)) {
    return false;
  }
  const std::int64_t m = tree.num_joints = sizes[0];
  const std::int64_t n = tree.num_variables = sizes[1];
  const std::int64_t g = tree.num_goals = sizes[2];
  const std::int64_t p = sizes[3];
  tolerances = {settings[kNumOptions], settings[kNumOptions + 1]};

  tree.origins = floats.take(7 * m);
  tree.multiplier = floats.take(m);
  tree.offset = floats.take(m);
  tree.scale = floats.take(n);
  tree.tip = floats.take(7 * g);
  tree.reference = floats.take(7 * g);
  verify::RodriguesChain& joints = verifier.joints;
  joints.rotations = floats.take(9 * m);
  joints.sine_part = floats.take(9 * m);
  joints.versine_part = floats.take(9 * m);
  joints.shifts = floats.take(3 * m);
  joints.axes = floats.take(3 * m);
  verifier.tip = floats.take(16 * g);
  verifier.reference = floats.take(16 * g);

  tree.prismatic = wholes.take(m);
  tree.variable = wholes.take(m);
  tree.begin = wholes.take(m);
  tree.slot = wholes.take(m);
  tree.tip_slot = wholes.take(g);
  tree.reference_slot = wholes.take(g);
  tree.path = wholes.take(3 * p);
  tree.path_end = wholes.take(g);
  tree.column = wholes.take(g * n);
  tree.coupled = wholes.take(g * g);
  const std::int64_t* of_call = wholes.take(2);
  tree.bounded = wholes.take(g);
  if (!wholes.exhausted() || of_call[1] < 1 ||
      of_call[1] > static_cast<std::int64_t>(packed.num_floats)) {
    return false;
  }
  redundant = of_call[0] != 0;
  regions = floats.take(of_call[1] * g * RegionRow::kSize);
  checks = {of_call[1], floats.take(of_call[1] * g * verify::Region::kSize), tree.bounded};
  if (!floats.exhausted()) {
    return false;
  }

  joints.num_joints = m;
  joints.prismatic = tree.prismatic;
  joints.variable = tree.variable;
  joints.multiplier = tree.multiplier;
  joints.offset = tree.offset;
  joints.tip = nullptr;
  verifier.num_goals = g;
  verifier.begin = tree.begin;
  verifier.slot = tree.slot;
  verifier.tip_slot = tree.tip_slot;
  verifier.reference_slot = tree.reference_slot;
  if (!verify::countSlots(verifier)) {
    return false;
  }
  tree.num_slots = verifier.num_slots;
  return countColumns(tree, p) && isConsistent(tree, p);
}

GoalProblem::GoalProblem(const GoalNumbers& numbers, const double* targets, LaneRow* memory,
                         const LaneKernel& kernel)
    : numbers_(numbers),
      targets_(targets),
      kernel_(kernel),
      rows_(goalRowsIn(memory, numbers.tree)),
      // NOLINTNEXTLINE(*-reinterpret-cast): memory of numbers
      slots_(reinterpret_cast<verify::Frame<double>*>(memory + countGoalRows(numbers.tree))) {}

std::int64_t GoalProblem::countRows(const GoalNumbers& numbers) {
  const auto frames = static_cast<std::size_t>(numbers.tree.num_slots);
  const std::size_t bytes = frames * sizeof(verify::Frame<double>);
  const std::size_t rows = (bytes + sizeof(LaneRow) - 1) / sizeof(LaneRow);
  return countGoalRows(numbers.tree) + static_cast<std::int64_t>(rows);
}

void GoalProblem::load(int lane, std::int64_t target) const {
  const std::int64_t goals = numbers_.tree.num_goals;
  const std::int64_t region = numbers_.checks.count > 1 ? target : 0;
  loadGoals(targets_ + 16 * goals * target, numbers_.regions + region * goals * RegionRow::kSize,
            numbers_.tree, rows_, lane);
}

Verification GoalProblem::verify(const double* q, std::int64_t target) const {
  const verify::Tolerances& most = numbers_.tolerances;
  const verify::GoalGap found =
      verify::measureGoals(numbers_.verifier, numbers_.checks, most, q, targets_, target, slots_);
  const bool exact = found.gap.distance <= most.position && found.gap.angle <= most.orientation;
  return {found.gap.distance, found.gap.angle, exact && found.inside};
}

}  // namespace generative_ik::search
