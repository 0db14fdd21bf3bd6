// Poses as Python's IKSolver solves them: the same status, and the same solutions in the same
// order. A file written by the Python test that runs this program (test/cpp) has, for each chain:
//   a chain, queries N, then N times: wanted around seed(V) limited limits(V) tip_in_base(3x4)
//   status count solutions(count x V)
// Solutions that several full turns of a joint make of one are not compared: their count is 0.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <generative_ik/solver.hpp>

#include "reference_files.hpp"

namespace generative_ik::test {
namespace {

// How many statuses differ, and how many results do, of how many.
struct Differences {
  int queries = 0;
  int statuses = 0;
  int results = 0;
};

SolveStatus namedStatus(double number) {
  // The values of Python's SolveStatus.
  constexpr SolveStatus kAll[] = {// NOLINT(*-avoid-c-arrays)
                                  SolveStatus::kSolved, SolveStatus::kPartial,
                                  SolveStatus::kNoSolution, SolveStatus::kTimedOut};
  return kAll[static_cast<std::size_t>(number) - 1];
}

bool areSame(const std::vector<Solution>& found, const Eigen::MatrixXd& expected) {
  constexpr double kSame = 1e-6;
  if (static_cast<Eigen::Index>(found.size()) != expected.rows()) {
    return false;
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Vector other = expected.row(static_cast<Eigen::Index>(k)).transpose();
    if ((found[k].q - other).cwiseAbs().maxCoeff() > kSame) {
      return false;
    }
  }
  return true;
}

void compare(std::istream& in, Differences& differences) {
  const Chain chain = readChain(in);
  const IKSolver solver(chain);
  expectWord(in, "queries");
  const int count = static_cast<int>(number(in));
  for (int i = 0; i < count; ++i) {
    IKRequest request;
    request.num_solutions = static_cast<std::size_t>(number(in));
    const bool around = number(in) != 0.0;
    const Vector seed = matrix(in, chain.size(), 1);
    const bool limited = number(in) != 0.0;
    const Vector limits = matrix(in, chain.size(), 1);
    if (around) {
      request.seed_state = seed;
    }
    if (limited) {
      request.consistency_limits.assign(limits.begin(), limits.end());
    }
    request.target_in_base = pose(in);
    const SolveStatus expected = namedStatus(number(in));
    const Eigen::MatrixXd solutions =
        matrix(in, static_cast<Eigen::Index>(number(in)), chain.size());
    const IKSolutions found = solver.solve(request);
    ++differences.queries;
    differences.statuses += found.status != expected ? 1 : 0;
    if (solutions.rows() > 0 || expected == SolveStatus::kNoSolution) {
      differences.results += areSame(found.solutions, solutions) ? 0 : 1;
    }
  }
}

TEST(SameSearch, PosesAreSolvedAsPythonSolvesThem) {
  const std::string directory = environment("GENERATIVE_IK_SEARCHES_DIR");
  if (directory.empty()) {
    GTEST_SKIP() << "no reference files: GENERATIVE_IK_SEARCHES_DIR is not set";
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path());
    Differences differences;
    compare(in, differences);
    EXPECT_GT(differences.queries, 0);
    EXPECT_EQ(differences.statuses, 0);
    // Rounding decides now and then which of two solutions beside each other is kept: one in
    // several thousand results differs.
    EXPECT_LE(100 * differences.results, differences.queries);
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace generative_ik::test
