#include "search_state.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include "../answers/answer.hpp"
#include "../answers/search_begin.hpp"
#include "../limbs/answer_limbs.hpp"
#include "../search/keeping.hpp"
#include "../search/recurrence.hpp"
#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"
#include "at_once.hpp"
#include "bounds.hpp"
#include "collisions.hpp"
#include "seed_state.hpp"
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
  checkSeedState(request, variables.size());
  return request.seed_state ? SearchBox(variables, *request.seed_state, request.consistency_limits)
                            : SearchBox(variables);
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
      budget_(prepared_.budget(request)),
      size_(static_cast<std::int64_t>(prepared_.model.variables().size())),
      targets_(prepared_.posesOf(request)),
      space_(prepared_.model.variables(), prepared_.model.units(), limits_, budget_.around(),
             prepared_.options.distinct_distance),
      shift_(index(size_)),
      ratios_(index(size_)),
      run_(budget_.run(1)),
      memory_(index(prepared_.model.problem(nullptr).memory())),
      closed_form_(closedFormIn(prepared_.branches, prepared_.chain(), space_)),
      found_({1, size_, 0, 0, 0}, budget_.first_batch, space_.box().reference) {
  search::writeRecurrence(request.random_seed, size_, shift_.data(), ratios_.data());
  if (closed_form_ != nullptr) {
    budget_.spare = std::max(budget_.spare, static_cast<std::int64_t>(closed_form_->mostRows()));
  }
  target().near = !request.seek_nearest;  // as if one were found
  if (prepared_.approximate != nullptr) {
    request_ = request;
  }
  takeWorld(request);
  takeNearestOfLimbs(request);
}

// The search for several about a seed state begins with the nearest of all, where it is known.
void Search::State::takeNearestOfLimbs(const IKRequest& request) {
  const limbs::LimbsProblem* limbs = prepared_.limbs.get();
  if (limbs == nullptr || limbs->hasBranches() || !request.seed_state ||
      request.num_solutions < 2 || limits_.empty()) {
    return;
  }
  Rows q(index(size_));
  answers::Note note{};
  answers::PoseGap gap{};
  const Vector inside = SearchBox(prepared_.model.variables()).clamp(*request.seed_state);
  limbs::answerSome({*limbs, prepared_.alike.data(), true, 1}, inside.data(),
                    {targets_.data(), &note, q.data(), &gap, 1, size_, std::ssize(limbs->limbs)},
                    0, 1);
  if (note.count > 0 && limits_.contains(Eigen::Map<const Vector>(q.data(), size_))) {
    first_ = std::move(q);
  }
}

void Search::State::takeWorld(const IKRequest& request) {
  checkWorld(request, size_);
  if (request.world == nullptr) {
    return;
  }
  check_ = checkIn(*request.world);
  push_ = search::pushOutIn(*request.world);
  decisions_.emplace();
  decisions_->nearest = request.seed_state.has_value();
  if (prepared_.approximates) {
    decisions_->exact = prepared_.options.tolerance;
    if (!request.seed_state) {
      decisions_->least_error = prepared_.options.prefer == Preference::kPosition ? 1 : 0;
    }
  }
  decisions_->collides = [asked = request.collides](std::span<const double> q) {
    return collides(asked, q);
  };
}

SearchArrays Search::State::arrays() {
  SearchArrays arrays = found_.arrays(space_.box(), space_.grid(), run_);
  arrays.seeds = {first_.data(), first_.empty() ? 0 : 1, 0, true, shift_.data(), ratios_.data()};
  arrays.lanes = lanes_.data();
  arrays.check = &check_;
  arrays.push = &push_;
  return arrays;
}

search::Verification Search::State::verify(const double* q) {
  return prepared_.model.problem(targets_.data()).verify(memory_.data(), q, 0);
}

// Makes room for what the next steps find: memory for all that is wanted would cost time where
// that is more than there is.
void Search::State::makeRoom() {
  const std::int64_t most = run_.num_solutions + budget_.spare;
  const std::int64_t needed = found_.count(0) + kSteps * kLanes;
  if (found_.room().capacity < std::min(most, std::max(needed, kRoom))) {
    const std::int64_t capacity = std::min(most, std::max(2 * needed, kRoom));
    const std::int64_t steps = budget_.steps_each * std::min(capacity, run_.num_solutions);
    found_.grow({1, size_, capacity, run_.num_solutions, steps}, space_.grid());
  }
}

Search::Ending Search::State::run(std::size_t wanted, std::size_t enough,
                                  const Deadline& deadline) {
  if (limits_.empty()) {
    return Ending::kUnreachable;
  }
  const auto count = static_cast<std::int64_t>(std::min(wanted, kMostWanted));
  if (target().closed) {
    if (decide(count, deadline); target().closed) {
      if (target().complete || counted() >= count || counted() < run_.num_solutions) {
        return endingOf(count);
      }
      search::reopen(target());
    }
  }
  run_.num_solutions = count;
  run_.wanted = static_cast<std::int64_t>(std::min(enough, kMostWanted));
  makeRoom();
  if (target().restarts == 0 && found_.count(0) == 0) {
    beginWithForm(deadline);
  }
  const search::TargetProblem problem = prepared_.model.problem(targets_.data());
  do {
    while (problem.search(memory_.data(), arrays(), kSteps) == search::RunStatus::kOutOfSteps) {
      if (deadline.passed()) {
        return counted() >= count ? Ending::kEnough : Ending::kTimedOut;
      }
      makeRoom();
    }
  } while (decide(count, deadline));
  if (!target().closed) {  // there was no time to decide
    return counted() >= count ? Ending::kEnough : Ending::kTimedOut;
  }
  if (target().usable == 0 && !approached_ && !prepared_.approximates) {
    approachUnsolved(deadline);
  }
  return endingOf(count);
}

std::int64_t Search::State::counted() const {
  return decisions_ ? target().free : target().usable;
}

Search::Ending Search::State::endingOf(std::int64_t wanted) const {
  if (counted() >= wanted) {
    return Ending::kEnough;
  }
  return counted() > 0 ? Ending::kExhausted : Ending::kUnreachable;
}

bool Search::State::isFree(std::span<const double> q) const {
  const Verdict verdict = search::verdictOf(&check_, q.data());
  return verdict == Verdict::kFree || (verdict != Verdict::kColliding && !decisions_->collides(q));
}

bool Search::State::decide(std::int64_t wanted, const Deadline& deadline) {
  if (!decisions_) {
    return false;
  }
  decisions_->wanted = decisions_->looked_for = wanted;
  run_.next_target = run_.first;
  return search::decide(*decisions_, arrays(), run_.first, run_.last, {deadline.end(), {}});
}

// Puts the branches of the pose into the pool, if there are any; they may be all. Or solutions on
// its curves, of which some collide.
void Search::State::beginWithForm(const Deadline& deadline) {
  const std::int64_t wanted = run_.num_solutions;
  const answers::SearchTargets targets = {targets_.data(), arrays(), 0, 1};
  if (closed_form_ != nullptr) {
    // The nearest of a continuous set may still be missing.
    answers::beginWithBranches(
        *closed_form_, targets,
        budget_.around() ? std::numeric_limits<std::int64_t>::max() : wanted, {});
  } else if (prepared_.curves && decisions_ && wanted > 1 && !budget_.around()) {
    answers::beginWithCurves(*prepared_.curves, targets, {wanted, wanted, false},
                             {deadline.end(), {}});
  }
}

std::optional<IKSolutions> Search::State::answer(std::size_t wanted) const {
  if (closed_form_ == nullptr || limits_.empty() || wanted == 0 || wanted > kMostAtOnce) {
    return std::nullopt;
  }
  static constexpr std::array<double, answers::kJoints> kAlike = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  const auto count = static_cast<std::int64_t>(wanted);
  return solutionsOf(
      answers::Answerer({*closed_form_, kAlike.data(), budget_.around(), count, {}}),
      targets_.data(), size_, wanted);
}

bool Search::State::distinguishMore() {
  if (!prepared_.redundant || space_.distinctDistance() <= kFinestDistance) {
    return false;
  }
  space_.distinguish(std::max(kFiner * space_.distinctDistance(), kFinestDistance));
  found_.sortInto(space_.grid());
  if (target().closed) {
    search::reopen(target());
  }
  search::forgetSaturation(target(), prepared_.redundant);
  return true;
}

std::vector<Solution> Search::State::takeNew() {
  const search::Pool pool = found_.pool(space_.grid());
  std::vector<Solution> found;
  const std::int64_t count = pool.counts[0];
  taken_.resize(index(count * size_), kInfinity);
  for (std::int64_t k = 0; k < count; ++k) {
    const search::SolutionNotes& notes = pool.notes(0, k);
    const double* q = pool.position(0, k);
    double* taken = taken_.data() + k * size_;
    const bool counts = decisions_ ? notes.checked() == Verdict::kFree : !notes.collides();
    if (!counts || std::equal(q, q + size_, taken)) {
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
  const Rows more = limitedTurns({rows.data(), std::ssize(others), size_, box.reference, box.lower,
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
  const std::int64_t target = 0;
  std::int64_t iterations = 0;
  double position_error = 0.0;
  double orientation_error = 0.0;
  bool converged = false;
  const search::TargetProblem problem = prepared_.model.problem(targets_.data());
  problem.refine(problem.options(),
                 {1, size_, false, box.soft_lower, box.soft_upper, &target, nullptr, row.data(),
                  row.data(), &position_error, &orientation_error, &converged, &iterations},
                 {1, {}});
  SearchArrays found = arrays();
  found.q = row.data();
  const search::Verification verified = verify(row.data());
  if (!verified.exact || !search::turnInside(found)) {
    return std::nullopt;
  }
  const Eigen::Map<const Vector> q(row.data(), size_);
  if (!isFree(row) || !(limits_.largestMove(q) <= distance)) {
    return std::nullopt;
  }
  return Solution{q, verified.position, verified.angle};
}

// More seeds, which the caller's thread moves.
search::MoreSeeds Search::State::moreSeeds() const {
  return {prepared_.model.problem(targets_.data()),
          space_.box(),
          shift_.data(),
          ratios_.data(),
          0,
          true};
}

// Has more seeds followed to their local minima, where restarts have found no solution.
void Search::State::approachUnsolved(const Deadline& deadline) {
  approached_ = true;
  const std::vector<Variable>& variables = prepared_.model.variables();
  const auto periodic = std::make_unique<bool[]>(index(size_));  // NOLINT(*-avoid-c-arrays)
  std::transform(variables.begin(), variables.end(), periodic.get(),
                 [](const Variable& one) { return one.revolute && one.periodic; });
  const parallel::StopWhen stop = {deadline.end(), {}};
  search::Settle settle;
  if (decisions_) {
    settle = [&](std::int64_t first, std::int64_t last) {
      return search::decide(*decisions_, arrays(), first, last, stop);
    };
  }
  search::approachUnsolved(
      moreSeeds(), {settle, periodic.get(), prepared_.deficient, prepared_.near}, arrays(), stop);
}

std::vector<Solution> Search::State::approximations(const IKRequest& request,
                                                    const Deadline& deadline) {
  const std::size_t wanted = request.num_solutions;
  const auto accepted = [&](const Solution& one) {
    return !request.accept || request.accept(one.q);
  };
  std::vector<Solution> found;
  auto looked_for = static_cast<std::size_t>(budget_.looked_for);
  auto ending = Ending::kEnough;
  while (found.size() < wanted && ending == Ending::kEnough) {
    ending = run(looked_for, looked_for, deadline);
    std::vector<Solution> more = takeNew();
    if (more.empty() && looked_for == kMostWanted) {
      break;
    }
    for (Solution& one : more) {
      if (!isAmong(found, one, prepared_.options.distinct_distance) && accepted(one)) {
        found.push_back(std::move(one));
      }
    }
    looked_for = std::min(2 * looked_for, kMostWanted);
  }
  keepExact(found, prepared_.options.tolerance);
  if (found.size() < wanted) {
    for (Solution& turned : turnedFrom(found, wanted - found.size())) {
      if (accepted(turned)) {
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
    all.world = nullptr;
    State preferred(*prepared_.approximate, all);
    std::vector<Solution> found = preferred.approximations(all, deadline);
    if (!found.empty()) {
      return std::move(found.front().q);
    }
  }
  Rows best(found_.closest(), found_.closest() + size_);
  const search::Verification known = verify(best.data());
  verify::PoseGap gap = {known.position, known.angle};
  search::findClosest(moreSeeds(), prepared_.model.options(), 0, best.data(), gap,
                      {deadline.end(), {}});
  SearchArrays turned = arrays();
  turned.q = best.data();
  search::turnInside(turned);
  return Eigen::Map<const Vector>(best.data(), size_);
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
  if (!(distance >= 0.0)) {
    throw std::invalid_argument("a distance from the seed state is negative or NaN");
  }
  return state_->besideSeedState(distance);
}

Vector Search::closest(const Deadline& deadline) {
  return state_->closest(deadline);
}

const SearchBox& Search::limits() const {
  return state_->limits();
}

}  // namespace generative_ik
