// Comparison with forward kinematics and Jacobians of another library, in files written by the
// Python test that runs this program (test/cpp): words and numbers, separated by white space:
//   a chain, configurations N, then N times: q(V) tip_in_base(3x4) jacobian(6xV)

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <generative_ik/solver.hpp>

#include "reference_files.hpp"

namespace generative_ik::test {
namespace {

TEST(Reference, KinematicsAgreeWithAnotherLibraryWhosePosesAreSolved) {
  const std::string directory = environment("GENERATIVE_IK_REFERENCE_DIR");
  if (directory.empty()) {
    GTEST_SKIP() << "no reference files: GENERATIVE_IK_REFERENCE_DIR is not set";
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path());
    const Chain chain = readChain(in);
    expectWord(in, "configurations");
    const int count = static_cast<int>(number(in));
    ASSERT_GT(count, 0);
    const IKSolver solver(chain);
    for (int i = 0; i < count; ++i) {
      const Vector q = matrix(in, chain.size(), 1);
      const Eigen::Isometry3d expected = pose(in);
      const Eigen::MatrixXd expected_jacobian = matrix(in, 6, chain.size());
      Jacobian jacobian;
      const Eigen::Isometry3d tip = chain.tipInBase(q, jacobian);
      EXPECT_LT((tip.matrix() - expected.matrix()).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT((jacobian - expected_jacobian).cwiseAbs().maxCoeff(), 1e-12);
      // The search knows the pose only, from the other library.
      IKRequest request;
      request.target_in_base = expected;
      EXPECT_EQ(solver.solve(request).status, SolveStatus::kSolved);
    }
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace generative_ik::test
