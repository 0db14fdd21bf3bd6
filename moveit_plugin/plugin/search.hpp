// The search for one query: candidates from the node and from the local solver.
#pragma once

#include <cstdint>
#include <functional>
#include <generative_ik_core/fallback.hpp>
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

// Serves one query; queries share nothing but the server's client.
class Search {
 public:
  enum class Outcome { kAccepted, kNoSolution, kTimedOut };

  using Accept = std::function<bool(const generative_ik::Vector&)>;
  using Cost = std::function<double(const generative_ik::Vector&)>;

  // Args: server: null to solve locally only. Keeps all but the settings by reference.
  Search(const generative_ik::Query& query, Server* server, const SearchSettings& settings,
         const generative_ik::Deadline& deadline)
      : query_(query),
        server_(server),
        settings_(settings),
        deadline_(deadline),
        candidates_(query),
        local_(query) {}

  // Tests candidates one at a time, on this thread, until accept returns true, there are no more
  // or the deadline passes. Nearest to the seed first, or by cost within each batch if there is a
  // cost.
  Outcome firstAccepted(const Accept& accept, const Cost& cost = nullptr);

  // Returns the solutions of one request to the server and of the descent from the seed, nearest
  // first; those of the local solver if the server is not available.
  std::vector<generative_ik::Vector> all();

  // Returns the first of all(), or the seed if it is a solution.
  std::optional<generative_ik::Vector> nearest();

  // The accepted candidate.
  [[nodiscard]] const generative_ik::Vector& accepted() const { return accepted_; }

  // The configuration inside the limits that is closest to the target; empty if there is none.
  [[nodiscard]] const generative_ik::Vector& closest() const { return closest_; }

 private:
  bool testCandidates(const Accept& accept, const Cost& cost);
  bool tryFromSeed();
  void findReserve();
  Outcome askUntilAccepted(const Accept& accept, const Cost& cost);
  std::optional<ServerAnswer> ask(int round);
  void updateClosest(const generative_ik::Vector& q);

  const generative_ik::Query& query_;
  Server* server_;
  SearchSettings settings_;
  const generative_ik::Deadline& deadline_;
  generative_ik::CandidateList candidates_;
  generative_ik::FallbackSearch local_;
  generative_ik::Vector accepted_;
  generative_ik::Vector closest_;
};

}  // namespace generative_ik_ros
