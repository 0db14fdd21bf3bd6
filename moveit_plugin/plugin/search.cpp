#include "search.hpp"

#include <algorithm>
#include <utility>

namespace generative_ik_ros {
namespace {

using generative_ik::Descent;
using generative_ik::Vector;

// Each further request asks for twice as many solutions, up to this number.
constexpr int kMaxSolutions = 2000;
// Without the server, all() and nearest() end after so many descents without a new solution.
constexpr int kMaxFailures = 60;
// Descents for a reserve solution before the server is asked, and their fraction of the time.
constexpr int kReserveDescents = 30;
constexpr double kReserveShare = 0.1;

}  // namespace

Search::Outcome Search::firstAccepted(const Accept& accept, const Cost& cost) {
  if (query_.box.empty()) {
    return Outcome::kNoSolution;
  }
  const bool near = tryFromSeed();
  // With a cost, the nearest solution is not preferred.
  if (near && !cost && testCandidates(accept, cost)) {
    return Outcome::kAccepted;
  }
  findReserve();
  const Outcome outcome = askUntilAccepted(accept, cost);
  if (outcome != Outcome::kTimedOut) {
    return outcome;
  }
  // One candidate is tested even after the deadline, because it was found in time.
  if (testCandidates(accept, cost)) {
    return Outcome::kAccepted;
  }
  while (!deadline_.passed()) {
    const Descent descent = local_.next(deadline_);
    updateClosest(local_.closest());
    if (descent.reached && candidates_.add(descent.q) && testCandidates(accept, cost)) {
      return Outcome::kAccepted;
    }
  }
  return Outcome::kTimedOut;
}

// Returns kTimedOut also if the server has no further candidates, for the local solver to
// continue.
Search::Outcome Search::askUntilAccepted(const Accept& accept, const Cost& cost) {
  for (int round = 0; !deadline_.passed(); ++round) {
    const std::optional<ServerAnswer> answer = ask(round);
    if (!answer) {
      break;
    }
    bool added = false;
    for (const Vector& q : answer->solutions) {
      added = candidates_.add(q) || added;
    }
    if (testCandidates(accept, cost)) {
      return Outcome::kAccepted;
    }
    if (answer->unreachable) {
      return Outcome::kNoSolution;
    }
    if (!added) {
      break;
    }
  }
  return Outcome::kTimedOut;
}

std::vector<Vector> Search::all() {
  if (query_.box.empty()) {
    return {};
  }
  tryFromSeed();
  if (const std::optional<ServerAnswer> answer = ask(0)) {
    for (const Vector& q : answer->solutions) {
      candidates_.add(q);
    }
    return candidates_.takeNearestFirst();
  }
  int found = 0;
  int failures = 0;
  while (failures < kMaxFailures && found < settings_.num_solutions && !deadline_.passed()) {
    const Descent descent = local_.next(deadline_);
    updateClosest(local_.closest());
    const bool added = descent.reached && candidates_.add(descent.q);
    found += added ? 1 : 0;
    failures = added ? 0 : failures + 1;
  }
  return candidates_.takeNearestFirst();
}

std::optional<Vector> Search::nearest() {
  generative_ik::CandidateList seed_alone(query_);
  if (seed_alone.add(query_.box.seed())) {
    return seed_alone.takeNearestFirst().front();
  }
  std::vector<Vector> found = all();
  return found.empty() ? std::nullopt : std::optional<Vector>(std::move(found.front()));
}

// Runs a descent from the seed; returns whether its solution is so near that the server need not
// be asked first.
bool Search::tryFromSeed() {
  const Descent descent = local_.next(deadline_);
  updateClosest(local_.closest());
  return descent.reached && candidates_.add(descent.q) &&
         query_.box.largestMove(descent.q) <= settings_.shortcut_distance;
}

// Finds a solution in case the server answers after the deadline; for most poses the local solver
// takes a tenth of a millisecond.
void Search::findReserve() {
  const generative_ik::Deadline end = deadline_.after(kReserveShare);
  for (int i = 0; server_ != nullptr && i < kReserveDescents && candidates_.empty(); ++i) {
    const Descent descent = local_.next(end);
    updateClosest(local_.closest());
    if (end.passed() || (descent.reached && candidates_.add(descent.q))) {
      return;
    }
  }
}

std::optional<ServerAnswer> Search::ask(int round) {
  if (server_ == nullptr) {
    return std::nullopt;
  }
  const int doublings = std::min(round, 10);
  const int maximum = std::max(settings_.num_solutions, kMaxSolutions);
  const int count = std::min(settings_.num_solutions << doublings, maximum);
  const std::int64_t seed =
      settings_.random_seed < 0 ? settings_.random_seed : settings_.random_seed + round;
  std::optional<ServerAnswer> answer =
      server_->ask(query_, count, seed, deadline_.after(settings_.server_share));
  if (answer) {
    updateClosest(answer->closest);
  }
  return answer;
}

bool Search::testCandidates(const Accept& accept, const Cost& cost) {
  std::vector<Vector> batch = candidates_.takeNearestFirst();
  if (cost) {
    batch = generative_ik::orderByCost(std::move(batch), cost);
  }
  for (Vector& q : batch) {
    if (accept(q)) {
      accepted_ = std::move(q);
      return true;
    }
    if (deadline_.passed()) {
      return false;
    }
  }
  return false;
}

void Search::updateClosest(const Vector& q) {
  if (q.size() != query_.chain.size() || !q.allFinite()) {
    return;
  }
  const Vector inside = query_.box.nearestTurn(q);
  const auto distance = [this](const Vector& at) {
    const auto error = generative_ik::poseError(query_.chain.tipInBase(at), query_.target_in_base);
    return error.head<3>().norm() / query_.chain.characteristicLength() + error.tail<3>().norm();
  };
  if (query_.box.contains(inside) &&
      (closest_.size() == 0 || distance(inside) < distance(closest_))) {
    closest_ = inside;
  }
}

}  // namespace generative_ik_ros
