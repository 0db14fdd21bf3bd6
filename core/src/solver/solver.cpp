#include <algorithm>
#include <cmath>
#include <generative_ik/search.hpp>
#include <stdexcept>
#include <utility>

#include "../model/singular_values.hpp"
#include "../search/recurrence.hpp"
#include "../select/diverse_order.hpp"
#include "bounds.hpp"
#include "prepared.hpp"
#include "search_space.hpp"

namespace generative_ik {
namespace {

// Closest error [rad] below which local minima may be solutions that restarts stopped short of.
constexpr double kNear = 3e-3;
// Singular values of the Jacobian, in characteristic lengths and radians, that count as 0.
constexpr double kRank = 1e-6;
// Most solutions that are looked for beyond those asked for, so that the most diverse can be
// chosen; fewer and fewer up to that many solutions, as the last ones of a set take long to find.
constexpr std::size_t kExtra = 16;
constexpr std::size_t kExtraUpTo = 128;
// Solutions that are looked for at most, where few are accepted.
constexpr std::size_t kMostWanted = std::size_t{1} << 20U;

// Whether joints move the tip in fewer of the constrained directions than there are, in general.
bool isDeficient(const Chain& chain, const LaneOptions& options, int constraints) {
  const SearchSpace space(chain, SearchBox(chain.variables()), false, 1.0);
  const search::Box box = space.box();
  Vector shift(chain.size());
  Vector ratios(chain.size());
  search::writeRecurrence(0, chain.size(), shift.data(), ratios.data());
  Vector q(chain.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    q[i] = box.lower[i] + shift[i] * (box.upper[i] - box.lower[i]);
  }
  Jacobian jacobian;
  chain.tipInBase(q, jacobian);
  jacobian.topRows<3>() *= options.position_weight;
  jacobian.bottomRows<3>() *= options.orientation_weight;
  const Eigen::MatrixXd scaled = jacobian * chain.units().asDiagonal();
  return (singularValuesOf(scaled).values.array() > kRank).count() < constraints;
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
}

// How many solutions are looked for to choose those that are asked for.
std::size_t lookedFor(const IKRequest& request) {
  const std::size_t wanted = request.num_solutions;
  if (wanted <= 1 || request.seed_state.has_value()) {
    return wanted;
  }
  const std::size_t fewer = std::min(kExtra, wanted * kExtra / kExtraUpTo);
  return wanted + std::min(wanted, kExtra - fewer);
}

SolveStatus statusOf(std::size_t found, std::size_t wanted) {
  if (found >= wanted) {
    return SolveStatus::kSolved;
  }
  return found > 0 ? SolveStatus::kPartial : SolveStatus::kNoSolution;
}

// Puts those first that are nearest to the seed state.
void orderByDistance(std::vector<Solution>& solutions, const SearchBox& limits) {
  const Vector& seed = limits.seed();
  std::stable_sort(solutions.begin(), solutions.end(), [&](const Solution& a, const Solution& b) {
    return (a.q - seed).squaredNorm() < (b.q - seed).squaredNorm();
  });
}

// Puts those first that are spread most widely.
void orderByDiversity(std::vector<Solution>& solutions, const Chain& chain) {
  const auto size = static_cast<std::size_t>(chain.size());
  std::vector<double> positions;
  for (const Solution& solution : solutions) {
    positions.insert(positions.end(), solution.q.begin(), solution.q.end());
  }
  Vector lower(chain.size());
  Vector upper(chain.size());
  const auto turning = std::make_unique<bool[]>(size);  // NOLINT(*-avoid-c-arrays)
  for (std::size_t i = 0; i < size; ++i) {
    const Variable& variable = chain.variables()[i];
    lower[static_cast<Eigen::Index>(i)] = variable.lower;
    upper[static_cast<Eigen::Index>(i)] = variable.upper;
    turning[i] = variable.revolute && variable.periodic;
  }
  const Vector units = chain.units();
  const auto count = static_cast<std::int64_t>(solutions.size());
  std::vector<std::int64_t> order(solutions.size());
  std::vector<float> memory;
  diverseOrder({positions.data(), count, chain.size(), lower.data(), upper.data(), turning.get(),
                units.data()},
               count, kOrderWork, memory, order.data());
  std::vector<Solution> ordered;
  ordered.reserve(solutions.size());
  for (const std::int64_t at : order) {
    ordered.push_back(std::move(solutions[static_cast<std::size_t>(at)]));
  }
  solutions = std::move(ordered);
}

}  // namespace

IKSolver::Prepared::Prepared(Chain given, const SolverOptions& chosen)
    : chain(std::move(given)),
      options(chosen),
      packed(generative_ik::packed(chain, chosen.tolerance)),
      redundant(chain.size() > countConstraints(chosen.tolerance)),
      deficient(isDeficient(chain, packed.options, countConstraints(chosen.tolerance))) {
  const LaneOptions& lanes = packed.options;
  double within = 0.0;
  if (lanes.position_weight > 0.0) {
    within += squared(lanes.position_weight * options.tolerance.position);
  }
  if (lanes.orientation_weight > 0.0) {
    within += squared(lanes.orientation_weight * options.tolerance.orientation);
  }
  near = std::max(squared(kNear), within);
  prepareNearest();
}

void IKSolver::Prepared::prepareNearest() {
  std::optional<ArmForm> form;
  if (countConstraints(options.tolerance) == 6) {
    form = findClosedForm(chain);
  }
  const SearchSpace space(chain, SearchBox(chain.variables()), true, options.distinct_distance);
  const double distance = options.distinct_distance;
  if (form && !form->locked_joint) {
    branches.emplace(form->family, form->parameters, packed.floats, packed.ints,
                     boundsOf<answers::kJoints>(chain, space), distance);
  } else if (form && answers::isSpecial(form->family)) {
    curves.emplace(form->family, form->parameters, packed.floats, packed.ints,
                   boundsOf<answers::kCurveJoints>(chain, space), distance);
  } else {
    const Vector units = chain.units();
    steps = std::make_unique<const answers::NearProblem>(
        packed.floats, packed.ints, space.rows(), std::vector<double>(units.begin(), units.end()));
  }
}

search::Persistence IKSolver::Prepared::persistence(bool narrowed) const {
  if (narrowed) {
    return search::kAllRestarts;
  }
  return deficient ? search::kBeforeCrossing : search::persistenceOf(chain.size());
}

IKSolver::IKSolver(Chain chain, const SolverOptions& options) {
  check(options);
  prepared_ = std::make_unique<const Prepared>(std::move(chain), options);
}

IKSolver::~IKSolver() = default;
IKSolver::IKSolver(IKSolver&&) noexcept = default;
IKSolver& IKSolver::operator=(IKSolver&&) noexcept = default;

const Chain& IKSolver::chain() const {
  return prepared_->chain;
}

const SolverOptions& IKSolver::options() const {
  return prepared_->options;
}

IKSolutions IKSolver::solve(const IKRequest& request) const {
  if (std::optional<Solution> nearest = prepared_->nearest(request)) {
    return {SolveStatus::kSolved, {*std::move(nearest)}};
  }
  Search search(*this, request);
  if (!request.accept) {
    if (std::optional<std::vector<Solution>> all = search.answer(request.num_solutions)) {
      return {statusOf(all->size(), request.num_solutions), *std::move(all)};
    }
  }
  IKSolutions result{SolveStatus::kNoSolution, {}};
  std::size_t wanted = lookedFor(request);
  auto ending = Search::Ending::kEnough;
  // One that has come nearer since is another solution to the search.
  const auto is_known = [&](const Solution& solution) {
    return std::any_of(result.solutions.begin(), result.solutions.end(),
                       [&](const Solution& other) {
                         const Vector gap = (other.q - solution.q).cwiseAbs();
                         return gap.maxCoeff() < options().distinct_distance;
                       });
  };
  const auto has_enough = [&] { return result.solutions.size() >= request.num_solutions; };
  while (!has_enough() && ending == Search::Ending::kEnough) {
    ending = search.run(wanted, request.deadline);
    std::vector<Solution> found = search.takeNew();
    if (request.seed_state) {
      orderByDistance(found, search.limits());
    } else {
      orderByDiversity(found, chain());
    }
    for (Solution& solution : found) {
      if (request.accept && is_known(solution)) {
        continue;
      }
      if (!request.accept || request.accept(solution.q)) {
        result.solutions.push_back(std::move(solution));
      }
      if (has_enough()) {
        break;
      }
      if (request.accept && request.deadline.passed()) {
        ending = Search::Ending::kTimedOut;
        break;
      }
    }
    wanted = std::min(2 * wanted, kMostWanted);
  }
  result.status = statusOf(result.solutions.size(), request.num_solutions);
  if (result.solutions.empty() && !has_enough() && ending == Search::Ending::kTimedOut) {
    result.status = SolveStatus::kTimedOut;
  }
  return result;
}

}  // namespace generative_ik
