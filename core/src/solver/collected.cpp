#include <algorithm>
#include <utility>

#include "at_once.hpp"
#include "search_state.hpp"
#include "solution_order.hpp"

namespace generative_ik {
namespace {

/// What a request accepts of what was found.
class Accepted {
 public:
  Accepted(const IKRequest& request, double distinct_distance)
      : request_(request), distinct_distance_(distinct_distance) {}

  [[nodiscard]] bool isEnough() const { return solutions_.size() >= request_.num_solutions; }
  [[nodiscard]] std::vector<Solution>& solutions() { return solutions_; }

  void take(Solution& solution) {
    if (!request_.accept || request_.accept(solution.q)) {
      solutions_.push_back(std::move(solution));
    }
  }

  /// Takes those that are new until there are enough. Returns whether there was time for that.
  bool take(std::vector<Solution>& found, const Deadline& deadline) {
    for (Solution& solution : found) {
      // One that has come nearer since is another solution to the search.
      if (request_.accept && isAmong(solutions_, solution, distinct_distance_)) {
        continue;
      }
      take(solution);
      if (isEnough()) {
        return true;
      }
      if (request_.accept && deadline.passed()) {
        return false;
      }
    }
    return true;
  }

 private:
  const IKRequest& request_;
  double distinct_distance_;
  std::vector<Solution> solutions_;
};

}  // namespace

IKSolutions Search::State::collect(const IKRequest& request, const Deadline& deadline) {
  Accepted accepted(request, prepared_.options.distinct_distance);
  std::vector<Solution>& solutions = accepted.solutions();
  const auto enough = static_cast<std::size_t>(budget_.enough);
  auto wanted = static_cast<std::size_t>(budget_.looked_for);
  auto ending = Ending::kEnough;
  while (!accepted.isEnough() && ending == Ending::kEnough) {
    // Where regions are hard to fill, those that are asked for will do, if all of them count.
    ending = run(wanted, request.accept ? wanted : enough, deadline);
    std::vector<Solution> found = takeNew();
    if (found.empty() && wanted == kMostWanted) {
      break;
    }
    if (request.seed_state) {
      orderByDistance(found, limits_);
    } else {
      orderByDiversity(found, prepared_.model.variables(), prepared_.model.units());
    }
    if (!accepted.take(found, deadline)) {
      ending = Ending::kTimedOut;
    }
    wanted = std::min(2 * wanted, kMostWanted);
  }
  if (!accepted.isEnough()) {
    std::vector<Solution> turned = turnedFrom(solutions, request.num_solutions);
    for (auto one = turned.begin(); one != turned.end() && !accepted.isEnough(); ++one) {
      accepted.take(*one);
    }
  }
  if (request.seed_state) {
    orderByDistance(solutions, limits_);
  }
  prepared_.comeNearer(request, solutions);
  // Full turns of what was not accepted may have been.
  const bool all = isComplete() && ending != Ending::kTimedOut &&
                   (!request.accept || turnedVariables().empty());
  const bool late = ending == Ending::kTimedOut && solutions.empty() && request.num_solutions > 0;
  const SolveStatus status =
      late ? SolveStatus::kTimedOut : statusOf(solutions.size(), request.num_solutions, all);
  return {status, std::move(solutions)};
}

}  // namespace generative_ik
