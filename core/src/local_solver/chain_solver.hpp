/// The local solver of one tip as searches take it.
#pragma once

#include <array>
#include <cstddef>

#include "lane_kernels.hpp"
#include "lane_problem.hpp"
#include "lane_rows.hpp"
#include "local_solver.hpp"

namespace generative_ik {

/// The numbers of a problem in two arrays; each further array would cost time in a call.
struct Packed {
  const double* floats;
  std::size_t num_floats;
  const std::int64_t* ints;
  std::size_t num_ints;
};

/// How many floats and whole numbers a chain is packed into.
struct PackedSize {
  std::size_t floats;
  std::size_t ints;
};

/// Numbers of packed options.
constexpr std::size_t kOptionNumbers = 9;

/// Reads packed options, in the order of `LaneOptions`. Returns whether their counts are such.
bool readOptions(const double* numbers, LaneOptions& options);
/// The numbers that it reads.
std::array<double, kOptionNumbers> optionNumbers(const LaneOptions& options);

/// The chain at the beginning of packed arrays: joints and variables, prismatic, variable;
/// origins, multiplier, offset, tip, scale.
LaneChain unpackChain(const double* floats, const std::int64_t* ints);

PackedSize packedSize(const LaneChain& chain);

/// Whether packed arrays begin with a chain of consistent numbers, which are safe to unpack.
bool beginsWithChain(const Packed& packed);

/// Damped least squares towards the one tip of a chain; a `LocalSolver`.
class ChainSolver {
 public:
  /// Args: poses: (T, 4, 4) targets [m]. memory: `countRows` rows. kernel: the local solver for a
  /// set of instructions, which must outlive this one.
  ChainSolver(const LaneChain& chain, const LaneOptions& options, const double* poses,
              LaneRow* memory, const LaneKernel& kernel = laneKernel())
      : kernel_(kernel),
        chain_(chain),
        options_(options),
        poses_(poses),
        rows_(rowsIn(memory, chain.num_joints, chain.num_variables)) {}

  [[nodiscard]] const LaneOptions& options() const { return options_; }
  [[nodiscard]] const SeedRows& rows() const { return rows_.seeds; }
  void clear() const { clearLanes(rows_, chain_.num_variables, options_); }
  void load(int lane, std::int64_t target) const;
  void measure() const { kernel_.measure(chain_, rows_); }
  void advance(const double* lower, const double* upper) const {
    kernel_.advance(chain_, options_, rows_, lower, upper);
  }
  [[nodiscard]] bool converges(int lane, const double* /*lower*/, const double* /*upper*/) const {
    return isWithin(options_, rows_.seeds.position_error->lane[lane],
                    rows_.seeds.orientation_error->lane[lane]);
  }
  [[nodiscard]] double laneError(int /*lane*/, double position, double orientation) const {
    return squaredError(options_, position, orientation);
  }

 protected:
  [[nodiscard]] const double* pose(std::int64_t target) const { return poses_ + 16 * target; }
  [[nodiscard]] const LaneChain& chain() const { return chain_; }
  [[nodiscard]] const LaneRows& laneRows() const { return rows_; }

 private:
  const LaneKernel& kernel_;
  LaneChain chain_;
  LaneOptions options_;
  const double* poses_;
  LaneRows rows_;
};

static_assert(LocalSolver<ChainSolver>);

}  // namespace generative_ik
