/// Closed forms: all branches of a pose, of arms of six joints whose geometry allows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace generative_ik {

/// Finds all branches of a pose.
///
/// It takes the family's parameters, the tip's pose in the base (4, 4) [m], row by row, and memory
/// for branches, rows of six. It writes them there as values of the chain's variables before
/// limits and turns are looked at, and returns how many. Where the pose lies at, or within some
/// 1e-5 [m or rad] of, a singular or continuous case, or of the border of where a branch exists,
/// it returns -1 - count instead: the branches are good, but there may be more. It allocates
/// nothing, and the same pose always gives the same branches.
using ClosedFormKernel = std::int64_t (*)(const double* parameters, const double* tip_pose,
                                          double* branches);

/// A family of arms that have a closed form.
struct ClosedForm {
  std::string_view name;
  ClosedFormKernel kernel;
  /// Numbers that the parameters have at the least.
  std::size_t least_parameters;
  /// Rows of memory that the kernel needs.
  int max_branches;

  /// Whether the kernel reads no further than these parameters.
  [[nodiscard]] bool takes(const double* parameters, std::size_t count) const;
};

/// All families, compiled for the fastest set of instructions that this processor has.
const std::vector<ClosedForm>& closedForms();

}  // namespace generative_ik
