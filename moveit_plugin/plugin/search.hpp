// A query and a caller's wishes in; the first candidate that the caller accepts, or all, out.
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

// One query, on the caller's stack: queries share nothing but the server's client.
class Search {
 public:
  enum class Outcome { kAccepted, kNoSolution, kTimedOut };

  using Accept = std::function<bool(const generative_ik::Vector&)>;
  using Cost = std::function<double(const generative_ik::Vector&)>;

  // Args: server: null: solve locally only. Keeps all but the settings by reference.
  Search(const generative_ik::Query& query, Server* server, const SearchSettings& settings,
         const generative_ik::Deadline& deadline)
      : query_(query),
        server_(server),
        settings_(settings),
        deadline_(deadline),
        candidates_(query),
        local_(query) {}

  // Offer candidates one at a time, on this thread, until accept returns true, there are no more
  // or time is up. Nearest to the seed first, or cheapest first in each batch where there is a
  // cost.
  Outcome firstAccepted(const Accept& accept, const Cost& cost = nullptr);

  // What one request to the server and the descent from the seed find, nearest first; from the
  // local solver alone where the server is away.
  std::vector<generative_ik::Vector> all();

  // As the first of all(), but at once where the seed itself is a solution.
  std::optional<generative_ik::Vector> nearest();

  // What was accepted last.
  [[nodiscard]] const generative_ik::Vector& accepted() const { return accepted_; }

  // Configuration inside the limits that came closest to the target; empty: none was tried.
  [[nodiscard]] const generative_ik::Vector& closest() const { return closest_; }

 private:
  bool offer(const Accept& accept, const Cost& cost);
  bool tryFromSeed();
  void findSpare();
  Outcome askUntilAccepted(const Accept& accept, const Cost& cost);
  std::optional<ServerAnswer> ask(int round);
  void approach(const generative_ik::Vector& q);

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
