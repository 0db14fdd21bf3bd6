#include "tree_search.hpp"

#include <algorithm>
#include <generative_ik_ros/srv/get_ik_solutions.hpp>
#include <memory>
#include <utility>

namespace generative_ik_ros {
namespace {

using generative_ik::Vector;
using Response = srv::GetIKSolutions::Response;

bool reaches(const TreeQuery& query, const Vector& q, moveit::core::RobotState& state) {
  const std::vector<Eigen::Isometry3d> tips = query.tree.tipsInBase(q, state);
  for (std::size_t k = 0; k < tips.size(); ++k) {
    if (!isWithin(generative_ik::poseError(tips[k], query.targets_in_base[k]), query.tolerance)) {
      return false;
    }
  }
  return true;
}

}  // namespace

TreeSearch::TreeSearch(const TreeQuery& query, Server& server, const SearchSettings& settings,
                       const generative_ik::Deadline& deadline, moveit::core::RobotState& state)
    : query_(query),
      server_(server),
      settings_(settings),
      deadline_(deadline),
      candidates_(query.box,
                  [&query, &state](const Vector& q) { return reaches(query, q, state); }) {}

Search::Outcome TreeSearch::firstAccepted(const Search::Accept& accept, const Search::Cost& cost) {
  int wanted = settings_.num_solutions;
  bool more = true;
  candidates_.add(query_.box.seed());
  if (cost) {
    wanted = std::max(kMostGathered, wanted);
    more = ask(wanted, deadline_.after(kGathering));
  }
  while (true) {
    std::vector<Vector> batch = candidates_.takeNearestFirst();
    if (cost) {
      batch = generative_ik::orderByCost(std::move(batch), cost);
    }
    // One candidate is tested even after the deadline, because it was found in time.
    for (const Vector& q : batch) {
      if (accept(q)) {
        return Search::Outcome::kAccepted;
      }
      if (deadline_.passed()) {
        return Search::Outcome::kTimedOut;
      }
    }
    if (!more || deadline_.passed()) {
      return deadline_.passed() ? Search::Outcome::kTimedOut : Search::Outcome::kNoSolution;
    }
    wanted = std::min(requests_ > 0 ? 2 * wanted : wanted, kMostAsked);
    more = ask(wanted, deadline_);
  }
}

std::vector<Vector> TreeSearch::all() {
  candidates_.add(query_.box.seed());
  ask(settings_.num_solutions, deadline_);
  std::vector<Vector> found = candidates_.takeNearestFirst();
  found.resize(std::min(found.size(), static_cast<std::size_t>(settings_.num_solutions)));
  return found;
}

// Adds the solutions of one request to the candidates; returns whether there may be more.
bool TreeSearch::ask(int wanted, const generative_ik::Deadline& deadline) {
  const std::int64_t seed =
      settings_.random_seed < 0 ? settings_.random_seed : settings_.random_seed + requests_;
  ++requests_;
  const std::unique_ptr<Server::Request> request =
      server_.send({query_.tree.variables(), query_.targets_in_base, query_.box, query_.tolerance,
                    query_.consistency_limits},
                   wanted, seed, deadline.after(settings_.server_share));
  if (request == nullptr) {
    return false;
  }
  for (const Vector& q : request->solutions()) {
    candidates_.add(q);
  }
  return request->status() == Response::SOLVED || request->status() == Response::TIMED_OUT;
}

}  // namespace generative_ik_ros
