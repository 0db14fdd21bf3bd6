// A thousand poses in one call, by all cores.
#include <chrono>
#include <cstdio>
#include <generative_ik/solver.hpp>
#include <random>
#include <vector>

#include "arm.hpp"

int main() {
  const generative_ik::IKSolver solver(arm());
  std::mt19937 random(0);
  std::uniform_real_distribution<> angle(-2.0, 2.0);
  std::vector<generative_ik::IKRequest> requests(1000);
  for (generative_ik::IKRequest& request : requests) {
    generative_ik::Vector q(7);
    for (double& position : q) {
      position = angle(random);
    }
    request.target_in_base = solver.chain().tipInBase(q);
  }
  const auto began = std::chrono::steady_clock::now();
  const std::vector<generative_ik::IKSolutions> found = solver.solve(requests);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  int solved = 0;
  for (const generative_ik::IKSolutions& solutions : found) {
    solved += solutions.status == generative_ik::SolveStatus::kSolved ? 1 : 0;
  }
  std::printf("%d of %zu poses solved in %.1f ms\n", solved, found.size(), 1e3 * took.count());
  return solved == 1000 ? 0 : 1;
}
