// What makes targets of a device in a hand, or of a stream of messages.
#include <generative_ik/teleoperation.hpp>

#include "arrays.hpp"
#include "module.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using RowMajor4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

Eigen::Isometry3d givenPose(const py::array& array, const char* name) {
  Eigen::Isometry3d pose;
  pose.matrix() = Eigen::Map<const RowMajor4>(readable<double>(array, name, Shape<2>{4, 4}));
  return pose;
}

Eigen::Matrix3d givenRotation(const py::array& array, const char* name) {
  return Eigen::Map<const RowMajor3>(readable<double>(array, name, Shape<2>{3, 3}));
}

Twist givenTwist(const py::array& array) {
  return Eigen::Map<const Twist>(readable<double>(array, "twist", Shape<1>{6}));
}

py::array targetArray(const Eigen::Isometry3d& target) {
  py::array array = newArray<double>(Shape<2>{4, 4});
  Eigen::Map<RowMajor4>(static_cast<double*>(array.mutable_data())) = target.matrix();
  return array;
}

Clutch makeClutch(double scale, double orientation_scale, const py::array& frame_in_base) {
  return Clutch(scale, orientation_scale, givenRotation(frame_in_base, "frame_in_base"));
}

py::array stepOfClutch(Clutch& clutch, const py::array& device, const py::array& tip) {
  return targetArray(clutch.step(givenPose(device, "device"), givenPose(tip, "tip")));
}

Jog makeJog(double period, double distance, double angle) {
  return Jog(period, {distance, angle});
}

// Of what moves a target by velocities.
template <auto kStep, class Mover>
py::array jogged(Mover& mover, const py::array& twist, const py::array& frame_in_base,
                 const py::array& tip) {
  return targetArray((mover.*kStep)(
      givenTwist(twist), givenRotation(frame_in_base, "frame_in_base"), givenPose(tip, "tip")));
}

void resetFilter(PoseFilter& filter, const py::object& pose) {
  if (pose.is_none()) {
    filter.reset();
    return;
  }
  if (!py::isinstance<py::array>(pose)) {
    throw py::value_error("pose: expected an array or None");
  }
  filter.reset(givenPose(py::reinterpret_borrow<py::array>(pose), "pose"));
}

py::array filtered(PoseFilter& filter, const py::array& target) {
  return targetArray(filter.step(givenPose(target, "target")));
}

py::array followed(TargetFilter& filter, const py::array& target, const py::array& tip) {
  return targetArray(filter.follow(givenPose(target, "target"), givenPose(tip, "tip")));
}

}  // namespace

void bindTeleoperation(py::module_& module) {
  py::class_<Clutch>(module, "Clutch")
      .def(py::init(&makeClutch), py::arg("scale"), py::arg("orientation_scale"),
           py::arg("frame_in_base"))
      .def("engaged", &Clutch::engaged)
      .def("release", &Clutch::release)
      .def("step", &stepOfClutch, py::arg("device"), py::arg("tip"));
  py::class_<Jog>(module, "Jog")
      .def(py::init(&makeJog), py::arg("period"), py::arg("distance"), py::arg("angle"))
      .def("reset", &Jog::reset)
      .def("step", &jogged<&Jog::step, Jog>, py::arg("twist"), py::arg("frame_in_base"),
           py::arg("tip"));
  py::class_<PoseFilter>(module, "PoseFilter")
      .def(py::init<double, double>(), py::arg("period"), py::arg("cutoff"))
      .def("reset", &resetFilter, py::arg("pose"))
      .def("step", &filtered, py::arg("target"));
  py::class_<TargetFilter>(module, "TargetFilter")
      .def(py::init<double, double>(), py::arg("period"), py::arg("cutoff"))
      .def("reset", &TargetFilter::reset)
      .def("follow", &followed, py::arg("target"), py::arg("tip"))
      .def("jog", &jogged<&TargetFilter::jog, TargetFilter>, py::arg("twist"),
           py::arg("frame_in_base"), py::arg("tip"));
}

}  // namespace generative_ik::bindings
