#include "search_state.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include "../answers/answer.hpp"
#include "../answers/search_begin.hpp"
#include "../search/effort.hpp"
#include "../search/keeping.hpp"
#include "../search/quasi_random.hpp"
#include "../search/recurrence.hpp"
#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"
#include "at_once.hpp"
#include "bounds.hpp"
#include "solution_order.hpp"

namespace generative_ik {
namespace {

using search::SearchArrays;

// Steps of all lanes between two readings of the clock.
constexpr std::int64_t kSteps = 32;
// Solutions that there is room for from the beginning, if so many are wanted.
constexpr std::int64_t kRoom = 4096;
// Distance to which a search can be asked to tell solutions apart [rad or m], and how it comes
// there.
constexpr double kFinestDistance = 1e-3;
constexpr double kFiner = 0.25;

SearchBox limitsOf(const std::vector<Variable>& variables, const IKRequest& request) {
  if (request.seed_state) {
    return SearchBox(variables, *request.seed_state, request.consistency_limits);
  }
  if (!request.consistency_limits.empty()) {
    throw std::invalid_argument("consistency limits need a seed state to be measured from");
  }
  return SearchBox(variables);
}

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// Beside solutions that are exact, no others count.
void keepExact(std::vector<Solution>& found, const Tolerance& tolerance) {
  const auto is_near = [&](const Solution& one) {
    return one.position_error > tolerance.position ||
           one.orientation_error > tolerance.orientation;
  };
  if (!std::all_of(found.begin(), found.end(), is_near)) {
    std::erase_if(found, is_near);
  }
}

// A closed form, to be asked for solutions in a space; null if there is none.
std::unique_ptr<const answers::BranchProblem> closedFormIn(
    const std::optional<answers::BranchProblem>& branches, const Chain& chain,
    const SearchSpace& space) {
  if (!branches) {
    return nullptr;
  }
  auto form = std::make_unique<answers::BranchProblem>(*branches);
  form->placeIn(boundsOf<answers::kJoints>(chain, space));
  return form;
}

}  // namespace

Search::State::State(const IKSolver::Prepared& prepared, const IKRequest& request,
                     std::unique_ptr<const IKSolver::Prepared> within)
    : within_(std::move(within)),
      prepared_(within_ ? *within_ : prepared),
      limits_(limitsOf(prepared_.model.variables(), request)),
      around_(request.seed_state.has_value()),
      persistence_(prepared_.persistence(!request.consistency_limits.empty())),
      size_(static_cast<std::int64_t>(prepared_.model.variables().size())),
      targets_(prepared_.posesOf(request)),
      space_(prepared_.model.variables(), prepared_.model.units(), limits_, around_,
             prepared_.options.distinct_distance),
      pool_(size_),
      shift_(index(size_)),
      ratios_(index(size_)),
      closest_(index(size_)),
      memory_(index(prepared_.model.memory())) {
  search::writeRecurrence(request.random_seed, size_, shift_.data(), ratios_.data());
  run_.traced = prepared_.region_dimensions == 1 && request.num_solutions > 1 && !around_;
  const std::int64_t first = prepared_.firstBatch(request, run_.traced);
  // Around a seed state all of the first seeds are tried, to find the nearest solutions.
  spare_ = around_ ? std::max(first, search::kFar) : 0;
  closed_form_ = closedFormIn(prepared_.branches, prepared_.chain(), space_);
  if (closed_form_ != nullptr) {
    spare_ = std::max(spare_, static_cast<std::int64_t>(closed_form_->mostRows()));
  }
  target_.restarts_left = first;
  target_.closest_error = kInfinity;
  run_.last = 1;
  run_.min_restarts = around_ ? first : 0;
  target_.near = !request.seek_nearest;  // as if one were found
  run_.endless = true;
  run_.step = search::nullSpaceStep(prepared_.region_dimensions);
  run_.persistence = persistence_.error;
  run_.most_restarts = persistence_.most_restarts;
  std::copy_n(space_.box().reference, size_, closest_.begin());
  if (around_) {
    given_ = search::seedsAround(space_.box(), {shift_.data(), ratios_.data()}, first);
  }
  if (prepared_.approximate != nullptr) {
    request_ = request;
  }
}

Search::State::Rows Search::State::anywhere(std::int64_t before, std::int64_t count) const {
  return search::seedsAnywhere(space_.box(), {shift_.data(), ratios_.data()}, before, count);
}

SearchArrays Search::State::arrays() {
  SearchArrays arrays{};
  arrays.box = space_.box();
  const auto given = static_cast<std::int64_t>(given_.size()) / size_;
  arrays.seeds = {given_.data(), given,         run_.seeds_before,
                  run_.endless,  shift_.data(), ratios_.data()};
  arrays.pool = pool_.view(space_.grid());
  arrays.queue = pool_.queue();
  arrays.targets = &target_;
  arrays.closest = closest_.data();
  arrays.lanes = lanes_.data();
  arrays.run = &run_;
  return arrays;
}

search::Verification Search::State::verify(const double* q) {
  return prepared_.model.with(targets_.data(), memory_.data(),
                              [&](const auto& problem) { return problem.verify(q, 0); });
}

// By what configurations that are no solutions are compared.
double Search::State::closeness(const search::Verification& verified) const {
  return squaredError(prepared_.model.options(), verified.position, verified.angle);
}

// Makes room for what the next steps find: memory for all that is wanted would cost time where
// that is more than there is.
void Search::State::makeRoom() {
  const std::int64_t most = run_.num_solutions + spare_;
  const std::int64_t needed = pool_.count() + kSteps * kLanes;
  if (pool_.capacity() < std::min(most, std::max(needed, kRoom))) {
    const std::int64_t capacity = std::min(most, std::max(2 * needed, kRoom));
    const std::int64_t each = run_.traced ? 4 : 2;
    const std::int64_t steps = each * std::min(capacity, run_.num_solutions);
    pool_.reserve(capacity, prepared_.redundant ? steps : 0, space_.grid());
  }
}

Search::Ending Search::State::run(std::size_t wanted, std::size_t enough,
                                  const Deadline& deadline) {
  if (limits_.empty()) {
    return Ending::kUnreachable;
  }
  const auto count = static_cast<std::int64_t>(std::min(wanted, kMostWanted));
  if (target_.complete) {
    return target_.usable >= count
               ? Ending::kEnough
               : (target_.usable > 0 ? Ending::kExhausted : Ending::kUnreachable);
  }
  if (target_.closed && (target_.usable >= count || target_.usable < run_.num_solutions)) {
    return target_.usable >= count
               ? Ending::kEnough
               : (target_.usable > 0 ? Ending::kExhausted : Ending::kUnreachable);
  }
  if (target_.closed) {
    search::reopen(target_);
  }
  run_.num_solutions = count;
  run_.wanted = static_cast<std::int64_t>(std::min(enough, kMostWanted));
  makeRoom();
  if (closed_form_ != nullptr && target_.restarts == 0 && pool_.count() == 0) {
    beginWithBranches();
  }
  while (prepared_.model.search(targets_.data(), memory_.data(), arrays(), kSteps) ==
         search::RunStatus::kOutOfSteps) {
    if (deadline.passed()) {
      return target_.usable >= count ? Ending::kEnough : Ending::kTimedOut;
    }
    makeRoom();
  }
  if (target_.usable == 0 && !approached_ && !prepared_.approximates) {
    approachUnsolved();
  }
  if (target_.usable >= count) {
    return Ending::kEnough;
  }
  return target_.usable > 0 ? Ending::kExhausted : Ending::kUnreachable;
}

// Puts the branches of the pose into the pool, if there are any; they may be all.
void Search::State::beginWithBranches() {
  // The nearest of a continuous set may still be missing.
  const std::int64_t enough =
      around_ ? std::numeric_limits<std::int64_t>::max() : run_.num_solutions;
  answers::beginWithBranches(*closed_form_, {targets_.data(), arrays(), 0, 1}, enough, {});
}

std::optional<IKSolutions> Search::State::answer(std::size_t wanted) const {
  if (closed_form_ == nullptr || limits_.empty() || wanted == 0 || wanted > kMostAtOnce) {
    return std::nullopt;
  }
  static constexpr std::array<double, answers::kJoints> kAlike = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  const auto count = static_cast<std::int64_t>(wanted);
  return solutionsOf(answers::Answerer({*closed_form_, kAlike.data(), around_, count, {}}),
                     targets_.data(), size_, wanted);
}

bool Search::State::distinguishMore() {
  if (!prepared_.redundant || space_.distinctDistance() <= kFinestDistance) {
    return false;
  }
  space_.distinguish(std::max(kFiner * space_.distinctDistance(), kFinestDistance));
  pool_.sortInto(space_.grid());
  if (target_.closed) {
    search::reopen(target_);
  }
  search::forgetSaturation(target_, prepared_.redundant);
  return true;
}

std::vector<Solution> Search::State::takeNew() {
  const search::Pool pool = pool_.view(space_.grid());
  std::vector<Solution> found;
  const std::int64_t count = pool.counts[0];
  taken_.resize(index(count * size_), kInfinity);
  for (std::int64_t k = 0; k < count; ++k) {
    const search::SolutionNotes& notes = pool.notes(0, k);
    const double* q = pool.position(0, k);
    double* taken = taken_.data() + k * size_;
    if (notes.collides() || std::equal(q, q + size_, taken)) {
      continue;
    }
    std::copy_n(q, size_, taken);
    found.push_back({Eigen::Map<const Vector>(q, size_), notes.distance, notes.angle});
  }
  return found;
}

std::vector<std::int64_t> Search::State::turnedVariables() const {
  std::vector<std::int64_t> turned;
  for (std::int64_t v = 0; v < size_; ++v) {
    if (space_.grid().circular[v] != 0 && !prepared_.model.variables()[index(v)].continuous) {
      turned.push_back(v);
    }
  }
  return turned;
}

std::vector<Solution> Search::State::turnedFrom(const std::vector<Solution>& others,
                                                std::size_t most) {
  const std::vector<std::int64_t> turned = turnedVariables();
  std::vector<Solution> found;
  if (turned.empty() || others.empty()) {
    return found;
  }
  Rows rows;
  for (const Solution& other : others) {
    rows.insert(rows.end(), other.q.begin(), other.q.end());
  }
  const search::Box box = space_.box();
  const Rows more = otherTurns({rows.data(), std::ssize(others), size_, box.reference, box.lower,
                                box.upper, turned.data(), std::ssize(turned)},
                               static_cast<std::int64_t>(std::min(most, kMostWanted)));
  for (auto row = more.begin(); row != more.end(); row += size_) {
    const search::Verification verified = verify(&*row);
    if (verified.exact) {
      found.push_back({Eigen::Map<const Vector>(&*row, size_), verified.position, verified.angle});
    }
  }
  return found;
}

std::optional<Solution> Search::State::besideSeedState(double distance) {
  if (limits_.empty()) {
    return std::nullopt;
  }
  const search::Box box = space_.box();
  Rows row(box.reference, box.reference + size_);
  refine(row, {box.soft_lower, box.soft_upper}, false, true);
  SearchArrays found = arrays();
  found.q = row.data();
  const search::Verification verified = verify(row.data());
  if (!verified.exact || !search::turnInside(found)) {
    return std::nullopt;
  }
  const Eigen::Map<const Vector> q(row.data(), size_);
  if (!(limits_.largestMove(q) <= distance)) {
    return std::nullopt;
  }
  return Solution{q, verified.position, verified.angle};
}

// Follows seeds to their local minima, where restarts have found no solution.
void Search::State::approachUnsolved() {
  approached_ = true;
  if (target_.restarts == 0) {
    return;  // out of reach
  }
  const bool thorough = persistence_ == search::kAllRestarts;
  const bool crossed = (prepared_.deficient || thorough) && crossLimits();
  if (target_.usable > 0) {
    return;
  }
  if (crossed || thorough) {
    approach(search::kToMinima);
  } else if (target_.closest_error < prepared_.near) {
    approach(search::kToMinimaNear);
  }
}

// Limits trap seeds, mostly those of chains with too few joints for a pose. These pass them on
// their way, full turns bring them back, and the rest of the way is within the limits. Returns
// whether the pose is reached without limits.
bool Search::State::crossLimits() {
  const search::Box box = space_.box();
  Rows rows = anywhere(target_.restarts, search::kAcrossLimits);
  const Rows lower(index(size_), -kInfinity);
  const Rows upper(index(size_), kInfinity);
  if (refine(rows, {lower.data(), upper.data()}, false, true) == 0) {
    return false;
  }
  for (std::int64_t k = 0; k < search::kAcrossLimits; ++k) {
    for (std::int64_t v = 0; v < size_; ++v) {
      double& q = rows[index(k * size_ + v)];
      const Variable& variable = prepared_.model.variables()[index(v)];
      if (variable.revolute && variable.periodic) {
        q = turnTowards(q, box.reference[v], box.lower[v], box.upper[v]);
      }
      q = std::min(std::max(q, box.lower[v]), box.upper[v]);
    }
  }
  refine(rows, {box.soft_lower, box.soft_upper}, false, false);
  keep(rows);
  return true;
}

// Keeps the local minima of some seeds if they are solutions, or the closest.
void Search::State::approach(std::int64_t count) {
  const search::Box box = space_.box();
  Rows rows = closest_;
  const Rows others = anywhere(target_.restarts, count);
  rows.insert(rows.end(), others.begin(), others.end());
  refine(rows, {box.soft_lower, box.soft_upper}, true, false);
  keep(rows);
}

// Moves seeds towards the target. Where a single solution is wanted, anywhere, the first that
// converges will do unless all are asked for. Returns how many have converged.
std::int64_t Search::State::refine(Rows& rows, const Bounds& bounds, bool thorough,
                                   bool all) const {
  const auto count = static_cast<std::int64_t>(rows.size()) / size_;
  const std::int64_t enough = !all && !around_ && run_.num_solutions == 1 ? 1 : count;
  const std::vector<std::int64_t> target_of_seed(index(count), 0);
  std::vector<double> position_error(index(count));
  std::vector<double> orientation_error(index(count));
  const auto converged = std::make_unique<bool[]>(index(count));  // NOLINT(*-avoid-c-arrays)
  std::vector<std::int64_t> iterations(index(count));
  Refinement task{};
  task.num_seeds = count;
  task.num_variables = size_;
  task.thorough = thorough;
  task.lower = bounds.lower;
  task.upper = bounds.upper;
  task.target_of_seed = target_of_seed.data();
  task.wanted = &enough;
  task.seeds = rows.data();
  task.positions = rows.data();
  task.position_error = position_error.data();
  task.orientation_error = orientation_error.data();
  task.converged = converged.get();
  task.iterations = iterations.data();
  prepared_.model.refine(targets_.data(), prepared_.model.options(), task);
  return std::count(converged.get(), converged.get() + count, true);
}

// Keeps what is a solution among configurations, or else the closest.
void Search::State::keep(const Rows& rows) {
  SearchArrays with_q = arrays();
  Rows q(index(size_));
  with_q.q = q.data();
  prepared_.model.with(targets_.data(), memory_.data(), [&](const auto& problem) {
    const search::SearchState state(problem, with_q);
    for (auto row = rows.begin(); row != rows.end(); row += size_) {
      std::copy_n(row, size_, q.begin());
      const search::Verification verified = problem.verify(q.data(), 0);
      if (!verified.exact) {
        if (state.pool.counts[0] == 0) {
          search::keepClosest(state, 0, closeness(verified));
        }
      } else if (search::turnInside(state)) {
        search::keepSolution(state, 0, 0);
      }
    }
  });
}

std::vector<Solution> Search::State::approximations(const IKRequest& request,
                                                    const Deadline& deadline) {
  const std::size_t wanted = request.num_solutions;
  const auto counts = [&](const Solution& one) {
    return !request.accept || request.accept(one.q);
  };
  std::vector<Solution> found;
  std::size_t looked_for = std::clamp(wanted, std::size_t{search::kApproximations}, kMostWanted);
  auto ending = Ending::kEnough;
  while (found.size() < wanted && ending == Ending::kEnough) {
    ending = run(looked_for, looked_for, deadline);
    std::vector<Solution> more = takeNew();
    if (more.empty() && looked_for == kMostWanted) {
      break;
    }
    for (Solution& one : more) {
      if (!isAmong(found, one, prepared_.options.distinct_distance) && counts(one)) {
        found.push_back(std::move(one));
      }
    }
    looked_for = std::min(2 * looked_for, kMostWanted);
  }
  keepExact(found, prepared_.options.tolerance);
  if (found.size() < wanted) {
    for (Solution& turned : turnedFrom(found, wanted - found.size())) {
      if (counts(turned)) {
        found.push_back(std::move(turned));
      }
    }
  }
  orderByError(found, prepared_.options.prefer, prepared_.options.tolerance, limits_);
  return found;
}

Vector Search::State::closest(const Deadline& deadline) {
  if (limits_.empty()) {
    return {};
  }
  if (request_) {
    IKRequest all = *request_;
    all.num_solutions = 1;
    all.accept = nullptr;
    State preferred(*prepared_.approximate, all);
    std::vector<Solution> found = preferred.approximations(all, deadline);
    if (!found.empty()) {
      return std::move(found.front().q);
    }
  }
  SearchArrays turned = arrays();
  const search::Box box = space_.box();
  Rows rows(box.reference, box.reference + size_);
  rows.insert(rows.end(), closest_.begin(), closest_.end());
  double least = kInfinity;
  Vector best;
  for (std::int64_t tried = 0; tried < search::kToMinima; tried += kLanes) {
    if (tried > 0 && deadline.passed()) {
      break;
    }
    const auto missing = kLanes - static_cast<std::int64_t>(rows.size()) / size_;
    const Rows others = anywhere(search::kGiveUp + tried, missing);
    rows.insert(rows.end(), others.begin(), others.end());
    refine(rows, {box.soft_lower, box.soft_upper}, true, true);
    for (std::int64_t k = 0; k < kLanes; ++k) {
      turned.q = rows.data() + k * size_;
      const double error = closeness(verify(turned.q));
      if (error < least && search::turnInside(turned)) {
        least = error;
        best = Eigen::Map<const Vector>(turned.q, size_);
      }
    }
    rows.clear();
  }
  return best;
}

Search::Search(const IKSolver& solver, const IKRequest& request)
    : state_(std::make_unique<State>(*solver.prepared_, request,
                                     solver.prepared_->within(request))) {}

Search::~Search() = default;
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;

Search::Ending Search::run(std::size_t wanted, const Deadline& deadline) {
  return state_->run(wanted, wanted, deadline);
}

bool Search::distinguishMore() {
  return state_->distinguishMore();
}

std::vector<Solution> Search::takeNew() {
  return state_->takeNew();
}

std::optional<Solution> Search::besideSeedState(double distance) const {
  return state_->besideSeedState(distance);
}

Vector Search::closest(const Deadline& deadline) {
  return state_->closest(deadline);
}

const SearchBox& Search::limits() const {
  return state_->limits();
}

}  // namespace generative_ik
