// Poses as Python's IKSolver solves them: the same status, and the same solutions in the same
// order. A file written by the Python test that runs this program (test/cpp) has, for each chain:
//   a chain, queries N, then N times: wanted around seed(V) limited limits(V) tip_in_base(3x4)
//   status count solutions(count x V)
// Solutions that several full turns of a joint make of one are not compared: their count is 0.
// Another file has, within regions:
//   a chain, queries N, then N times: lower(6) upper(6) cone_axis half_angle wanted around seed(V)
//   random_seed tip_in_base(3x4) status count solutions(count x V)
// where an axis below 0 is none.

#include <gtest/gtest.h>

#include <algorithm>
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

// Solves a request and reads what Python has found for it.
void compareOne(std::istream& in, const IKSolver& solver, const IKRequest& request,
                Differences& differences) {
  const SolveStatus expected = namedStatus(number(in));
  const Eigen::MatrixXd solutions =
      matrix(in, static_cast<Eigen::Index>(number(in)), solver.chain().size());
  const IKSolutions found = solver.solve(request);
  ++differences.queries;
  differences.statuses += found.status != expected ? 1 : 0;
  if (solutions.rows() > 0 || expected == SolveStatus::kNoSolution) {
    differences.results += areSame(found.solutions, solutions) ? 0 : 1;
  }
}

// Reads whether a request has a seed state, and that.
void readSeedState(std::istream& in, const Chain& chain, IKRequest& request) {
  const bool around = number(in) != 0.0;
  const Vector seed = matrix(in, chain.size(), 1);
  if (around) {
    request.seed_state = seed;
  }
}

IKRequest readRequest(std::istream& in, const Chain& chain) {
  IKRequest request;
  request.num_solutions = static_cast<std::size_t>(number(in));
  readSeedState(in, chain, request);
  const bool limited = number(in) != 0.0;
  const Vector limits = matrix(in, chain.size(), 1);
  if (limited) {
    request.consistency_limits.assign(limits.begin(), limits.end());
  }
  return request;
}

TaskSpaceRegion readRegion(std::istream& in) {
  const TaskSpaceRegion::Bounds lower = matrix(in, 6, 1);
  const TaskSpaceRegion::Bounds upper = matrix(in, 6, 1);
  const int axis = static_cast<int>(number(in));
  const double half_angle = number(in);
  if (axis < 0) {
    return {lower, upper};
  }
  return {lower, upper,
          TaskSpaceRegion::Cone{static_cast<TaskSpaceRegion::Axis>(axis), half_angle}};
}

IKRequest readRequestWithinRegion(std::istream& in, const Chain& chain) {
  IKRequest request;
  request.regions = {readRegion(in)};
  request.num_solutions = static_cast<std::size_t>(number(in));
  readSeedState(in, chain, request);
  request.random_seed = static_cast<std::uint64_t>(number(in));
  return request;
}

// Reads a chain and queries, each a request that `read_request` reads all of but its target.
template <class ReadRequest>
void compare(std::istream& in, const ReadRequest& read_request, Differences& differences) {
  const Chain chain = readChain(in);
  const IKSolver solver(chain);
  expectWord(in, "queries");
  const int count = static_cast<int>(number(in));
  for (int i = 0; i < count; ++i) {
    IKRequest request = read_request(in, chain);
    request.target_in_base = pose(in);
    compareOne(in, solver, request, differences);
  }
}

template <class ReadRequest>
void compareFiles(const char* variable, const ReadRequest& read_request) {
  const std::string directory = environment(variable);
  if (directory.empty()) {
    GTEST_SKIP() << "no reference files: " << variable << " is not set";
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path());
    Differences differences;
    compare(in, read_request, differences);
    EXPECT_GT(differences.queries, 0);
    EXPECT_EQ(differences.statuses, 0);
    // Rounding decides now and then which of two solutions beside each other is kept: one in
    // several thousand results differs, more where the lanes are not those of the package.
    EXPECT_LE(differences.results, std::max(1, differences.queries / 100));
    ++files;
  }
  EXPECT_GT(files, 0);
}

TEST(SameSearch, PosesAreSolvedAsPythonSolvesThem) {
  compareFiles("GENERATIVE_IK_SEARCHES_DIR", readRequest);
}

TEST(SameSearch, RegionsAreSolvedAsPythonSolvesThem) {
  compareFiles("GENERATIVE_IK_REGIONS_DIR", readRequestWithinRegion);
}

}  // namespace
}  // namespace generative_ik::test
