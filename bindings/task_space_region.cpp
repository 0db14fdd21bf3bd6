// Task space regions, and what is made of them.
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <generative_ik/task_space_region.hpp>
#include <optional>
#include <regions/region_numbers.hpp>
#include <vector>

#include "arrays.hpp"
#include "module.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;
using Region = TaskSpaceRegion;
using OneForEach = std::vector<Region>;

template <std::size_t kDimensions>
py::array newNumbers(const double* numbers, const Shape<kDimensions>& shape) {
  py::array array = newArray<double>(shape);
  std::copy_n(numbers, array.size(), static_cast<double*>(array.mutable_data()));
  return array;
}

Region::Axis axisOf(int index) {
  if (index < 0 || index > 2) {
    throw py::value_error("axis: expected 0, 1 or 2");
  }
  return static_cast<Region::Axis>(index);
}

Region makeRegion(const py::array& lower, const py::array& upper,
                  const std::optional<int>& cone_axis, double half_angle) {
  const auto* least = readable<double>(lower, "lower", Shape<1>{6});
  const auto* most = readable<double>(upper, "upper", Shape<1>{6});
  const Eigen::Map<const Region::Bounds> from(least);
  const Eigen::Map<const Region::Bounds> to(most);
  // The half angle is checked also where it bounds nothing.
  const Region cone(from, to, Region::Cone{axisOf(cone_axis.value_or(0)), half_angle});
  return cone_axis ? cone : Region(from, to);
}

py::tuple packRegions(const OneForEach& tips, std::size_t num_tips, const OneForEach& closures,
                      double position_tolerance, double orientation_tolerance) {
  if (num_tips == 0 || tips.empty() || tips.size() % num_tips != 0) {
    throw py::value_error("tips: expected as many regions as tips, or a multiple of that");
  }
  const regions::PackedRegions packed(tips, num_tips, closures,
                                      {position_tolerance, orientation_tolerance});
  const auto rows = static_cast<py::ssize_t>(tips.size() / num_tips);
  const auto goals = static_cast<py::ssize_t>(packed.bounded.size());
  py::array bounded = newArray<std::int64_t>(Shape<1>{goals});
  std::copy(packed.bounded.begin(), packed.bounded.end(),
            static_cast<std::int64_t*>(bounded.mutable_data()));
  return py::make_tuple(
      newNumbers(packed.solver.data(), Shape<3>{rows, goals, RegionRow::kSize}),
      newNumbers(packed.checks.data(), Shape<3>{rows, goals, verify::Region::kSize}), bounded,
      packed.held, packed.roomy);
}

py::tuple angleBounds(const Region& region) {
  const auto [lower, upper] = regions::AngleBounds::of(region);
  return py::make_tuple(newNumbers(lower.data(), Shape<1>{3}),
                        newNumbers(upper.data(), Shape<1>{3}));
}

void bindRegion(py::module_& module) {
  py::class_<Region>(module, "TaskSpaceRegion")
      .def(py::init(&makeRegion), py::arg("lower"), py::arg("upper"),
           py::arg("cone_axis").none(true), py::arg("half_angle"))
      .def_static("free", &Region::free)
      .def_static(
          "free_axis", [](int axis) { return Region::freeAxis(axisOf(axis)); }, py::arg("axis"))
      .def_static("position_only", &Region::positionOnly)
      .def_static("orientation_only", &Region::orientationOnly)
      .def_static(
          "plane", [](int normal) { return Region::plane(axisOf(normal)); }, py::arg("normal"))
      .def("is_around", &Region::isAround, py::arg("position"), py::arg("orientation"))
      .def("freed", &Region::freed, py::arg("position"), py::arg("orientation"))
      .def_property_readonly(
          "lower",
          [](const Region& region) { return newNumbers(region.lower().data(), Shape<1>{6}); })
      .def_property_readonly(
          "upper",
          [](const Region& region) { return newNumbers(region.upper().data(), Shape<1>{6}); })
      .def_property_readonly("cone_axis",
                             [](const Region& region) -> std::optional<int> {
                               const auto& cone = region.boundingCone();
                               return cone ? std::optional<int>(static_cast<int>(cone->axis))
                                           : std::nullopt;
                             })
      .def_property_readonly("half_angle",
                             [](const Region& region) {
                               const auto& cone = region.boundingCone();
                               return cone ? cone->half_angle : 0.0;
                             })
      .def_property_readonly("held_coordinates",
                             [](const Region& region) {
                               const auto held = region.heldCoordinates();
                               return py::make_tuple(held.position, held.rotation);
                             })
      .def_property_readonly("is_exact", &Region::isExact)
      .def_property_readonly("is_free", &Region::isFree)
      .def_property_readonly("angle_bounds", &angleBounds);
}

}  // namespace

void bindTaskSpaceRegions(py::module_& module) {
  bindRegion(module);
  module.def("pack_regions", &packRegions, py::arg("tips"), py::arg("num_tips"),
             py::arg("closures"), py::arg("position_tolerance"), py::arg("orientation_tolerance"));
}

}  // namespace generative_ik::bindings
