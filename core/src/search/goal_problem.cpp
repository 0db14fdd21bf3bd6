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

// More joints, variables, goals or parts of paths than these are no robot's.
bool areCounts(const std::int64_t* numbers, std::int64_t count) {
  constexpr std::int64_t kMost = 1 << 16;
  return std::all_of(numbers, numbers + count,
                     [](std::int64_t number) { return number >= 0 && number <= kMost; });
}

}  // namespace

bool GoalNumbers::read(const Packed& packed) {
  Parts<double> floats(packed.floats, packed.num_floats);
  Parts<std::int64_t> wholes(packed.ints, packed.num_ints);
  const std::int64_t* sizes = wholes.take(4);
  const double* settings = floats.take(static_cast<std::int64_t>(kOptionNumbers) + 2);
  if (sizes == nullptr || settings == nullptr || !areCounts(sizes, 4) ||
      !readOptions(settings, options)) {
    return false;
  }
  const std::int64_t m = tree.num_joints = sizes[0];
  const std::int64_t n = tree.num_variables = sizes[1];
  const std::int64_t g = tree.num_goals = sizes[2];
  const std::int64_t p = sizes[3];
  tolerances = {settings[kOptionNumbers], settings[kOptionNumbers + 1]};

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
  joints.offset = floats.take(m);
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
  joints.tip = nullptr;
  verifier.num_goals = g;
  verifier.begin = tree.begin;
  verifier.slot = tree.slot;
  verifier.tip_slot = tree.tip_slot;
  verifier.reference_slot = tree.reference_slot;
  return countParts(tree, p) && verify::countSlots(verifier);
}

GoalProblem::GoalProblem(const GoalNumbers& numbers, const double* targets, LaneRow* memory,
                         const LaneKernel& kernel)
    : GoalSolver({numbers.tree, numbers.options, numbers.regions, numbers.checks.count}, targets,
                 memory, kernel),
      numbers_(numbers),
      targets_(targets),
      // NOLINTNEXTLINE(*-reinterpret-cast): memory of numbers
      slots_(reinterpret_cast<verify::Frame<double>*>(memory + countGoalRows(numbers.tree))) {}

std::int64_t GoalProblem::countRows(const GoalNumbers& numbers) {
  const auto frames = static_cast<std::size_t>(numbers.tree.num_slots);
  const std::size_t bytes = frames * sizeof(verify::Frame<double>);
  const std::size_t rows = (bytes + sizeof(LaneRow) - 1) / sizeof(LaneRow);
  return countGoalRows(numbers.tree) + static_cast<std::int64_t>(rows);
}

Verification GoalProblem::verify(const double* q, std::int64_t target) const {
  const verify::Tolerances& most = numbers_.tolerances;
  const verify::GoalGap found =
      verify::measureGoals(numbers_.verifier, numbers_.checks, most, q, targets_, target, slots_);
  const bool exact = found.gap.distance <= most.position && found.gap.angle <= most.orientation;
  return {found.gap.distance, found.gap.angle, exact && found.inside};
}

}  // namespace generative_ik::search
