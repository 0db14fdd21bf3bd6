#include "problem_upload.hpp"

#include <algorithm>
#include <cmath>

#include "../search/chain_problem.hpp"

namespace generative_ik::device {
namespace {

// What single precision reaches: errors of an angle [rad], and of a place, for each metre of the
// arm. It rounds to 6e-8, in each of some twenty steps.
constexpr double kSingleAngle = 2e-5;
constexpr double kSinglePlace = 1e-5;
// Most iterations of a seed: all threads of a warp wait for the last.
constexpr std::int64_t kMostIterations = 100;

double lengthOf(const double* pose) {
  return std::sqrt(pose[0] * pose[0] + pose[1] * pose[1] + pose[2] * pose[2]);
}

// How far the tip is from the base at the most, without prismatic joints.
double reachOf(const LaneChain& chain) {
  double reach = lengthOf(chain.tip);
  for (std::int64_t j = 0; j < chain.num_joints; ++j) {
    reach += lengthOf(chain.origins + kPoseNumbers * j);
  }
  return reach;
}

StepOptions<float> inSinglePrecision(const LaneOptions& options, double reach) {
  const auto single = [](double number) { return static_cast<float>(number); };
  return {single(options.position_weight),
          single(options.orientation_weight),
          single(std::max(options.position_tolerance, kSinglePlace * reach)),
          single(std::max(options.orientation_tolerance, kSingleAngle)),
          options.max_iterations,
          single(options.damping),
          single(options.max_step),
          options.stall_window,
          single(options.stall_ratio)};
}

template <class Scalar>
StepChain<Scalar> chainIn(const LaneChain& chain, Arrays& arrays, const std::byte* base) {
  const std::int64_t m = chain.num_joints;
  const std::int64_t n = chain.num_variables;
  return {m,
          n,
          arrays.append<Scalar>(chain.origins, kPoseNumbers * m, base),
          arrays.append<std::int64_t>(chain.prismatic, m, base),
          arrays.append<std::int64_t>(chain.variable, m, base),
          arrays.append<Scalar>(chain.multiplier, m, base),
          arrays.append<Scalar>(chain.offset, m, base),
          arrays.append<Scalar>(chain.tip, kPoseNumbers, base),
          arrays.append<Scalar>(chain.scale, n, base)};
}

}  // namespace

ProblemNumbers problemNumbers(const Packed& packed, const double* box, double distance,
                              const std::int64_t* circular) {
  const LaneChain chain = unpackChain(packed.floats, packed.ints);
  const auto rows = static_cast<std::size_t>(countRows(chain.num_joints, chain.num_variables));
  std::vector<LaneRow> unused(rows);
  const search::ChainProblem problem(packed, nullptr, unused.data());
  const std::int64_t n = chain.num_variables;
  LaneOptions options = problem.options();
  options.max_iterations = std::min(options.max_iterations, kMostIterations);
  return {chain,
          options,
          problem.verifier(),
          problem.positionTolerance(),
          problem.orientationTolerance(),
          distance,
          box,
          box + n,
          box + 2 * n,
          box + 3 * n,
          box + 4 * n,
          circular};
}

bool takes(const LaneChain& chain) {
  return chain.num_joints <= cuda::kMostJoints && chain.num_variables <= cuda::kMostJoints &&
         chain.num_variables > 0;
}

bool takes(const collision::World& world) {
  return world.view.num_frames <= cuda::kMostFrames && world.view.num_bodies <= cuda::kMostBodies;
}

bool isPlain(const LaneChain& chain) {
  if (chain.num_joints != chain.num_variables) {
    return false;
  }
  for (std::int64_t j = 0; j < chain.num_joints; ++j) {
    if (chain.variable[j] != j) {
      return false;
    }
  }
  return true;
}

verify::RodriguesChain appended(const verify::RodriguesChain& chain, Arrays& arrays,
                                const std::byte* base) {
  const std::int64_t m = chain.num_joints;
  return {m,
          arrays.append<double>(chain.rotations, 9 * m, base),
          arrays.append<double>(chain.sine_part, 9 * m, base),
          arrays.append<double>(chain.versine_part, 9 * m, base),
          arrays.append<double>(chain.shifts, 3 * m, base),
          arrays.append<double>(chain.axes, 3 * m, base),
          arrays.append<std::int64_t>(chain.prismatic, m, base),
          arrays.append<std::int64_t>(chain.variable, m, base),
          arrays.append<double>(chain.multiplier, m, base),
          arrays.append<double>(chain.offset, m, base),
          arrays.append<double>(chain.tip, 16, base)};
}

collision::WorldView appended(const collision::World& world, Arrays& arrays,
                              const std::byte* base) {
  const auto all = [&arrays, base]<class Number>(const std::vector<Number>& numbers) {
    return arrays.append<Number>(numbers.data(), static_cast<std::int64_t>(numbers.size()), base);
  };
  const double* trees = all(world.trees);
  const double* extremes = all(world.extremes);
  // Where something lies that lay in the process's memory before.
  const auto moved = [](const double* at, const std::vector<double>& from, const double* to) {
    return to == nullptr || at == nullptr ? nullptr : to + (at - from.data());
  };
  std::vector<collision::Body> bodies = world.bodies;
  for (collision::Body& body : bodies) {
    body.cover.rows = moved(body.cover.rows, world.trees, trees);
    body.inner.rows = moved(body.inner.rows, world.trees, trees);
    body.extremes = moved(body.extremes, world.extremes, extremes);
  }
  collision::WorldView view = world.view;
  view.frames = all(world.frames);
  view.bodies = all(bodies);
  view.pairs = all(world.pairs);
  view.primitives = all(world.primitives);
  view.kinds = all(world.kinds);
  view.corners = all(world.corners);
  view.group_rows = all(world.group_rows);
  if (view.allowed != nullptr) {
    view.allowed =
        arrays.append<bool>(world.allowed.get(), view.num_moving * view.num_lanes, base);
  }
  return view;
}

cuda::SearchProblem appended(const ProblemNumbers& problem, Arrays& arrays,
                             const std::byte* base) {
  const std::int64_t n = problem.chain.num_variables;
  return {
      chainIn<float>(problem.chain, arrays, base),
      chainIn<double>(problem.chain, arrays, base),
      appended(problem.read, arrays, base),
      inSinglePrecision(problem.options, reachOf(problem.chain)),
      problem.options,
      problem.position_tolerance,
      problem.orientation_tolerance,
      problem.distance,
      arrays.append<double>(problem.lower, n, base),
      arrays.append<double>(problem.upper, n, base),
      arrays.append<double>(problem.step_lower, n, base),
      arrays.append<double>(problem.step_upper, n, base),
      arrays.append<float>(problem.step_lower, n, base),
      arrays.append<float>(problem.step_upper, n, base),
      arrays.append<double>(problem.reference, n, base),
      arrays.append<std::int64_t>(problem.circular, n, base),
      arrays.append<double>(problem.parameters, static_cast<std::int64_t>(problem.num_parameters),
                            base),
      problem.world == nullptr ? collision::WorldView{} : appended(*problem.world, arrays, base),
      CollisionWorld::kSure};
}

}  // namespace generative_ik::device
