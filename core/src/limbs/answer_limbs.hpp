/// What limbs that share no joint answer together: combinations of their solutions, verified as
/// those of the tree, and free of collisions.
#pragma once

#include <cstdint>
#include <vector>

#include "../parallel/for_each.hpp"
#include "../search/collisions.hpp"
#include "limb_rows.hpp"

namespace generative_ik::limbs {

/// What a call asks.
struct LimbsQuestion {
  const LimbsProblem& problem;
  const double* weights;  ///< (n) what a rad or m counts in the distance from the reference.
  bool nearest;         ///< Whether the nearest to the reference come first, or the most diverse.
  std::int64_t wanted;  ///< Solutions of each target.
  CollisionCheck check{};  ///< Each answerer has its own; null: nothing is checked.
  /// Whether a search begins with what is known, all or not, and lists full turns itself.
  bool begins = false;
  std::uint64_t random_seed = 0;  ///< Of what is sampled: one solution of seven joints.

  /// Whether one solution is wanted, whichever.
  [[nodiscard]] bool anyOne() const { return wanted == 1 && !nearest; }
};

/// Answers for one target at a time, in memory that is used again.
class LimbsAnswerer {
 public:
  explicit LimbsAnswerer(const LimbsQuestion& question);

  /// Writes the solutions of the poses (G, 4, 4) of all tips, or leaves them to the search.
  void answer(const double* poses, const answers::Answer& out);

 private:
  // What is known of the limbs' solutions.
  enum class Limbs {
    kKnown,
    kUnreachable,  // one has none
    kOpen,         // a search may know of others
  };
  struct Checked {
    bool every;    // whether all were looked at
    bool decided;  // whether spheres told of all that were whether they are free
  };

  // Which solutions of the limbs are asked for at first.
  [[nodiscard]] RowsWanted firstWanted() const;
  // Whether limbs may have more solutions on curves than were asked for.
  [[nodiscard]] bool haveMore(const RowsWanted& wanted) const;
  // Asks for more of these, if that is worth a try.
  bool asksForMore(RowsWanted& wanted) const;
  // Finds the limbs' solutions; how many of them on curves, if that is not said.
  Limbs findAll(const double* poses, RowsWanted& wanted, answers::Note& note);
  // How many of those of each limb are wanted, as soon as all branches are known.
  [[nodiscard]] std::int64_t wantedOnCurves() const;
  // Writes all combinations: first those of the limbs' first solutions.
  void combine();
  void append(std::size_t limb, std::int64_t ranks);
  void sortByDistance();
  // Keeps what is free of collisions, as many as are needed.
  Checked keepFree();
  void putInOrder(const double* poses, bool proved, const answers::Answer& out);
  // Moves rows within the tolerances to the front; returns how many.
  std::int64_t keepVerified(const double* poses, std::int64_t count,
                            const answers::SolutionRows& rows);

  LimbsQuestion question_;
  answers::OrderBounds bounds_;
  std::vector<LimbRows> limbs_;
  std::vector<std::int64_t> used_;   // how many solutions of each limb are combined
  std::vector<double> rows_;         // (count, n) combinations
  std::vector<double> combination_;  // (n) the next one
  std::int64_t count_ = 0;
  bool whole_ = true;  // whether all combinations are looked at
  std::vector<answers::PoseGap> gaps_;
  std::vector<verify::Frame<double>> slots_;
  std::vector<float> order_memory_;
};

/// Answers for targets `first` to before `last` that are undone; with `seeds`, each about its seed
/// state: a row of (T, n), in the place of the reference that turns are counted from.
void answerSome(const LimbsQuestion& question, const double* seeds,
                const answers::Targets& targets, std::int64_t first, std::int64_t last);

/// The same for all `count` targets, by the library's own threads, until there is no more time.
void answerAll(const LimbsQuestion& question, const double* seeds, const answers::Targets& targets,
               std::int64_t count, const parallel::StopWhen& stop);

}  // namespace generative_ik::limbs
