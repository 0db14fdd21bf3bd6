/// The numbers of a problem, in both precisions, in the memory of a device.
#pragma once

#include <cstdint>
#include <generative_ik/closed_form.hpp>
#include <memory>
#include <vector>

#include "../../cuda/search_task.hpp"
#include "../collision/world_arrays.hpp"
#include "../local_solver/chain_solver.hpp"
#include "device.hpp"

namespace generative_ik::device {

/// A chain, and what makes a configuration a solution, in the caller's memory.
struct ProblemNumbers {
  LaneChain chain;
  LaneOptions options;
  verify::RodriguesChain read;
  double position_tolerance;           ///< Of verified results [m]; may be infinite.
  double orientation_tolerance;        ///< Likewise [rad].
  double distance;                     ///< Solutions with no joint further apart are the same.
  const double* lower;                 ///< (n) of solutions [rad or m], finite.
  const double* upper;                 ///< (n)
  const double* step_lower;            ///< (n) bounds of the local solver, which may be infinite.
  const double* step_upper;            ///< (n)
  const double* reference;             ///< (n) from which full turns are counted.
  const std::int64_t* circular;        ///< (n) joints on which a full turn makes no difference.
  const ClosedForm* form = nullptr;    ///< Of the chain, if it has one.
  const double* parameters = nullptr;  ///< What that takes of the chain.
  std::size_t num_parameters = 0;
  const collision::World* world = nullptr;  ///< Of which solutions are clear, if there is one.
};

/// The numbers of a packed problem for which `search::ChainProblem::takes` holds. They point into
/// what is passed.
///
/// Args: box: (7, n) lower and upper limits, lower and upper bounds of the local solver,
/// reference; the rest is not read. circular: (n).
ProblemNumbers problemNumbers(const Packed& packed, const double* box, double distance,
                              const std::int64_t* circular);

/// Whether threads take chains of so many joints.
bool takes(const LaneChain& chain);

/// Whether threads check among so many bodies.
bool takes(const collision::World& world);

/// Whether each joint has a variable of its own, in order.
bool isPlain(const LaneChain& chain);

/// Arrays one after the other, to be copied to a device in one piece.
class Arrays {
 public:
  /// Appends numbers; the address is the one that they have once they lie at `base`, or null if
  /// that is not known yet.
  template <class Number, class From>
  const Number* append(const From* numbers, std::int64_t count, const std::byte* base) {
    bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
    const std::size_t at = bytes_.size();
    for (std::int64_t i = 0; i < count; ++i) {
      const auto number = static_cast<Number>(numbers[i]);
      // NOLINTNEXTLINE(*-reinterpret-cast): as bytes
      const auto* first = reinterpret_cast<const std::byte*>(&number);
      bytes_.insert(bytes_.end(), first, first + sizeof number);
    }
    // NOLINTNEXTLINE(*-reinterpret-cast): the caller's memory is that of numbers
    return base == nullptr ? nullptr : reinterpret_cast<const Number*>(base + at);
  }

  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  // Of each array: what a thread reads at once.
  static constexpr std::size_t kAlignment = 16;

  std::vector<std::byte> bytes_;
};

/// Appends a chain as it was read.
verify::RodriguesChain appended(const verify::RodriguesChain& chain, Arrays& arrays,
                                const std::byte* base);

/// Appends what kernels read of a world.
collision::WorldView appended(const collision::World& world, Arrays& arrays,
                              const std::byte* base);

/// Appends all numbers of a problem.
cuda::SearchProblem appended(const ProblemNumbers& problem, Arrays& arrays, const std::byte* base);

}  // namespace generative_ik::device
