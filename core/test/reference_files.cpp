#include "reference_files.hpp"

#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

namespace generative_ik::test {

std::string environment(const char* name) {
  // The environment is never modified.
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
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

}  // namespace generative_ik::test
