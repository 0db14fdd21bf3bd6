#include "device_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "robots.hpp"

namespace generative_ik::test {
namespace {

constexpr double kApart = 0.05;

}  // namespace

DeviceProblem::DeviceProblem(const Chain& chain, int num_targets)
    : chain_(chain), packed_(packed(chain, Tolerance{1e-5, 1e-5})) {
  const auto n = static_cast<std::size_t>(chain.size());
  std::vector<double> rows[5];  // NOLINT(*-avoid-c-arrays)
  for (const Variable& variable : chain.variables()) {
    const double lower = variable.continuous ? -M_PI : variable.lower;
    const double upper = variable.continuous ? M_PI : variable.upper;
    const double infinity = std::numeric_limits<double>::infinity();
    rows[0].push_back(lower);
    rows[1].push_back(upper);
    rows[2].push_back(variable.continuous ? -infinity : lower);
    rows[3].push_back(variable.continuous ? infinity : upper);
    rows[4].push_back(0.5 * (lower + upper));
    const bool round =
        variable.revolute && variable.periodic && upper - lower >= 2.0 * M_PI - 1e-9;
    circular_.push_back(round ? 1 : 0);
  }
  for (const std::vector<double>& row : rows) {
    box_.insert(box_.end(), row.begin(), row.end());
  }
  box_.resize(7 * n);
  std::mt19937 random(5);
  for (int t = 0; t < num_targets; ++t) {
    const Vector q = randomPosition(chain, random);
    configurations_.insert(configurations_.end(), q.begin(), q.end());
    appendPose(chain.tipInBase(q), poses_);
  }
}

device::ProblemNumbers DeviceProblem::numbers() const {
  device::ProblemNumbers numbers =
      device::problemNumbers(packed_.view(), box_.data(), kApart, circular_.data());
  numbers.world = world_;
  if (form_) {
    numbers.form = &form_->family;
    numbers.parameters = form_->parameters.data();
    numbers.num_parameters = form_->parameters.size();
  }
  return numbers;
}

Found solveOn(device::DeviceSearch& search, const DeviceProblem& problem, std::int64_t wanted,
              std::uint64_t random_seed, const parallel::StopWhen& stop) {
  const std::size_t targets = problem.poses().size() / 16;
  const std::size_t rows = targets * static_cast<std::size_t>(wanted);
  const device::ProblemNumbers numbers = problem.numbers();
  Found found;
  found.positions.resize(rows * static_cast<std::size_t>(numbers.chain.num_variables));
  found.errors.resize(2 * rows);
  found.counts.resize(targets);
  found.work =
      search.solve(numbers,
                   {problem.poses().data(), static_cast<std::int64_t>(targets), wanted,
                    random_seed, found.positions.data(), found.errors.data(), found.counts.data()},
                   stop);
  return found;
}

}  // namespace generative_ik::test
