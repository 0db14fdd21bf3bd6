#include "search.hpp"

#include <algorithm>
#include <utility>

namespace generative_ik_ros {
namespace {

using generative_ik::Descent;
using generative_ik::Vector;

// A search that is offered nothing it accepts asks for twice as many each time, up to this.
constexpr int kMostSolutions = 2000;
// Where the server is away, all() and nearest() end after so many descents without anything new.
constexpr int kBarrenDescents = 60;
// Descents for a solution to have in hand before the server is asked, and their share of the time.
constexpr int kSpareDescents = 30;
constexpr double kSpareShare = 0.1;

}  // namespace

Search::Outcome Search::firstAccepted(const Accept& accept, const Cost& cost) {
  if (query_.box.empty()) {
    return Outcome::kNoSolution;
  }
  const bool near = tryFromSeed();
  // With a cost, near is not what is wanted first.
  if (near && !cost && offer(accept, cost)) {
    return Outcome::kAccepted;
  }
  findSpare();
  const Outcome outcome = askUntilAccepted(accept, cost);
  if (outcome != Outcome::kTimedOut) {
    return outcome;
  }
  // One is offered however late it is now: it was found in time.
  if (offer(accept, cost)) {
    return Outcome::kAccepted;
  }
  while (!deadline_.passed()) {
    const Descent descent = local_.next(deadline_);
    approach(local_.closest());
    if (descent.reached && candidates_.add(descent.q) && offer(accept, cost)) {
      return Outcome::kAccepted;
    }
  }
  return Outcome::kTimedOut;
}

// Returns kTimedOut also where the server gives no further answer: time is left for the local
// solver.
Search::Outcome Search::askUntilAccepted(const Accept& accept, const Cost& cost) {
  for (int round = 0; !deadline_.passed(); ++round) {
    const std::optional<ServerAnswer> answer = ask(round);
    if (!answer) {
      break;
    }
    bool news = false;
    for (const Vector& q : answer->solutions) {
      news = candidates_.add(q) || news;
    }
    if (offer(accept, cost)) {
      return Outcome::kAccepted;
    }
    if (answer->unreachable) {
      return Outcome::kNoSolution;
    }
    if (!news) {
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
  int barren = 0;
  while (barren < kBarrenDescents && found < settings_.num_solutions && !deadline_.passed()) {
    const Descent descent = local_.next(deadline_);
    approach(local_.closest());
    const bool news = descent.reached && candidates_.add(descent.q);
    found += news ? 1 : 0;
    barren = news ? 0 : barren + 1;
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

// Whether the solution that descent from the seed leads to is a candidate so near to it that the
// server need not be asked first.
bool Search::tryFromSeed() {
  const Descent descent = local_.next(deadline_);
  approach(local_.closest());
  return descent.reached && candidates_.add(descent.q) &&
         query_.box.largestMove(descent.q) <= settings_.shortcut_distance;
}

// A busy server may answer after the deadline; most poses take the local solver a tenth of a
// millisecond.
void Search::findSpare() {
  const generative_ik::Deadline end = deadline_.after(kSpareShare);
  for (int i = 0; server_ != nullptr && i < kSpareDescents && candidates_.empty(); ++i) {
    const Descent descent = local_.next(end);
    approach(local_.closest());
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
  const int most = std::max(settings_.num_solutions, kMostSolutions);
  const int count = std::min(settings_.num_solutions << doublings, most);
  const std::int64_t seed =
      settings_.random_seed < 0 ? settings_.random_seed : settings_.random_seed + round;
  std::optional<ServerAnswer> answer =
      server_->ask(query_, count, seed, deadline_.after(settings_.server_share));
  if (answer) {
    approach(answer->closest);
  }
  return answer;
}

bool Search::offer(const Accept& accept, const Cost& cost) {
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

void Search::approach(const Vector& q) {
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
