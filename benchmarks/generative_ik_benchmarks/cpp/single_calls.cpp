// Solves the poses that it reads, a call each, and says how long each call took:
//
//   single_calls CHAIN_FILE
//
// The file has a chain as cpp_program.py writes it. A request on the standard input is a line
// "solutions seeded goals", and a line for each goal: its pose, 3x4 numbers, and if seeded the
// seed state. The last goal is solved once before all, which does not count. For each goal a line
// answers: its time [s], the number of solutions, and their configurations.
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <generative_ik/solver.hpp>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

// A number, which may be infinite.
double number(std::istream& words) {
  std::string word;
  words >> word;
  return std::strtod(word.c_str(), nullptr);
}

Eigen::Isometry3d pose(std::istream& words) {
  Eigen::Isometry3d read = Eigen::Isometry3d::Identity();
  for (int i = 0; i < 12; ++i) {
    read.matrix()(i / 4, i % 4) = number(words);
  }
  return read;
}

generative_ik::Chain chain(std::istream& words) {
  std::size_t variables = 0, joints = 0;
  words >> variables >> joints;
  std::vector<generative_ik::Variable> of_all(variables);
  for (generative_ik::Variable& variable : of_all) {
    words >> variable.continuous >> variable.revolute;
    variable.lower = number(words);
    variable.upper = number(words);
  }
  std::vector<generative_ik::Joint> path(joints);
  for (generative_ik::Joint& joint : path) {
    bool prismatic = false;
    words >> prismatic >> joint.variable >> joint.multiplier >> joint.offset;
    joint.type =
        prismatic ? generative_ik::Joint::Type::kPrismatic : generative_ik::Joint::Type::kRevolute;
    for (double& entry : joint.axis) {
      entry = number(words);
    }
    joint.joint_in_parent = pose(words);
  }
  return {of_all, path, pose(words)};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: single_calls CHAIN_FILE\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  const generative_ik::IKSolver solver(chain(file));
  std::cout.precision(std::numeric_limits<double>::max_digits10);
  std::size_t solutions = 0, goals = 0;
  bool seeded = false;
  while (std::cin >> solutions >> seeded >> goals) {
    std::vector<generative_ik::IKRequest> requests(goals);
    for (generative_ik::IKRequest& request : requests) {
      request.num_solutions = solutions;
      request.target_in_base = pose(std::cin);
      if (seeded) {
        request.seed_state.emplace(solver.chain().size());
        for (double& entry : *request.seed_state) {
          entry = number(std::cin);
        }
      }
    }
    static_cast<void>(solver.solve(requests.back()));
    for (const generative_ik::IKRequest& request : requests) {
      const Clock::time_point began = Clock::now();
      const generative_ik::IKSolutions found = solver.solve(request);
      const std::chrono::duration<double> took = Clock::now() - began;
      std::cout << took.count() << ' ' << found.solutions.size();
      for (const generative_ik::Solution& solution : found.solutions) {
        std::cout << ' ' << solution.q.transpose();
      }
      std::cout << '\n';
    }
    std::cout.flush();
  }
}
