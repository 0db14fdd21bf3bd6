#include <algorithm>
#include <cmath>
#include <cstdint>
#include <generative_ik/tracker.hpp>
#include <stdexcept>
#include <utility>

#include "../model/units.hpp"
#include "../solver/packed_chain.hpp"
#include "tracker_state.hpp"

namespace generative_ik {
namespace {

using tracking::TrackerSettings;
using tracking::TrackerState;

std::vector<double> numbersOf(const Vector& vector) {
  return {vector.begin(), vector.end()};
}

TrackerSettings settingsOf(const std::vector<Chain>& chains, const SharedVariables& shared,
                           const TrackerOptions& options) {
  TrackerSettings settings{};
  settings.limits.period = options.period;
  for (const Variable& variable : shared.variables) {
    const double infinity = std::numeric_limits<double>::infinity();
    settings.limits.lower.push_back(variable.continuous ? -infinity : variable.lower);
    settings.limits.upper.push_back(variable.continuous ? infinity : variable.upper);
  }
  settings.limits.velocity = numbersOf(options.velocity_limits);
  settings.limits.acceleration =
      numbersOf(options.acceleration_limits.size() == 0 ? options.velocity_limits
                                                        : options.acceleration_limits);
  double length = 0.0;
  for (const Chain& chain : chains) {
    length = std::max(length, chain.characteristicLength());
  }
  const Vector units = unitsOf(shared.variables, length);
  const Vector& weights = options.joint_weights;
  if (weights.size() == 0 || weights.size() == units.size()) {
    const Vector each = weights.size() == 0 ? Vector::Ones(units.size()) : weights;
    settings.steps = numbersOf(units.cwiseQuotient(each));
  }
  settings.posture = numbersOf(options.posture);
  settings.objective = options.objective;
  settings.weights = solverOptions(options.tolerance, length);
  settings.position_first = options.position_first;
  settings.largest_jump = options.largest_jump;
  settings.follow_jumps = options.follow_jumps;
  return settings;
}

void check(bool holds, const char* what) {
  if (!holds) {
    throw std::invalid_argument(what);
  }
}

void checkConfiguration(const char* name, const Vector& q, std::size_t size) {
  if (static_cast<std::size_t>(q.size()) != size || !q.allFinite()) {
    throw std::invalid_argument(std::string(name) +
                                " must be finite, one position for each joint");
  }
}

void checkSeedState(const Vector& q, const std::vector<Variable>& variables) {
  checkConfiguration("seed_state", q, variables.size());
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (!mayBeRead(variables[v], q[static_cast<Eigen::Index>(v)])) {
      throw std::invalid_argument("seed_state: joint '" + variables[v].name +
                                  "' is further beyond a limit than an encoder may read it");
    }
  }
}

std::unique_ptr<TrackerState> stateOf(const std::vector<Chain>& chains,
                                      const SharedVariables& shared, const Vector& seed_state,
                                      const TrackerOptions& options) {
  TrackerSettings settings = settingsOf(chains, shared, options);
  const std::size_t size = shared.variables.size();
  check(options.tolerance.position > 0.0 && options.tolerance.orientation > 0.0,
        "tolerance must be above 0");
  const std::string wrong = tracking::whatIsWrong(settings, size);
  check(wrong.empty(), wrong.c_str());
  checkSeedState(seed_state, shared.variables);
  const Eigen::Map<const Vector> steps(settings.steps.data(), std::ssize(settings.steps));
  tracking::TrackedModel model(JointTree::of(chains, shared, steps));
  if (!options.regions.empty()) {
    check(options.regions.size() == chains.size(), "regions: there must be one for each tip");
    check(!std::all_of(options.regions.begin(), options.regions.end(),
                       [](const TaskSpaceRegion& region) { return region.isFree(); }),
          "regions: all tips are free: nothing to follow");
    model.boundBy({options.regions, chains.size(), {}, options.tolerance});
  }
  return std::make_unique<TrackerState>(std::move(model), std::move(settings), seed_state.data());
}

}  // namespace

Tracker::Tracker(const Chain& chain, const Vector& seed_state, const TrackerOptions& options)
    : Tracker(std::vector<Chain>{chain}, seed_state, options) {}
Tracker::Tracker(const std::vector<Chain>& chains, const Vector& seed_state,
                 const TrackerOptions& options) {
  SharedVariables shared(chains);
  state_ = stateOf(chains, shared, seed_state, options);
  targets_.resize(16 * chains.size());
  variables_ = std::move(shared.variables);
}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

const TrackerStep& Tracker::stepTowards(const Eigen::Isometry3d* targets, std::size_t count) {
  check(count == state_->numGoals(), "a step needs a target for each tip");
  for (std::size_t g = 0; g < count; ++g) {
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(targets_.data() + 16 * g) =
        targets[g].matrix();
  }
  return state_->step(targets_.data());
}

const TrackerStep& Tracker::step(const Eigen::Isometry3d& target_in_base) {
  return stepTowards(&target_in_base, 1);
}

const TrackerStep& Tracker::step(const std::vector<Eigen::Isometry3d>& targets_in_base) {
  return stepTowards(targets_in_base.data(), targets_in_base.size());
}

const TrackerStep& Tracker::brake() {
  return state_->brake();
}

void Tracker::moveTo(const Vector& configuration) {
  checkConfiguration("configuration", configuration, state_->numVariables());
  check(state_->isWithinLimits(configuration.data()), "configuration is outside the joint limits");
  state_->moveTo(configuration.data());
}

void Tracker::avoid(const CollisionWorld* world, double clearance) {
  check(world == nullptr ||
            world->numVariables() == static_cast<std::int64_t>(state_->numVariables()),
        "the world has other variables than the tracker");
  check(clearance > 0.0 && std::isfinite(clearance), "clearance must be above 0 and finite");
  state_->avoid(world, clearance);
}

void Tracker::reset(const Vector& seed_state) {
  checkSeedState(seed_state, variables_);
  state_->reset(seed_state.data());
}

const TrackerStep& Tracker::last() const {
  return state_->last();
}

}  // namespace generative_ik
