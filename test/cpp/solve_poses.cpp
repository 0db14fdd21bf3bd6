// Solves poses that it reads, for a test that compares it with the Python package:
//
//   solve_poses URDF BASE_LINK none|position WANTED TIP_LINK...
//
// It reads the poses of the tips, 4x4 numbers each, and prints for each target how the search
// ended, as Python's SolveStatus, how many solutions it has, and the first one's angle [rad].
#include <fstream>
#include <generative_ik/solver.hpp>
#include <generative_ik/urdf.hpp>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  std::ifstream file(argv[1]);
  const std::string urdf{std::istreambuf_iterator<char>(file), {}};
  std::vector<generative_ik::Chain> chains;
  for (int i = 5; i < argc; ++i) {
    chains.push_back(generative_ik::readUrdf(urdf, argv[2], argv[i]).chain);
  }
  generative_ik::SolverOptions options;
  if (std::string(argv[3]) == "position") {
    options.prefer = generative_ik::Preference::kPosition;
  }
  const generative_ik::IKSolver solver(chains, options);
  generative_ik::IKRequest request;
  request.num_solutions = std::stoul(argv[4]);
  request.targets_in_base.resize(chains.size());
  while (true) {
    for (Eigen::Isometry3d& target : request.targets_in_base) {
      for (int i = 0; i < 16; ++i) {
        std::cin >> target.matrix()(i / 4, i % 4);
      }
    }
    if (!std::cin) {
      return 0;
    }
    const generative_ik::IKSolutions found = solver.solve(request);
    std::cout << static_cast<int>(found.status) + 1 << ' ' << found.solutions.size() << ' '
              << (found.solutions.empty() ? 0.0 : found.solutions.front().orientation_error)
              << '\n';
  }
}
