// What is answered without a search: the one solution nearest to a seed state, which calls in a
// loop ask for; the branches of an arm of six joints; several solutions of one of seven.
#include "../answers/nearest.hpp"

#include <array>
#include <utility>

#include "../answers/answer.hpp"
#include "../answers/batch.hpp"
#include "../answers/curve_answer.hpp"
#include "at_once.hpp"
#include "prepared.hpp"

namespace generative_ik {
namespace {

// Time to find one on curves at the most [s].
constexpr double kTimeForOneOnCurves = 1e-5;

}  // namespace

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

std::optional<std::vector<Solution>> IKSolver::Prepared::atOnce(const IKRequest& request) const {
  const std::size_t wanted = request.num_solutions;
  const bool plain = !request.seed_state && !request.accept &&
                     request.consistency_limits.empty() && request.targets_in_base.empty() &&
                     wanted > 0 && wanted <= kMostAtOnce;
  // One that lies on curves is found sooner by a search.
  const bool on_curves =
      curves && wanted > 1 &&
      request.deadline.remaining() > kTimeForOneOnCurves * static_cast<double>(wanted);
  if (!plain || !(branches || on_curves)) {
    return std::nullopt;
  }
  const std::array<double, 16> pose = rowsOf(request.target_in_base);
  if (!branches) {
    return solutionsOf(answers::CurveAnswerer(*curves, answers::curveMemory()), pose.data(),
                       answers::kCurveJoints, wanted);
  }
  static constexpr std::array<double, answers::kJoints> kAlike = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  const auto count = static_cast<std::int64_t>(wanted);
  return solutionsOf(answers::Answerer({*branches, kAlike.data(), false, count, {}}), pose.data(),
                     answers::kJoints, wanted);
}

}  // namespace generative_ik
