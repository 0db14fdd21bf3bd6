#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <generative_ik/descent.hpp>
#include <generative_ik/local_search.hpp>
#include <generative_ik/low_discrepancy.hpp>
#include <limits>
#include <utility>

#include "../local_solver/lane_solver.hpp"
#include "policy.hpp"
#include "solution_pool.hpp"

namespace generative_ik {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr double kTurn = 2.0 * kPi;
// Half of the sampled range of a prismatic joint without limits [m].
constexpr double kUnbounded = 1.0;
// A seed that has not converged after so many iterations is given up, and so is one whose squared
// error has not fallen to this share since the last check.
constexpr int kMaxIterations = 40;
constexpr int kStallWindow = 4;
constexpr double kStallRatio = 0.3;
// A seed is iterated to this fraction of the tolerance, as a margin for rounding elsewhere.
constexpr double kMargin = 0.1;
// Longest random null-space step [rad or characteristic lengths], and mean length and relative
// variation of a step in a known direction.
constexpr double kStride = 0.7;
constexpr double kStep = 0.2;
constexpr double kVariation = 0.5;
// Known solutions of which the one found least often is stepped away from at random.
constexpr std::size_t kStepFrom = 4;
// Seeds towards the seed state lie at one of so many fractions of the way.
constexpr long kFractions = 4;
constexpr std::size_t kMostSteps = 4096;
constexpr double kFinestDistance = 1e-3;
// Share of the distance of duplicates below which two are one solution, found again.
constexpr double kIdentical = 0.1;
// Local minima among which the closest configuration is looked for.
constexpr int kApproaches = 16;
// Iterations between two readings of the clock, which takes as long as a tenth of one.
constexpr int kClockPeriod = 8;

double chordOf(double angle) {
  return 2.0 * std::sin(0.5 * std::min(angle, kPi));
}

}  // namespace

class LocalSearch::Impl {
 public:
  Impl(const Query& query, std::size_t wanted, const LocalSearchSettings& settings);

  Ending run(std::size_t wanted, const Deadline& deadline);
  bool distinguishMore();
  [[nodiscard]] const std::vector<Vector>& solutions() const { return pool_.solutions(); }
  [[nodiscard]] Vector closest(const Deadline& deadline) const;

 private:
  struct Lane {
    SeedKind kind = SeedKind::kNone;
    std::size_t base = 0;  // the solution that a null-space step starts from
    bool random = false;   // whether that step is in a random direction
    bool from_seed_state = false;
    int iterations = 0;
    double past_error = std::numeric_limits<double>::infinity();
  };

  // The search box with finite bounds, and the bounds of the iteration.
  struct Bounds {
    explicit Bounds(const Query& query);
    Vector lower;
    Vector upper;
    Vector soft_lower;
    Vector soft_upper;
    Vector reference;
    Vector stride;
    std::vector<bool> circular;
  };

  [[nodiscard]] bool surelyUnreachable() const;
  bool seedBegins(int at);
  bool seedEnds(int at);
  void keepOutcome(int at, bool converged);
  bool keepSolution(const Lane& lane, const Vector& q);
  [[nodiscard]] bool isNearer(const Vector& q, std::size_t known) const;
  void keepNearer(std::size_t known, const Vector& q);
  void keepNearest(const Vector& q);
  void settleNearest();
  void queueSteps(const Lane& lane);
  [[nodiscard]] Vector restart() const;
  Vector nullSpaceStep(Lane& lane);
  Vector towardsSeed();

  const Query& query_;
  LocalSearchSettings settings_;
  Bounds bounds_;
  double chord_tolerance_;
  bool redundant_;
  LowDiscrepancy sequence_;
  LaneSolver solver_;
  Policy policy_;
  SolutionPool pool_;
  std::array<Lane, kLanes> lanes_;
  // Null-space steps to take: a solution, and one behind it.
  std::deque<std::pair<std::size_t, std::size_t>> steps_;
  // Solutions that the caller has seen, of which there were so many when this part began.
  std::size_t seen_ = 0;
  bool near_ = false;
  bool stop_when_near_ = false;
  Vector nearest_;
  std::size_t nearest_index_ = 0;
  double nearest_distance_ = std::numeric_limits<double>::infinity();
  Vector closest_;
  double closest_error_ = std::numeric_limits<double>::infinity();
};

LocalSearch::Impl::Bounds::Bounds(const Query& query)
    : lower(query.box.lower()),
      upper(query.box.upper()),
      soft_lower(lower),
      soft_upper(upper),
      reference(query.box.clamp(query.box.seed())),
      stride(lower.size()),
      circular(static_cast<std::size_t>(lower.size())) {
  for (Eigen::Index i = 0; i < lower.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Variable& variable = query.chain.variables()[at];
    const double range = variable.revolute ? kPi : kUnbounded;
    if (variable.continuous || !std::isfinite(lower[i])) {
      lower[i] = std::max(lower[i], reference[i] - range);
    }
    if (variable.continuous || !std::isfinite(upper[i])) {
      upper[i] = std::min(upper[i], reference[i] + range);
    }
    circular[at] = variable.revolute && variable.periodic && upper[i] - lower[i] >= kTurn - 1e-9;
    if (circular[at] && variable.continuous) {
      soft_lower[i] = -std::numeric_limits<double>::infinity();
      soft_upper[i] = std::numeric_limits<double>::infinity();
    }
    const double unit = variable.revolute ? 1.0 : query.chain.characteristicLength();
    stride[i] = std::min(kStride * unit, 0.25 * (upper[i] - lower[i]));
  }
}

LocalSearch::Impl::Impl(const Query& query, std::size_t wanted,
                        const LocalSearchSettings& settings)
    : query_(query),
      settings_(settings),
      bounds_(query),
      chord_tolerance_(chordOf(query.tolerance.orientation)),
      redundant_(query.chain.size() > (std::isinf(query.tolerance.position) ? 0 : 3) +
                                          (std::isinf(query.tolerance.orientation) ? 0 : 3)),
      sequence_(settings.random_seed, query.chain.size()),
      solver_(query.chain, query.target_in_base, query.tolerance, bounds_.soft_lower,
              bounds_.soft_upper),
      policy_(redundant_, wanted),
      pool_(bounds_.circular, settings.distinct_distance) {}

LocalSearch::Ending LocalSearch::Impl::run(std::size_t wanted, const Deadline& deadline) {
  if (query_.box.empty() || surelyUnreachable()) {
    return Ending::kUnreachable;
  }
  policy_.want(wanted);
  seen_ = pool_.size();
  near_ = false;
  stop_when_near_ = wanted == 1;
  bool active = true;
  for (int step = 1; active && !policy_.over() && !near_; ++step) {
    solver_.measure();
    active = false;
    for (int lane = 0; lane < kLanes && !policy_.over() && !near_; ++lane) {
      solver_.release(lane);
      const bool under_way =
          lanes_[static_cast<std::size_t>(lane)].kind != SeedKind::kNone && !seedEnds(lane);
      active = under_way || seedBegins(lane) || active;
    }
    solver_.advance();
    if (step % kClockPeriod == 0 && deadline.passed()) {
      break;
    }
  }
  policy_.dropUnfinished();
  lanes_.fill(Lane());
  if (policy_.hopeless()) {
    return Ending::kUnreachable;
  }
  if (near_ || pool_.size() >= wanted) {
    return Ending::kEnough;
  }
  return policy_.exhausted() ? Ending::kExhausted : Ending::kTimedOut;
}

// The origin of the last joint is fixed by the pose of the tip, but for the tolerances.
bool LocalSearch::Impl::surelyUnreachable() const {
  if (std::isinf(query_.tolerance.position)) {
    return false;
  }
  const Chain& chain = query_.chain;
  const Eigen::Vector3d first = chain.joints().front().joint_in_parent.translation();
  const Eigen::Vector3d last =
      query_.target_in_base * chain.tipInLastJoint().inverse().translation();
  const double slack =
      query_.tolerance.position + chord_tolerance_ * chain.tipInLastJoint().translation().norm();
  constexpr double kRounding = 1e-9;
  const bool sliding = chain.joints().back().type == Joint::Type::kPrismatic;
  return !sliding && (last - first).norm() > chain.reach() + slack + kRounding;
}

bool LocalSearch::Impl::distinguishMore() {
  if (!redundant_ || pool_.distance() <= kFinestDistance) {
    return false;
  }
  pool_.setDistance(std::max(0.25 * pool_.distance(), kFinestDistance));
  policy_.forgetSaturation();
  return true;
}

bool LocalSearch::Impl::seedBegins(int at) {
  Lane& lane = lanes_[static_cast<std::size_t>(at)];
  lane = Lane();
  lane.kind = policy_.next(pool_.size());
  switch (lane.kind) {
    case SeedKind::kRestart:
      lane.from_seed_state = policy_.restarts() == 1;
      solver_.begin(at, restart());
      break;
    case SeedKind::kNullSpace:
      solver_.begin(at, nullSpaceStep(lane));
      break;
    case SeedKind::kTowardsSeed:
      solver_.begin(at, towardsSeed());
      break;
    case SeedKind::kNone:
      return false;
  }
  return true;
}

// Checks the seed in a lane; if it has ended, keeps what it led to. Returns whether it has.
bool LocalSearch::Impl::seedEnds(int at) {
  Lane& lane = lanes_[static_cast<std::size_t>(at)];
  const Tolerance& tolerance = query_.tolerance;
  const double position = solver_.positionError(at);
  const double chord = solver_.orientationChord(at);
  const auto within = [&](double share) {
    return position <= share * tolerance.position && chord <= share * chord_tolerance_;
  };
  ++lane.iterations;
  const double error = solver_.squaredError(at);
  bool ended = within(kMargin) || lane.iterations >= kMaxIterations || !std::isfinite(error);
  if (lane.iterations % kStallWindow == 0) {
    ended = ended || error > kStallRatio * lane.past_error;
    lane.past_error = error;
  }
  if (ended) {
    keepOutcome(at, within(1.0));
    lane.kind = SeedKind::kNone;
  }
  return ended;
}

void LocalSearch::Impl::keepOutcome(int at, bool converged) {
  const Lane lane = lanes_[static_cast<std::size_t>(at)];
  bool is_new = false;
  if (converged) {
    const Vector q = query_.box.nearestTurn(solver_.configuration(at));
    if (query_.box.contains(q)) {
      if (lane.kind == SeedKind::kTowardsSeed) {
        keepNearest(q);
      } else {
        is_new = keepSolution(lane, q);
      }
    }
  } else if (pool_.size() == 0 && solver_.squaredError(at) < closest_error_) {
    closest_error_ = solver_.squaredError(at);
    closest_ = solver_.configuration(at);
  }
  policy_.count(lane.kind, pool_.size(), converged, is_new);
  if (lane.kind == SeedKind::kTowardsSeed && policy_.over()) {
    settleNearest();
  }
}

bool LocalSearch::Impl::keepSolution(const Lane& lane, const Vector& q) {
  const std::optional<std::size_t> known = pool_.find(q);
  if (known && !isNearer(q, *known)) {
    return false;
  }
  if (!isWithin(poseError(query_.chain.tipInBase(q), query_.target_in_base), query_.tolerance)) {
    return false;
  }
  if (known) {
    keepNearer(*known, q);
    return false;
  }
  pool_.add(q);
  if (lane.kind == SeedKind::kNullSpace) {
    queueSteps(lane);
  }
  near_ = near_ ||
          (stop_when_near_ && lane.from_seed_state && query_.box.largestMove(q) <= settings_.near);
  return true;
}

// Whether q is nearer to the seed state than the solution that is the same, of which there must be
// one. Within the tolerances a solution may be anywhere along a short way, so what hardly differs
// is taken for one solution, found again.
bool LocalSearch::Impl::isNearer(const Vector& q, std::size_t known) const {
  const Vector& other = pool_.solutions()[known];
  return query_.box.seedDistance(q) < query_.box.seedDistance(other) &&
         pool_.difference(q, other).cwiseAbs().maxCoeff() >= kIdentical * pool_.distance() &&
         !pool_.find(q, known);
}

// Keeps q instead of the solution that is the same. One that the caller has seen stays, because it
// was not accepted, and q may be.
void LocalSearch::Impl::keepNearer(std::size_t known, const Vector& q) {
  if (known < seen_) {
    pool_.add(q);
  } else {
    pool_.replace(known, q);
  }
}

// Queues the steps that continue from the newest solution, to which a step has led. After a random
// step the opposite direction is as good.
void LocalSearch::Impl::queueSteps(const Lane& lane) {
  const std::size_t newest = pool_.size() - 1;
  if (steps_.size() + 2 > kMostSteps) {
    return;
  }
  steps_.emplace_back(newest, lane.base);
  if (lane.random) {
    steps_.emplace_back(lane.base, newest);
  }
}

// Seeds of the first batch lie in a box around the seed state that grows from nothing to the whole
// search box; the first one is the seed state itself.
Vector LocalSearch::Impl::restart() const {
  const long index = policy_.restarts();
  Vector anywhere =
      bounds_.lower + sequence_.point(index).cwiseProduct(bounds_.upper - bounds_.lower);
  if (index > policy_.firstBatch()) {
    return anywhere;
  }
  const double share = static_cast<double>(index - 1) / static_cast<double>(policy_.firstBatch());
  return bounds_.reference + share * share * (anywhere - bounds_.reference);
}

Vector LocalSearch::Impl::nullSpaceStep(Lane& lane) {
  const long index = policy_.nullSpaceSteps();
  Vector move;
  if (!steps_.empty()) {
    const auto [base, behind] = steps_.front();
    steps_.pop_front();
    lane.base = base;
    const double length = kStep * (1.0 + kVariation * (2.0 * sequence_.fraction(index) - 1.0));
    move = pool_.difference(pool_.solutions()[base], pool_.solutions()[behind]);
    move *= length / std::max(move.cwiseAbs().maxCoeff(), 1e-9);
  } else {
    lane.random = true;
    lane.base = pool_.leastVisited(static_cast<std::size_t>(index) * kStepFrom, kStepFrom);
    move = (2.0 * sequence_.fractions(index).array() - 1.0) * bounds_.stride.array();
  }
  const Vector q = pool_.solutions()[lane.base] + move;
  return q.cwiseMax(bounds_.soft_lower).cwiseMin(bounds_.soft_upper);
}

// The local solver takes the shortest step, so a seed between the nearest solution and the seed
// state converges to a point of the solution set that is nearer to the seed state.
Vector LocalSearch::Impl::towardsSeed() {
  if (policy_.stepsTowardsSeed() == 1) {
    nearest_distance_ = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      const double distance = query_.box.seedDistance(pool_.solutions()[i]);
      if (distance < nearest_distance_) {
        nearest_distance_ = distance;
        nearest_index_ = i;
      }
    }
    nearest_ = pool_.solutions()[nearest_index_];
  }
  const double share = 1.0 / static_cast<double>(1 + policy_.stepsTowardsSeed() % kFractions);
  return nearest_ + share * (bounds_.reference - nearest_);
}

void LocalSearch::Impl::keepNearest(const Vector& q) {
  const double distance = query_.box.seedDistance(q);
  if (distance < nearest_distance_ &&
      isWithin(poseError(query_.chain.tipInBase(q), query_.target_in_base), query_.tolerance)) {
    nearest_distance_ = distance;
    nearest_ = q;
  }
}

// Replaces the solution that the refinement began from, unless another one is the same.
void LocalSearch::Impl::settleNearest() {
  if (nearest_ != pool_.solutions()[nearest_index_]) {
    keepNearer(pool_.find(nearest_, nearest_index_).value_or(nearest_index_), nearest_);
  }
}

Vector LocalSearch::Impl::closest(const Deadline& deadline) const {
  if (query_.box.empty()) {
    return {};
  }
  const double length = query_.chain.characteristicLength();
  Vector best;
  double best_error = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kApproaches && (i == 0 || !deadline.passed()); ++i) {
    Vector start = bounds_.reference;
    if (i == 1 && closest_.size() > 0) {
      start = closest_;
    } else if (i > 0) {
      start = bounds_.lower + sequence_.point(i).cwiseProduct(bounds_.upper - bounds_.lower);
    }
    const Descent descent = descend(query_.chain, query_.target_in_base, start, query_.box,
                                    query_.tolerance, deadline);
    const double error =
        (std::isinf(query_.tolerance.position) ? 0.0 : descent.error.head<3>().norm() / length) +
        (std::isinf(query_.tolerance.orientation) ? 0.0 : descent.error.tail<3>().norm());
    if (error < best_error) {
      best_error = error;
      best = query_.box.nearestTurn(descent.q);
    }
  }
  return best;
}

LocalSearch::LocalSearch(const Query& query, std::size_t wanted,
                         const LocalSearchSettings& settings)
    : impl_(std::make_unique<Impl>(query, wanted, settings)) {}

LocalSearch::~LocalSearch() = default;

LocalSearch::Ending LocalSearch::run(std::size_t wanted, const Deadline& deadline) {
  return impl_->run(wanted, deadline);
}

bool LocalSearch::distinguishMore() {
  return impl_->distinguishMore();
}

const std::vector<Vector>& LocalSearch::solutions() const {
  return impl_->solutions();
}

Vector LocalSearch::closest(const Deadline& deadline) const {
  return impl_->closest(deadline);
}

std::vector<Vector> solveLocally(const Query& query, std::size_t count, const Deadline& deadline,
                                 const LocalSearchSettings& settings) {
  LocalSearch search(query, count, settings);
  search.run(count, deadline);
  CandidateList candidates(query);
  for (const Vector& q : search.solutions()) {
    candidates.add(q);
  }
  std::vector<Vector> found = candidates.takeNearestFirst();
  found.resize(std::min(found.size(), count));
  return found;
}

}  // namespace generative_ik
