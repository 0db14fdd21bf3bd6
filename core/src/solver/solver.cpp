#include <algorithm>
#include <cmath>
#include <generative_ik/search.hpp>
#include <stdexcept>
#include <utility>

#include "../parallel/for_each.hpp"
#include "at_once.hpp"
#include "closed_forms.hpp"
#include "collisions.hpp"
#include "prepared.hpp"
#include "search_space.hpp"
#include "search_state.hpp"
#include "seed_state.hpp"
#include "solution_order.hpp"
#include "target_pose.hpp"

namespace generative_ik {
namespace {

bool hasTooFewJoints(const SearchModel& model) {
  const SearchSpace space(model.variables(), model.units(), SearchBox(model.variables()), false,
                          1.0);
  const search::Box box = space.box();
  return model.tree().isDeficient(box.lower, box.upper, model.units(), model.options());
}

void check(const SolverOptions& options) {
  // Negated so that NaN is refused as well.
  if (!(options.tolerance.position > 0.0) || !(options.tolerance.orientation > 0.0) ||
      !(options.distinct_distance > 0.0)) {
    throw std::invalid_argument("a tolerance or the distinct distance is not above 0");
  }
  if (countConstraints(options.tolerance) == 0) {
    throw std::invalid_argument("both tolerances are infinite: nothing to solve");
  }
  if (options.prefer != Preference::kNone && countConstraints(options.tolerance) < 6) {
    throw std::invalid_argument(
        "prefer goes with finite tolerances: what is free has no error to make small");
  }
}

}  // namespace

IKSolver::Prepared::Prepared(std::vector<Chain> given, const SolverOptions& chosen)
    : own_chains(std::move(given)),
      chains(own_chains),
      options(chosen),
      model(chains, chosen.tolerance),
      redundant(static_cast<int>(model.variables().size()) > model.numConstraints()),
      approximates(false),
      deficient(!severalTips() && hasTooFewJoints(model)),
      near(search::nearError(options.tolerance, model.options().position_weight,
                             model.options().orientation_weight)) {
  prepareAtOnce();
  if (chosen.prefer != Preference::kNone) {
    approximate = std::make_unique<const Prepared>(*this, chosen.prefer);
  }
}

IKSolver::Prepared::Prepared(const Prepared& exact, Preference preferred)
    : chains(exact.chains),
      options(exact.options),
      model(chains, options.tolerance, preferred),
      redundant(false),
      approximates(true),
      deficient(false),
      near(0.0) {}

void IKSolver::Prepared::prepareAtOnce() {
  alike.assign(model.variables().size(), 1.0);
  if (severalTips()) {
    limbs = limbsOf(chains, model, options);
    return;
  }
  std::optional<limbs::LimbForm> form = closedFormOf(chain(), model.packed(), options);
  if (!form) {
    const Vector& units = model.units();
    steps = std::make_unique<const answers::NearProblem>(
        model.packed().floats, model.packed().ints, wholeSpace().rows(),
        std::vector<double>(units.begin(), units.end()));
  } else if (auto* six = std::get_if<answers::BranchProblem>(&*form)) {
    branches.emplace(std::move(*six));
  } else {
    auto& seven = std::get<limbs::SevenJoints>(*form);
    curves.emplace(std::move(seven.curves));
    points.emplace(std::move(seven.points));
  }
}

SearchSpace IKSolver::Prepared::wholeSpace() const {
  return {model.variables(), model.units(), SearchBox(model.variables()), true,
          options.distinct_distance};
}

std::vector<double> IKSolver::Prepared::posesOf(const IKRequest& request) const {
  constexpr std::size_t kOfPose = 16;
  std::vector<double> poses;
  poses.reserve(kOfPose * chains.size());
  if (chains.size() == 1 && request.targets_in_base.empty()) {
    appendPose(targetPose(request.target_in_base), poses);
    return poses;
  }
  if (request.targets_in_base.size() != chains.size()) {
    throw std::invalid_argument(std::to_string(request.targets_in_base.size()) + " targets for " +
                                std::to_string(chains.size()) + " tips");
  }
  for (const Eigen::Isometry3d& target_in_base : request.targets_in_base) {
    appendPose(targetPose(target_in_base), poses);
  }
  return poses;
}

void IKSolver::Prepared::check(const IKRequest& request) const {
  checkSeedState(request, model.variables().size());
  checkWorld(request, std::ssize(model.variables()));
  static_cast<void>(posesOf(request));
}

search::Budget IKSolver::Prepared::budget(const IKRequest& request) const {
  search::Aim aim;
  aim.wanted = static_cast<std::int64_t>(std::min(request.num_solutions, kMostWanted));
  aim.num_variables = std::ssize(model.variables());
  aim.num_tips = std::ssize(chains);
  aim.dimensions = region_dimensions;
  aim.redundant = redundant;
  aim.around = request.seed_state.has_value();
  aim.unmeasured = !request.consistency_limits.empty() || model.hasGoals();
  aim.deficient = deficient;
  aim.approximate = approximates;
  aim.checked = request.world != nullptr;
  return search::budgetOf(aim);
}

IKSolver::IKSolver(Chain chain, const SolverOptions& options)
    : IKSolver(std::vector<Chain>{std::move(chain)}, options) {}

IKSolver::IKSolver(std::vector<Chain> chains, const SolverOptions& options) {
  check(options);
  if (chains.empty()) {
    throw std::invalid_argument("a solver needs a chain");
  }
  if (chains.size() > 1 && options.prefer != Preference::kNone) {
    throw std::invalid_argument("prefer is for chains with one tip");
  }
  prepared_ = std::make_unique<const Prepared>(std::move(chains), options);
}

IKSolver::~IKSolver() = default;
IKSolver::IKSolver(IKSolver&&) noexcept = default;
IKSolver& IKSolver::operator=(IKSolver&&) noexcept = default;

const Chain& IKSolver::chain() const {
  return prepared_->chain();
}

const std::vector<Chain>& IKSolver::chains() const {
  return prepared_->chains;
}

const std::vector<Variable>& IKSolver::variables() const {
  return prepared_->model.variables();
}

const SolverOptions& IKSolver::options() const {
  return prepared_->options;
}

std::vector<Eigen::Isometry3d> IKSolver::tipsInBase(const Vector& q) const {
  std::vector<Eigen::Isometry3d> tips;
  tips.reserve(chains().size());
  for (std::size_t k = 0; k < chains().size(); ++k) {
    tips.push_back(chains()[k].tipInBase(prepared_->model.ofChain(k, q)));
  }
  return tips;
}

IKSolutions IKSolver::solve(const IKRequest& request) const {
  if (prepared_->approximate == nullptr) {
    return solveExactly(request, request.deadline);
  }
  // Exact solutions are looked for in one half of the time, approximations in the other.
  IKSolutions exact = solveExactly(request, request.deadline.after(0.5));
  if (!exact.solutions.empty() || request.num_solutions == 0) {
    return exact;
  }
  std::vector<Solution> found = approximations(request);
  if (found.empty()) {
    return exact;
  }
  const bool met = found.front().position_error <= options().tolerance.position &&
                   found.front().orientation_error <= options().tolerance.orientation;
  const SolveStatus status =
      met ? statusOf(found.size(), request.num_solutions, false) : SolveStatus::kApproximate;
  return {status, std::move(found)};
}

std::optional<Solution> IKSolver::nearest(const IKRequest& request) const {
  const std::unique_ptr<const Prepared> within = prepared_->within(request);
  const Prepared& prepared = within ? *within : *prepared_;
  prepared.check(request);
  return prepared.nearest(request);
}

std::vector<IKSolutions> IKSolver::solve(const std::vector<IKRequest>& requests) const {
  std::vector<IKSolutions> results(requests.size());
  const auto count = static_cast<std::int64_t>(requests.size());
  const auto solve_one = [&](std::int64_t at) {
    const auto i = static_cast<std::size_t>(at);
    results[i] = solve(requests[i]);
  };
  parallel::forEach(count, solve_one, {});
  return results;
}

std::vector<Solution> IKSolver::approximations(const IKRequest& request) const {
  Search::State state(*prepared_->approximate, request);
  std::vector<Solution> found = state.approximations(request, request.deadline);
  if (request.seed_state) {
    orderByDistance(found, state.limits());
  }
  if (found.size() > request.num_solutions) {
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(request.num_solutions), found.end());
  }
  return found;
}

IKSolutions IKSolver::solveExactly(const IKRequest& request, const Deadline& deadline) const {
  std::unique_ptr<const Prepared> within = prepared_->within(request);
  const Prepared& prepared = within ? *within : *prepared_;
  prepared.check(request);
  if (std::optional<Solution> nearest = prepared.nearest(request)) {
    return {SolveStatus::kSolved, {*std::move(nearest)}};
  }
  if (std::optional<IKSolutions> found = prepared.atOnce(request)) {
    return *std::move(found);
  }
  if (std::optional<IKSolutions> found = prepared.acceptedOnCurves(request, deadline)) {
    return *std::move(found);
  }
  Search::State search(prepared, request, std::move(within));
  // Without a seed state the closed form was asked already; of what collides it says nothing.
  if (!request.accept && request.seed_state && request.world == nullptr) {
    if (std::optional<IKSolutions> all = search.answer(request.num_solutions)) {
      return *std::move(all);
    }
  }
  return search.collect(request, deadline);
}

}  // namespace generative_ik
