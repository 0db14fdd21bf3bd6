// The configuration nearest to where the arm is, again and again, as in a control loop.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <generative_ik/solver.hpp>
#include <vector>

#include "arm.hpp"

int main() {
  const generative_ik::IKSolver solver(arm());
  generative_ik::Vector q(7);
  q << 0.0, 0.6, 0.0, 1.4, 0.0, 0.9, 0.0;
  const Eigen::Isometry3d start = solver.chain().tipInBase(q);
  std::vector<double> times;
  double largest_step = 0.0;
  for (int k = 0; k < 1000; ++k) {
    generative_ik::IKRequest request;
    request.target_in_base =
        Eigen::Translation3d(0.0, 0.1 * std::sin(0.005 * k), 0.0) * start;  // to and fro
    request.seed_state = q;
    const auto began = std::chrono::steady_clock::now();
    const generative_ik::IKSolutions found = solver.solve(request);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (found.solutions.empty()) {
      std::printf("out of reach at step %d\n", k);
      return 1;
    }
    times.push_back(took.count());
    const generative_ik::Vector& next = found.solutions.front().q;
    largest_step = std::max(largest_step, (next - q).cwiseAbs().maxCoeff());
    q = next;
  }
  std::sort(times.begin(), times.end());
  std::printf("median call %.1f us; largest step of a joint %.4f rad\n",
              1e6 * times[times.size() / 2], largest_step);
  return largest_step < 0.01 ? 0 : 1;
}
