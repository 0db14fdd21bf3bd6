#include "search.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

namespace generative_ik_ros {
namespace {

using generative_ik::Solution;
using generative_ik::Vector;

// Each further batch has twice as many candidates, up to this number.
constexpr int kMostWanted = 1 << 20;

std::uint64_t chosenSeed(std::int64_t random_seed) {
  if (random_seed >= 0) {
    return static_cast<std::uint64_t>(random_seed);
  }
  std::random_device random;
  return random();
}

}  // namespace

Search::Search(const Query& query, Server* server, const SearchSettings& settings,
               const generative_ik::Deadline& deadline)
    : query_(query),
      server_(server),
      settings_(settings),
      deadline_(deadline),
      candidates_(query.box, [&query](const Vector& q) {
        const std::vector<Eigen::Isometry3d> tips = query.solver.tipsInBase(q);
        return std::equal(tips.begin(), tips.end(), query.request.targets_in_base.begin(),
                          [&query](const auto& tip_in_base, const auto& target_in_base) {
                            return isWithin(generative_ik::poseError(tip_in_base, target_in_base),
                                            query.solver.options().tolerance);
                          });
      }) {}

// The plugin's own search; it is begun with a first part for so many solutions.
generative_ik::Search& Search::local(int first_part) {
  if (!local_) {
    generative_ik::IKRequest request = query_.request;
    request.num_solutions = static_cast<std::size_t>(first_part);
    // A candidate at once is worth more than the nearest of all: further ones follow.
    request.seek_nearest = false;
    request.random_seed = chosenSeed(settings_.random_seed);
    local_.emplace(query_.solver, request);
  }
  return *local_;
}

Search::Outcome Search::firstAccepted(const Accept& accept, const Cost& cost) {
  if (!cost && propose(withoutSearch(1)) && testCandidates(accept, cost)) {
    return Outcome::kAccepted;
  }
  // The first part looks for one solution: it tries sixteen seeds around the seed state, and
  // usually finds several.
  Ending ending = cost ? gather() : searchLocally(1, deadline_);
  if (testCandidates(accept, cost)) {
    return Outcome::kAccepted;
  }
  if (ending == Ending::kUnreachable) {
    return Outcome::kNoSolution;
  }
  for (int wanted = settings_.num_solutions; !deadline_.passed();
       wanted = std::min(2 * wanted, kMostWanted)) {
    // The node searches while this thread does.
    askServer(wanted, deadline_);
    if (ending == Ending::kEnough) {
      ending = searchLocally(wanted, deadline_);
      if (testCandidates(accept, cost)) {
        return Outcome::kAccepted;
      }
    }
    const bool more = takeAnswer();
    if (more && testCandidates(accept, cost)) {
      return Outcome::kAccepted;
    }
    if (ending == Ending::kExhausted && local_->distinguishMore()) {
      ending = Ending::kEnough;
    }
    if (ending != Ending::kEnough && !more) {
      // Candidates come at the turn nearest to the seed; the callback may want another one.
      if (!deadline_.passed() && test(candidates_.turned(kMostGathered), accept, cost)) {
        return Outcome::kAccepted;
      }
      return deadline_.passed() ? Outcome::kTimedOut : Outcome::kNoSolution;
    }
  }
  return Outcome::kTimedOut;
}

std::vector<Vector> Search::all() {
  askServer(settings_.num_solutions, deadline_);
  propose(withoutSearch(settings_.num_solutions));
  if (searchLocally(settings_.num_solutions, deadline_) == Ending::kUnreachable &&
      candidates_.empty()) {
    return {};
  }
  takeAnswer();
  std::vector<Vector> found = candidates_.takeNearestFirst();
  found.resize(std::min(found.size(), static_cast<std::size_t>(settings_.num_solutions)));
  return found;
}

std::optional<Vector> Search::nearest() {
  if (candidates_.add(query_.box.seed())) {
    return candidates_.takeNearestFirst().front();
  }
  const std::optional<Solution> near = withoutSearch(settings_.num_solutions);
  if (near && query_.box.largestMove(near->q) <= settings_.shortcut_distance && propose(near)) {
    return candidates_.takeNearestFirst().front();
  }
  std::vector<Vector> found = all();
  return found.empty() ? std::nullopt : std::optional<Vector>(std::move(found.front()));
}

// The solution nearest to the seed state, if that takes no search. Of what the solver has no short
// way for, such as arms on one waist, it is what the local solver comes to nearby; then the search
// is begun with a first part for so many.
std::optional<Solution> Search::withoutSearch(int first_part) {
  std::optional<Solution> near = query_.solver.nearest(query_.request);
  if (!near) {
    near = local(first_part).besideSeedState(settings_.shortcut_distance);
  }
  return near;
}

bool Search::propose(const std::optional<Solution>& solution) {
  return solution && candidates_.add(solution->q);
}

// Searches until there are so many solutions in all, which become candidates.
Search::Ending Search::searchLocally(int wanted, const generative_ik::Deadline& deadline) {
  generative_ik::Search& search = local(wanted);
  const Ending ending = search.run(static_cast<std::size_t>(wanted), deadline);
  int added = 0;
  for (const Solution& solution : search.takeNew()) {
    // Thousands may have been found in the last batch, which nobody waits for any more.
    if (added >= settings_.num_solutions && deadline_.passed()) {
      break;
    }
    added += candidates_.add(solution.q) ? 1 : 0;
  }
  return ending;
}

// Gathers candidates to choose the cheapest from, the node's included.
Search::Ending Search::gather() {
  const generative_ik::Deadline half = deadline_.after(kGathering);
  askServer(kMostGathered, half);
  const Ending ending = searchLocally(std::max(kMostGathered, settings_.num_solutions), half);
  takeAnswer();
  // It may go on after the half.
  return ending == Ending::kTimedOut && !deadline_.passed() ? Ending::kEnough : ending;
}

void Search::askServer(int wanted, const generative_ik::Deadline& deadline) {
  if (server_ == nullptr) {
    return;
  }
  const std::int64_t seed =
      settings_.random_seed < 0 ? settings_.random_seed : settings_.random_seed + requests_;
  ++requests_;
  request_ = server_->send({query_.solver.variables(), query_.request.targets_in_base, query_.box,
                            query_.solver.options().tolerance, query_.request.consistency_limits},
                           std::min(wanted, std::max(settings_.num_solutions, kMostAsked)), seed,
                           deadline.after(settings_.server_share));
}

// Waits for the node's reply; returns whether it has new candidates.
bool Search::takeAnswer() {
  const std::unique_ptr<Server::Request> request = std::exchange(request_, nullptr);
  bool added = false;
  if (request != nullptr) {
    for (const Vector& q : request->solutions()) {
      added = candidates_.add(q) || added;
    }
  }
  return added;
}

bool Search::testCandidates(const Accept& accept, const Cost& cost) {
  return test(candidates_.takeNearestFirst(), accept, cost);
}

// One candidate is tested even after the deadline, because it was found in time.
bool Search::test(std::vector<Vector> batch, const Accept& accept, const Cost& cost) {
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

}  // namespace generative_ik_ros
