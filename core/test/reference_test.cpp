// Comparison with forward kinematics and Jacobians of another library, in files written by the
// Python test that runs this program (test/cpp): words and numbers, separated by white space:
//   chain V J, then V times: name lower upper continuous revolute
//   then J times: revolute|prismatic variable multiplier offset axis(3) joint_in_parent(3x4 rows)
//   tip_in_last_joint(3x4 rows), configurations N, then N times: q(V) tip_in_base(3x4)
//   jacobian(6xV)

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <generative_ik/local_search.hpp>
#include <stdexcept>

#include "robots.hpp"

namespace generative_ik::test {
namespace {

std::filesystem::path referenceDirectory() {
  // The environment is never modified.
  const char* directory =
      std::getenv("GENERATIVE_IK_REFERENCE_DIR");  // NOLINT(concurrency-mt-unsafe)
  return directory == nullptr ? "" : directory;
}

double number(std::istream& in) {
  std::string word;
  in >> word;
  return std::stod(word);  // unlike >>, accepts inf
}

void expectWord(std::istream& in, const std::string& expected) {
  std::string word;
  in >> word;
  if (word != expected) {
    throw std::runtime_error("expected '" + expected + "', found '" + word + "'");
  }
}

Eigen::MatrixXd matrix(std::istream& in, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd values(rows, columns);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    values(i / columns, i % columns) = number(in);
  }
  return values;
}

Eigen::Isometry3d pose(std::istream& in) {
  Eigen::Isometry3d value = Eigen::Isometry3d::Identity();
  value.matrix().topRows<3>() = matrix(in, 3, 4);
  return value;
}

Chain readChain(std::istream& in) {
  expectWord(in, "chain");
  std::vector<Variable> variables(static_cast<std::size_t>(number(in)));
  std::vector<Joint> joints(static_cast<std::size_t>(number(in)));
  for (Variable& variable : variables) {
    in >> variable.name;
    variable.lower = number(in);
    variable.upper = number(in);
    variable.continuous = number(in) != 0.0;
    variable.revolute = number(in) != 0.0;
  }
  for (Joint& joint : joints) {
    std::string type;
    in >> type;
    joint.type = type == "revolute" ? Joint::Type::kRevolute : Joint::Type::kPrismatic;
    joint.variable = static_cast<int>(number(in));
    joint.multiplier = number(in);
    joint.offset = number(in);
    joint.axis = matrix(in, 3, 1);
    joint.joint_in_parent = pose(in);
  }
  const Eigen::Isometry3d tip_in_last_joint = pose(in);
  return {std::move(variables), std::move(joints), tip_in_last_joint};
}

Vector middleOf(const Chain& chain) {
  Vector middle(chain.size());
  for (Eigen::Index i = 0; i < middle.size(); ++i) {
    const Variable& variable = chain.variables()[static_cast<std::size_t>(i)];
    middle[i] = variable.continuous ? 0.0 : 0.5 * (variable.lower + variable.upper);
  }
  return middle;
}

TEST(Reference, KinematicsAgreeWithAnotherLibraryWhosePosesAreSolved) {
  if (referenceDirectory().empty()) {
    GTEST_SKIP() << "no reference files: GENERATIVE_IK_REFERENCE_DIR is not set";
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(referenceDirectory())) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path());
    const Chain chain = readChain(in);
    expectWord(in, "configurations");
    const int count = static_cast<int>(number(in));
    ASSERT_GT(count, 0);
    const Vector middle = middleOf(chain);
    for (int i = 0; i < count; ++i) {
      const Vector q = matrix(in, chain.size(), 1);
      const Eigen::Isometry3d expected = pose(in);
      const Eigen::MatrixXd expected_jacobian = matrix(in, 6, chain.size());
      Jacobian jacobian;
      const Eigen::Isometry3d tip = chain.tipInBase(q, jacobian);
      EXPECT_LT((tip.matrix() - expected.matrix()).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT((jacobian - expected_jacobian).cwiseAbs().maxCoeff(), 1e-12);
      // The search knows the pose only, from the other library.
      const SearchBox box(chain.variables(), middle);
      const Query query{chain, expected, box, {}, {}};
      LocalSearch search(query, 1);
      EXPECT_EQ(search.run(1, Deadline(5.0)), LocalSearch::Ending::kEnough);
    }
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace generative_ik::test
