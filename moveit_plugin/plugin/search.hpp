// The search for one query: candidates of the plugin's own search, and of the node.
#pragma once

#include <cstdint>
#include <functional>
#include <generative_ik/candidates.hpp>
#include <generative_ik/search.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "server.hpp"

namespace generative_ik_ros {

struct SearchSettings {
  int num_solutions = 1;
  std::int64_t random_seed = 0;
  double shortcut_distance = 0.0;  // [rad or m]
  double server_share = 0.85;
};

// An IK query for one tip or several. Refers to the solver, which must outlive it.
struct Query {
  const generative_ik::IKSolver& solver;
  generative_ik::IKRequest request;  // with a seed state, and a target for each tip
  generative_ik::SearchBox box;      // joint limits and those of the request
};

// Requests to the node ask for no more candidates.
constexpr int kMostAsked = 2000;
// The cheapest can only be chosen among all: so many candidates are gathered before the first one
// is tested, in this share of the time.
constexpr int kMostGathered = 1024;
constexpr double kGathering = 0.5;

// Serves one query; queries share nothing but the server's client. Which candidates are tested in
// which order does not depend on when the node replies.
class Search {
 public:
  enum class Outcome { kAccepted, kNoSolution, kTimedOut };

  using Accept = std::function<bool(const generative_ik::Vector&)>;
  using Cost = std::function<double(const generative_ik::Vector&)>;

  // Args: server: null to solve locally only. Keeps all but the settings by reference.
  Search(const Query& query, Server* server, const SearchSettings& settings,
         const generative_ik::Deadline& deadline);

  // Tests candidates one at a time, on this thread, until accept returns true, there are no more
  // or the deadline passes. Nearest to the seed first. With a cost, up to 1024 candidates are
  // gathered in half of the time, and tested by increasing cost; further ones likewise, batch by
  // batch.
  Outcome firstAccepted(const Accept& accept, const Cost& cost = nullptr);

  // Returns at most num_solutions solutions, nearest first, those of one request to the node among
  // them.
  std::vector<generative_ik::Vector> all();

  // Returns the first of all(), or the seed if it is a solution.
  std::optional<generative_ik::Vector> nearest();

  // The accepted candidate.
  [[nodiscard]] const generative_ik::Vector& accepted() const { return accepted_; }

  // The configuration inside the limits that is closest to the target, or meets what the solver
  // prefers; empty if there is none.
  // A few local minima are looked at even after the deadline.
  [[nodiscard]] generative_ik::Vector closest() { return local(1).closest(deadline_); }

 private:
  using Ending = generative_ik::Search::Ending;

  generative_ik::Search& local(int first_part);
  std::optional<generative_ik::Solution> withoutSearch(int first_part);
  bool propose(const std::optional<generative_ik::Solution>& solution);
  Ending searchLocally(int wanted, const generative_ik::Deadline& deadline);
  Ending gather();
  void askServer(int wanted, const generative_ik::Deadline& deadline);
  bool takeAnswer();
  bool testCandidates(const Accept& accept, const Cost& cost);
  bool test(std::vector<generative_ik::Vector> batch, const Accept& accept, const Cost& cost);

  const Query& query_;
  Server* server_;
  SearchSettings settings_;
  const generative_ik::Deadline& deadline_;
  std::optional<generative_ik::Search> local_;
  generative_ik::CandidateList candidates_;
  std::unique_ptr<Server::Request> request_;
  std::int64_t requests_ = 0;
  generative_ik::Vector accepted_;
};

}  // namespace generative_ik_ros
