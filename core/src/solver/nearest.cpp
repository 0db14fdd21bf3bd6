// What is answered without a search: the one solution nearest to a seed state, which calls in a
// loop ask for; the branches of an arm of six joints; solutions of one of seven; and what limbs
// that share no joint have together.
#include "../answers/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "../answers/answer.hpp"
#include "../answers/batch.hpp"
#include "../answers/curve_answer.hpp"
#include "../limbs/answer_limbs.hpp"
#include "../regions/surface_answers.hpp"
#include "at_once.hpp"
#include "collisions.hpp"
#include "prepared.hpp"

namespace generative_ik {
namespace {

// How many times as many solutions on curves are found where too few are accepted.
constexpr std::size_t kMoreOnCurves = 4;
// Time to find one on curves at the most [s].
constexpr double kTimeForOneOnCurves = 1e-5;

// Whether each joint is as near to the seed state as it has to be; with NaN it is not.
bool isNearEnough(const Vector& q, const Vector& seed_state, const ConsistencyLimits& limits) {
  bool within = true;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    within = within && std::abs(q[row] - seed_state[row]) <= limits[i];
  }
  return within;
}

// Whether there is time to find so many solutions on curves, or surfaces.
bool isTimeForCurves(std::size_t wanted, const Deadline& deadline) {
  return wanted == 1 || deadline.remaining() > kTimeForOneOnCurves * static_cast<double>(wanted);
}

}  // namespace

std::optional<Solution> IKSolver::Prepared::nearest(const IKRequest& request) const {
  const auto size = static_cast<std::int64_t>(model.variables().size());
  const ConsistencyLimits& limits = request.consistency_limits;
  const bool form = limbs || branches || curves || steps || steps_in_region;
  const bool alone =
      form && request.seed_state && request.num_solutions == 1 && !request.deadline.passed();
  if (!alone) {
    return std::nullopt;
  }
  const std::vector<double> poses = posesOf(request);
  const double* seed = request.seed_state->data();
  const double* weights = alike.data();
  Vector q(size);
  answers::PoseGap gap{};
  answers::Note note{};
  const answers::Targets target = {
      poses.data(), &note, q.data(), &gap, 1, size, static_cast<std::int64_t>(chains.size())};
  if (limbs && limbs->bounds.contains(seed, size, size)) {
    limbs::answerSome({*limbs, weights, true, 1}, seed, target, 0, 1);
  } else if (branches && branches->bounds.contains(seed, size)) {
    answers::answerAbout({*branches, weights, true, 1}, seed, target, 0, 1);
  } else if (curves && curves->bounds.contains(seed, size)) {
    answers::answerNearest({*curves, weights}, target, seed, 0, 1, answers::nearestMemory());
  } else if (steps && steps->contains(seed)) {
    steps->answerAll({weights, seed}, target, 1, {});
  } else if (steps_in_region && steps_in_region->contains(seed)) {
    steps_in_region->answerAll({weights, seed}, target, 1, {});
  }
  // What is nearest of all is also nearest of those that count, if it does.
  if (note.count == 0 || !isNearEnough(q, *request.seed_state, limits) || !counts(request, q)) {
    return std::nullopt;
  }
  return Solution{std::move(q), gap.distance, gap.angle};
}

void IKSolver::Prepared::comeNearer(const IKRequest& request, std::vector<Solution>& found) const {
  if (!steps_in_region || !request.seed_state || found.empty() || request.deadline.passed() ||
      !steps_in_region->contains(request.seed_state->data())) {
    return;
  }
  const Vector& seed = *request.seed_state;
  const std::size_t wanted = std::min(request.num_solutions, found.size() + 1);
  Eigen::MatrixXd rows(seed.size(), wanted);
  rows.setConstant(std::numeric_limits<double>::quiet_NaN());
  std::vector<answers::PoseGap> gaps(wanted);
  answers::Note note{};
  for (const Solution& solution : found) {
    rows.col(note.count) = solution.q;
    gaps[static_cast<std::size_t>(note.count)] = {solution.position_error,
                                                  solution.orientation_error};
    ++note.count;
  }
  const auto keep = [&](const double* nearer, bool* kept) {
    const Vector q = Eigen::Map<const Vector>(nearer, seed.size());
    kept[0] = kept[0] && isNearEnough(q, seed, request.consistency_limits) && counts(request, q);
  };
  const std::vector<double> poses = posesOf(request);
  steps_in_region->comeNearer({alike.data(), seed.data(), options.distinct_distance, keep},
                              {poses.data(), &note, rows.data(), gaps.data(),
                               static_cast<std::int64_t>(wanted), seed.size(), 1},
                              1, {});
  found.clear();
  for (std::int64_t k = 0; k < note.count; ++k) {
    const answers::PoseGap& gap = gaps[static_cast<std::size_t>(k)];
    found.push_back({rows.col(k), gap.distance, gap.angle});
  }
}

std::optional<IKSolutions> IKSolver::Prepared::atOnce(const IKRequest& request) const {
  const std::size_t wanted = std::min(request.num_solutions, kMostAtOnce);
  std::optional<IKSolutions> found = atOnce(request, wanted);
  if (wanted < request.num_solutions && found && found->solutions.size() == wanted) {
    return std::nullopt;  // there may be more
  }
  return found;
}

std::optional<IKSolutions> IKSolver::Prepared::atOnce(const IKRequest& request,
                                                      std::size_t wanted) const {
  const auto size = static_cast<std::int64_t>(model.variables().size());
  // Branches are all there are, so that the nearest of them are known.
  const bool about = request.seed_state && branches &&
                     branches->bounds.contains(request.seed_state->data(), size);
  const bool plain = (!request.seed_state || about) && !request.accept &&
                     request.consistency_limits.empty() && wanted > 0;
  const bool form = branches || curves || limbs || in_region;
  if (!plain || !form) {
    return std::nullopt;
  }
  const bool on_curves = curves || in_region || (limbs && !limbs->hasBranches());
  if (on_curves && !isTimeForCurves(wanted, request.deadline)) {
    return std::nullopt;
  }
  CollisionCheck check;
  search::Collides collide;
  if (request.world != nullptr) {
    if (in_region || (curves && wanted == 1)) {
      return std::nullopt;  // one that is free is looked for
    }
    check = checkIn(*request.world);
    collide = [&](std::span<const double> q) { return collides(request.collides, q); };
  }
  const std::vector<double> poses = posesOf(request);
  const auto count = static_cast<std::int64_t>(wanted);
  const auto solutions = [&](auto&& answerer) {
    return solutionsOf(answerer, poses.data(), size, wanted);
  };
  // What is left is asked again with all decisions.
  const auto decided = [&](const auto& answerer_by) {
    std::optional<IKSolutions> found = solutions(answerer_by(check));
    return found || !check ? found
                           : solutions(answerer_by(search::deciding(check, collide, size)));
  };
  if (about) {
    answers::BranchProblem problem = *branches;
    problem.countFrom(request.seed_state->data());
    return decided([&](const CollisionCheck& by) {
      return answers::Answerer({problem, alike.data(), true, count, by});
    });
  }
  if (in_region) {
    return wanted <= in_region->mostWanted()
               ? in_region->solutions(poses.data(), wanted, request.random_seed)
               : std::nullopt;
  }
  if (limbs) {
    return decided([&](const CollisionCheck& by) {
      return limbs::LimbsAnswerer(
          {*limbs, alike.data(), false, count, by, false, request.random_seed});
    });
  }
  if (branches) {
    return decided([&](const CollisionCheck& by) {
      return answers::Answerer({*branches, alike.data(), false, count, by});
    });
  }
  if (wanted == 1) {
    return solutions(regions::SurfaceAnswerer(*points, 1, request.random_seed));
  }
  return solutions(answers::CurveAnswerer(*curves, answers::curveMemory(), check, collide));
}

std::optional<IKSolutions> IKSolver::Prepared::acceptedOnCurves(const IKRequest& request,
                                                                const Deadline& deadline) const {
  const std::size_t wanted = request.num_solutions;
  const bool alone = request.accept && request.world == nullptr && !request.seed_state &&
                     request.consistency_limits.empty();
  if (!alone || !curves || wanted < 2) {
    return std::nullopt;
  }
  IKRequest any = request;
  any.accept = nullptr;
  for (std::size_t asked = std::min(wanted, kMostAtOnce) * 3 / 2;; asked *= kMoreOnCurves) {
    asked = std::min(asked, kMostAtOnce);
    std::optional<IKSolutions> found = atOnce(any, asked);
    if (!found) {
      return std::nullopt;
    }
    const bool all = found->solutions.size() < asked;
    IKSolutions accepted{SolveStatus::kTimedOut, {}};
    bool late = false;
    for (Solution& one : found->solutions) {
      late = deadline.passed();
      if (late || accepted.solutions.size() == wanted) {
        break;
      }
      if (request.accept(one.q)) {
        accepted.solutions.push_back(std::move(one));
      }
    }
    const std::size_t count = accepted.solutions.size();
    if (count > 0 && (late || all || count == wanted)) {
      accepted.status = statusOf(count, wanted, false);
    }
    if (late || accepted.status != SolveStatus::kTimedOut) {
      return accepted;
    }
    if (all || asked == kMostAtOnce) {
      return std::nullopt;
    }
  }
}

}  // namespace generative_ik
