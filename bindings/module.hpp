// What each file adds to the module; its first line says what that is.
#pragma once

#include <pybind11/pybind11.h>

namespace generative_ik::bindings {

void bindJointTrees(pybind11::module_& module);
void bindClosedForms(pybind11::module_& module);
void bindPaths(pybind11::module_& module);
void bindDecisions(pybind11::module_& module);
void bindDevices(pybind11::module_& module);
void bindMemory(pybind11::module_& module);
void bindOptimization(pybind11::module_& module);
void bindPolicy(pybind11::module_& module);
void bindRefine(pybind11::module_& module);
void bindBodies(pybind11::module_& module);
void bindCollisions(pybind11::module_& module);
void bindSearch(pybind11::module_& module);
void bindVerification(pybind11::module_& module);
void bindSelection(pybind11::module_& module);
void bindAnswers(pybind11::module_& module);
void bindTaskSpaceRegions(pybind11::module_& module);
void bindRegions(pybind11::module_& module);
void bindResults(pybind11::module_& module);
void bindLimbs(pybind11::module_& module);
void bindSamplers(pybind11::module_& module);
void bindNetworks(pybind11::module_& module);
void bindDeviceNetworks(pybind11::module_& module);
void bindTracker(pybind11::module_& module);
void bindTeleoperation(pybind11::module_& module);

}  // namespace generative_ik::bindings
