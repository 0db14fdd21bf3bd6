/// The branches of a pose that lie within the bounds of a search, verified.
#pragma once

#include "branch_problem.hpp"
#include "verified_rows.hpp"

namespace generative_ik::answers {

/// What is known of solutions of a pose beside those found.
enum class Others {
  kNone,  ///< There are none.
  kFew,   ///< At most such as lie nearer to one of them than solutions are told apart, or between.
  kOpen,  ///< Nothing.
};

/// What was found.
struct Found {
  int count;   ///< Rows that are written.
  int beside;  ///< How many of these, the last ones, are no branches, but solutions beside them.
  Others others;
  int branches;   ///< How many branches there were.
  bool measured;  ///< Whether errors are measured.
};

/// Writes what is within the bounds of all branches of a pose to the first rows.
///
/// `slack` says by how much a full turn may bring a joint outside its limits where the caller
/// looks at it [rad]. With `any_one`, one of several will do: then neither are errors measured,
/// nor is there a look for singular branches.
Found findBranches(const BranchProblem& problem, double slack, const double* tip_pose,
                   bool any_one, BranchRows& rows);

/// Keeps the first of rows that are the same solution: no joint is further apart than the
/// distance, on the circle where there is room for a full turn. Returns how many.
int dropDuplicates(const BranchProblem& problem, int count, BranchRows& rows);

/// Makes the first rows exact.
void makeExact(const BranchProblem& problem, const double* tip_pose, int count, BranchRows& rows,
               RowMemory& memory);

/// What a search begins with: the branches of a pose within the bounds.
struct Gathered {
  int count;
  bool complete;  ///< Whether these are all solutions.
};

/// Writes these to the first rows, made exact.
Gathered gatherBranches(const BranchProblem& problem, const double* tip_pose, BranchRows& rows,
                        RowMemory& memory);

/// The largest error of the first rows [m and rad].
double largestError(const BranchRows& rows, int count);

}  // namespace generative_ik::answers
