// The Python module generative_ik_ros._core.
#include "module.hpp"

#include <pybind11/pybind11.h>

#include <generative_ik/version.hpp>
#include <parallel/for_each.hpp>

PYBIND11_MODULE(_core, module) {  // NOLINT(readability-*)
  module.doc() = "The native core: arrays in, arrays out.";
  module.def("version", &generative_ik::version);
  module.def("instruction_set", &generative_ik::instructionSet);
  module.def("usable_cores", &generative_ik::parallel::usableCores);
  generative_ik::bindings::bindJointTrees(module);
  generative_ik::bindings::bindClosedForms(module);
  generative_ik::bindings::bindPaths(module);
  generative_ik::bindings::bindDevices(module);
  generative_ik::bindings::bindOptimization(module);
  generative_ik::bindings::bindPolicy(module);
  generative_ik::bindings::bindMemory(module);
  generative_ik::bindings::bindDecisions(module);
  generative_ik::bindings::bindRefine(module);
  generative_ik::bindings::bindBodies(module);
  generative_ik::bindings::bindCollisions(module);
  generative_ik::bindings::bindSearch(module);
  generative_ik::bindings::bindVerification(module);
  generative_ik::bindings::bindSelection(module);
  generative_ik::bindings::bindAnswers(module);
  generative_ik::bindings::bindTaskSpaceRegions(module);
  generative_ik::bindings::bindRegions(module);
  generative_ik::bindings::bindResults(module);
  generative_ik::bindings::bindLimbs(module);
  generative_ik::bindings::bindSamplers(module);
  generative_ik::bindings::bindNetworks(module);
  generative_ik::bindings::bindDeviceNetworks(module);
  generative_ik::bindings::bindTracker(module);
  generative_ik::bindings::bindTeleoperation(module);
}
