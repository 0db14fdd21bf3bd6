// What calls in a loop ask for: the one solution nearest to a seed state, without a search.
#include "../answers/nearest.hpp"

#include <array>

#include "../answers/batch.hpp"
#include "packed_chain.hpp"
#include "prepared.hpp"

namespace generative_ik {
namespace {

constexpr std::array<double, answers::kCurveJoints> kAlike = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};

}  // namespace

std::optional<Solution> IKSolver::Prepared::nearest(const IKRequest& request) const {
  const bool alone = request.seed_state && request.num_solutions == 1 && !request.accept &&
                     request.consistency_limits.empty() && !request.deadline.passed();
  if (!alone || !(branches || curves)) {
    return std::nullopt;
  }
  const Vector& seed = *request.seed_state;
  const bool inside = branches ? branches->bounds.contains(seed.data(), seed.size())
                               : curves->bounds.contains(seed.data(), seed.size());
  if (!inside) {
    return std::nullopt;
  }
  const std::array<double, 16> pose = rowsOf(request.target_in_base);
  std::array<double, answers::kCurveJoints> q{};
  answers::PoseGap gap{};
  answers::Note note{};
  const answers::Targets target = {pose.data(), &note, q.data(), &gap, 1, seed.size()};
  if (branches) {
    answers::answerAbout({*branches, kAlike.data(), true, 1}, seed.data(), target, 0, 1);
  } else {
    answers::answerNearest({*curves, kAlike.data()}, target, seed.data(), 0, 1,
                           answers::nearestMemory());
  }
  if (note.count == 0) {
    return std::nullopt;
  }
  return Solution{Eigen::Map<const Vector>(q.data(), seed.size()), gap.distance, gap.angle};
}

}  // namespace generative_ik
