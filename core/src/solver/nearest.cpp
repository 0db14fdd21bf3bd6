// What calls in a loop ask for: the one solution nearest to a seed state, without a search.
#include "../answers/nearest.hpp"

#include <array>
#include <utility>

#include "../answers/batch.hpp"
#include "prepared.hpp"

namespace generative_ik {

std::optional<Solution> IKSolver::Prepared::nearest(const IKRequest& request) const {
  const bool alone = request.seed_state && request.num_solutions == 1 && !request.accept &&
                     request.consistency_limits.empty() && !request.deadline.passed();
  if (!alone || model.severalTips() || request.seed_state->size() != chain().size()) {
    return std::nullopt;
  }
  const Vector& seed = *request.seed_state;
  const Vector alike = Vector::Ones(seed.size());
  const std::array<double, 16> pose = rowsOf(request.target_in_base);
  Vector q(seed.size());
  answers::PoseGap gap{};
  answers::Note note{};
  const answers::Targets target = {pose.data(), &note, q.data(), &gap, 1, seed.size()};
  if (branches && branches->bounds.contains(seed.data(), seed.size())) {
    answers::answerAbout({*branches, alike.data(), true, 1}, seed.data(), target, 0, 1);
  } else if (curves && curves->bounds.contains(seed.data(), seed.size())) {
    answers::answerNearest({*curves, alike.data()}, target, seed.data(), 0, 1,
                           answers::nearestMemory());
  } else if (steps && steps->contains(seed.data())) {
    steps->answerAll(alike.data(), target, seed.data(), 1, {});
  }
  if (note.count == 0) {
    return std::nullopt;
  }
  return Solution{std::move(q), gap.distance, gap.angle};
}

}  // namespace generative_ik
