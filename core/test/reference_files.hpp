// Files with numbers of other programs, written by the Python test that runs this program: words
// and numbers, separated by white space.
#pragma once

#include <generative_ik/chain.hpp>
#include <istream>
#include <string>

namespace generative_ik::test {

// The value of an environment variable, empty if there is none.
std::string environment(const char* name);

// A number; unlike >>, it accepts inf.
double number(std::istream& in);

// Throws std::runtime_error if another word comes next.
void expectWord(std::istream& in, const std::string& expected);

// Numbers row by row.
Eigen::MatrixXd matrix(std::istream& in, Eigen::Index rows, Eigen::Index columns);

// The upper three rows of a pose.
Eigen::Isometry3d pose(std::istream& in);

// chain V J, then V times: name lower upper continuous revolute, then J times: revolute|prismatic
// variable multiplier offset axis(3) joint_in_parent(3x4 rows), then tip_in_last_joint(3x4 rows).
Chain readChain(std::istream& in);

}  // namespace generative_ik::test
