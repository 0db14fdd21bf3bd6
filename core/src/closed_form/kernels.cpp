#include "kernels.hpp"

#include "equations.hpp"
#include "newton.hpp"

namespace generative_ik {
namespace {

using closed_form::kBranches;
using closed_form::kGeneralArm;
using closed_form::kMostBranches;
using closed_form::Parameters;

// Numbers of a header and so many vectors.
constexpr std::size_t numbersWith(int own_vectors) {
  return 3 * static_cast<std::size_t>(Parameters::kOwn + own_vectors);
}

}  // namespace

bool ClosedForm::takes(const double* parameters, std::size_t count) const {
  if (count < least_parameters) {
    return false;
  }
  return name != kGeneralArm || closed_form::EliminationNumbers(parameters).fitsInto(count);
}

const std::vector<ClosedFormKernels>& closedFormKernels() {
  static const std::vector<ClosedFormKernels> kernels =
      simd::usable<true>([](auto set) { return closedFormKernels(set); });
  return kernels;
}

std::vector<ClosedForm> closedFormsOf(const ClosedFormKernels& kernels) {
  return {
      {"spherical_wrist", kernels.spherical_wrist, numbersWith(8), kBranches},
      {"spherical_wrist_coupled", kernels.spherical_wrist_coupled, numbersWith(8), kBranches},
      {"three_parallel", kernels.three_parallel, numbersWith(12), kBranches},
      {"three_parallel_coupled", kernels.three_parallel_coupled, numbersWith(12), kBranches},
      {"prismatic_wrist", kernels.prismatic_wrist, numbersWith(9), kBranches},
      {"offset_wrist", kernels.offset_wrist, numbersWith(14), kMostBranches},
      {kGeneralArm, kernels.general_arm, closed_form::EliminationNumbers::kLeast, kMostBranches},
  };
}

const std::vector<ClosedForm>& closedForms() {
  static const std::vector<ClosedForm> forms = closedFormsOf(closedFormKernels().front());
  return forms;
}

}  // namespace generative_ik
