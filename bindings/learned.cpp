// Samples of trained networks.
#include <cmath>
#include <cstdint>
#include <string>

#include "arrays.hpp"
#include "interrupts.hpp"
#include "module.hpp"
#include "networks.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

// Seeds are counted in numbers of double precision.
constexpr std::int64_t kMostSeeds = std::int64_t{1} << 52;

[[noreturn]] void refuseSize(const char* name, const std::string& wanted) {
  throw py::value_error(std::string(name) + ": expected " + wanted);
}

void checkFirst(std::int64_t first, std::int64_t count) {
  if (first < 0 || first > kMostSeeds - count) {
    refuseSize("first", "0 to 2^52 seeds");
  }
}

/// A matrix (batch, blocks, inputs, kBlock) with so many outputs.
learned::BlockedMatrix matrixOf(const py::array& array, const char* name, py::ssize_t batch,
                                py::ssize_t inputs, py::ssize_t outputs) {
  const py::ssize_t blocks = (outputs + learned::kBlock - 1) / learned::kBlock;
  return {readable<float>(array, name, Shape<4>{batch, blocks, inputs, learned::kBlock}), inputs,
          outputs};
}

learned::PoseNetwork poseNetworkOf(const py::tuple& tuple, double scale, py::ssize_t outputs) {
  const Arrays arrays(tuple, "pose", 7);
  learned::PoseNetwork network = {};
  network.inputs.scale = scale;
  const py::array columns = arrays.at(0);
  network.inputs.columns = readable<std::int64_t>(columns, "pose.columns", Shape<1>{kAny});
  py::ssize_t inputs = network.inputs.count = columns.size();
  checkIndices(network.inputs.columns, inputs, learned::kPoseNumbers, "pose.columns");
  for (std::size_t i = 0; i < 3; ++i) {
    const py::array matrix = arrays.at(2 * i + 1);
    const auto* numbers = readable<float>(matrix, "pose.matrix", Shape<2>{inputs, kAny});
    const py::array bias = arrays.at(2 * i + 2);
    const py::ssize_t width = i < 2 ? bias.size() : outputs;
    const auto* biases = readable<float>(bias, "pose.bias", Shape<1>{width});
    check<float>(matrix, "pose.matrix", Shape<2>{inputs, width});
    network.layers[i] = {numbers, biases, inputs, width, width};
    inputs = width;
  }
  return network;
}

learned::SplineLayers layersOf(const py::tuple& tuple, std::int64_t bins) {
  const Arrays arrays(tuple, "layers", 6);
  const py::array first = arrays.at(0);
  const py::array middle = arrays.at(1);
  const py::array last = arrays.at(2);
  const py::array orders = arrays.at(3);
  learned::SplineLayers flow = {};
  flow.orders = readable<std::int64_t>(orders, "layers.orders", Shape<2>{kAny, kAny});
  flow.layers = orders.shape(0);
  flow.width = orders.shape(1);
  check<float>(first, "layers.first", Shape<4>{flow.layers, kAny, kAny, learned::kBlock});
  check<float>(last, "layers.last", Shape<4>{flow.layers, kAny, kAny, learned::kBlock});
  check<float>(middle, "layers.middle", Shape<5>{flow.layers, kAny, kAny, kAny, learned::kBlock});
  flow.untouched = first.shape(2) / 3;
  flow.hidden_layers = middle.shape(1) + 1;
  flow.bins = bins;
  const py::ssize_t hidden = last.shape(2);
  if (flow.layers < 1 || hidden < 1 || flow.untouched < 1 || flow.untouched >= flow.width) {
    refuseSize("layers", "layers, hidden rows, and coordinates of which some are moved");
  }
  if (bins < 2 || bins > last.shape(1) * learned::kBlock) {
    refuseSize("bins", "2 or more, and coefficients for them");
  }
  checkIndices(flow.orders, orders.size(), flow.width, "layers.orders");
  flow.first = matrixOf(first, "layers.first", flow.layers, 3 * flow.untouched, hidden);
  flow.last = matrixOf(last, "layers.last", flow.layers, hidden,
                       (flow.width - flow.untouched) * (3 * bins + 1));
  const py::ssize_t blocks = (hidden + learned::kBlock - 1) / learned::kBlock;
  flow.middle = {readable<float>(middle, "layers.middle",
                                 Shape<5>{flow.layers, flow.hidden_layers - 1, blocks, hidden,
                                          learned::kBlock}),
                 hidden, hidden};
  flow.circular = readable<bool>(arrays.at(4), "layers.circular", Shape<1>{flow.width});
  flow.turn = readable<float>(arrays.at(5), "layers.turn", Shape<1>{flow.width});
  return flow;
}

learned::OuterJoints endsOf(const py::tuple& tuple, std::int64_t width) {
  const Arrays arrays(tuple, "ends", 7);
  const auto* follow = readable<bool>(arrays.at(0), "ends.follow", Shape<1>{2});
  const py::array columns = arrays.at(2);
  const py::ssize_t steps = columns.size();
  learned::OuterJoints ends = {};
  ends.first = follow[0];
  ends.last = follow[1];
  ends.steps = steps;
  ends.start = readable<float>(arrays.at(1), "ends.start", Shape<2>{3, 3});
  ends.columns = readable<std::int64_t>(columns, "ends.columns", Shape<1>{kAny});
  checkIndices(ends.columns, steps, width, "ends.columns");
  ends.values = readable<float>(arrays.at(3), "ends.values", Shape<2>{steps, 2});
  ends.prismatic = readable<bool>(arrays.at(4), "ends.prismatic", Shape<1>{steps});
  ends.frames = readable<float>(arrays.at(5), "ends.frames", Shape<3>{steps, 3, 4});
  ends.outer = readable<float>(arrays.at(6), "ends.outer", Shape<2>{2, 2});
  return ends;
}

learned::CoordinateBox coordinateBoxOf(const py::tuple& tuple, std::int64_t width) {
  const Arrays arrays(tuple, "box", 4);
  const py::array columns = arrays.at(0);
  const py::ssize_t n = columns.size();
  learned::CoordinateBox box = {};
  box.count = n;
  box.columns = readable<std::int64_t>(columns, "box.columns", Shape<1>{kAny});
  if (n == 0) {
    refuseSize("box", "one joint or more");
  }
  for (py::ssize_t j = 0; j < n; ++j) {
    if (box.columns[j] < -2 || box.columns[j] >= width) {
      refuseSize("box.columns", "coordinates, -1 or -2");
    }
  }
  box.least = readable<double>(arrays.at(1), "box.least", Shape<1>{n});
  box.slope = readable<double>(arrays.at(2), "box.slope", Shape<1>{n});
  box.turning = readable<bool>(arrays.at(3), "box.turning", Shape<1>{n});
  return box;
}

learned::CompletionNetwork networkOf(const py::tuple& tuple, py::ssize_t joints) {
  const Arrays arrays(tuple, "network", 7);
  const py::array starts = arrays.at(1);
  const py::array middle = arrays.at(2);
  const py::array head_shifts = arrays.at(5);
  const py::array spreads = arrays.at(6);
  learned::CompletionNetwork network = {};
  network.starts = readable<float>(starts, "network.starts", Shape<2>{joints, kAny});
  const py::ssize_t hidden = starts.shape(1);
  check<float>(middle, "network.middle", Shape<4>{kAny, kAny, kAny, learned::kBlock});
  network.head_shifts = readable<float>(head_shifts, "network.head_shifts", Shape<1>{kAny});
  network.spreads = readable<float>(spreads, "network.spreads", Shape<1>{kAny});
  network.blocks = middle.shape(0) / 2;
  network.cells = spreads.size() - 1;
  if (hidden < 1 || middle.shape(0) % 2 != 0 || network.cells < 1 || head_shifts.size() < 1 ||
      head_shifts.size() % learned::kParts != 0) {
    refuseSize("network", "hidden rows, layers in pairs, components, and two spreads or more");
  }
  network.inputs =
      matrixOf(arrays.at(0), "network.inputs", joints, learned::kGoalFeatures, hidden);
  network.middle = matrixOf(middle, "network.middle", 2 * network.blocks, hidden, hidden);
  network.shifts =
      readable<float>(arrays.at(3), "network.shifts", Shape<2>{2 * network.blocks, hidden});
  const py::array head = arrays.at(4);
  network.head = {
      readable<float>(head, "network.head",
                      Shape<3>{head_shifts.size() / learned::kBlock, hidden, learned::kBlock}),
      hidden, head_shifts.size()};
  return network;
}

learned::ArmLinks linksOf(const py::tuple& tuple) {
  const Arrays arrays(tuple, "links", 11);
  const py::array kinds = arrays.at(0);
  learned::ArmLinks links = {};
  links.decided_by = readable<std::int64_t>(kinds, "links.decided_by", Shape<1>{kAny});
  const py::ssize_t m = kinds.size();
  links.num_joints = m;
  links.prismatic = readable<bool>(arrays.at(1), "links.prismatic", Shape<1>{m});
  links.axis = readable<float>(arrays.at(2), "links.axis", Shape<2>{m, 3});
  links.mid_normal = readable<float>(arrays.at(3), "links.mid_normal", Shape<2>{m, 3});
  links.link_length = readable<float>(arrays.at(4), "links.link_length", Shape<1>{m});
  links.link_offset = readable<float>(arrays.at(5), "links.link_offset", Shape<1>{m});
  links.half_range = readable<float>(arrays.at(6), "links.half_range", Shape<1>{m});
  links.variable = readable<std::int64_t>(arrays.at(7), "links.variable", Shape<1>{m});
  links.slope = readable<float>(arrays.at(8), "links.slope", Shape<1>{m});
  links.mid_value = readable<double>(arrays.at(9), "links.mid_value", Shape<1>{m});
  links.column = readable<std::int64_t>(arrays.at(10), "links.column", Shape<1>{m});
  return links;
}

learned::KnownDistances knownOf(const py::tuple& tuple, py::ssize_t joints) {
  const Arrays arrays(tuple, "known", 3);
  learned::KnownDistances known = {};
  known.conditions = readable<double>(arrays.at(0), "known.conditions",
                                      Shape<4>{joints, learned::kConditions, 3, learned::kBasis});
  known.counts = readable<std::int64_t>(arrays.at(1), "known.counts", Shape<1>{joints});
  checkIndices(known.counts, joints, learned::kConditions + 1, "known.counts");
  known.is_signed = readable<bool>(arrays.at(2), "known.signed", Shape<1>{joints});
  return known;
}

}  // namespace

ArmIndices::ArmIndices(const learned::ArmLinks& links)
    : variable_(links.variable, links.variable + links.num_joints) {
  for (std::int64_t j = 0; j < links.num_joints; ++j) {
    if (links.decided_by[j] == learned::kSampled) {
      column_.push_back(links.column[j]);
    }
  }
}

void ArmIndices::check(std::int64_t width, std::int64_t variables) const {
  checkIndices(variable_.data(), static_cast<std::int64_t>(variable_.size()), variables,
               "links.variable");
  checkIndices(column_.data(), static_cast<std::int64_t>(column_.size()), width, "links.column");
}

learned::SplineFlow flowOf(const FlowArguments& from) {
  const auto& [pose, position_scale, layers, bins, ends, box] = from;
  learned::SplineFlow flow = {};
  flow.layers = layersOf(layers, bins);
  flow.pose = poseNetworkOf(pose, position_scale, flow.layers.layers * flow.layers.taken());
  flow.ends = endsOf(ends, flow.layers.width);
  flow.box = coordinateBoxOf(box, flow.layers.width);
  return flow;
}

learned::FlowRequest flowRequestOf(const learned::SplineFlow& flow, const py::array& poses,
                                   const py::array& recurrence, double temperature,
                                   std::int64_t first, const py::array& lower,
                                   const py::array& upper, py::array& positions) {
  const py::ssize_t n = flow.box.count;
  auto* out = writable<double>(positions, "positions", Shape<3>{kAny, kAny, n});
  checkFirst(first, positions.shape(1));
  return {readable<double>(poses, "poses", Shape<3>{positions.shape(0), 4, 4}),
          positions.shape(0),
          positions.shape(1),
          n,
          readable<double>(recurrence, "recurrence", Shape<2>{2, flow.layers.width}),
          first,
          temperature,
          readable<double>(lower, "lower", Shape<1>{n}),
          readable<double>(upper, "upper", Shape<1>{n}),
          out};
}

learned::Arm armOf(const ArmArguments& from) {
  const auto& [network, links, known] = from;
  const learned::ArmLinks arm_links = linksOf(links);
  return {networkOf(network, arm_links.num_joints), arm_links,
          knownOf(known, arm_links.num_joints)};
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
learned::CompletionRequest completionRequestOf(const ArmIndices& indices, const py::array& goals,
                                               const py::array& recurrence, std::int64_t first,
                                               const py::array& shifts, const py::array& periodic,
                                               const py::array& lower, const py::array& upper,
                                               py::array& positions) {
  auto* out = writable<double>(positions, "positions", Shape<3>{kAny, kAny, kAny});
  const py::ssize_t n = positions.shape(2);
  checkFirst(first, positions.shape(1));
  const auto* tries = readable<float>(shifts, "shifts", Shape<2>{kAny, kAny});
  const py::ssize_t width = shifts.shape(1);
  if (n == 0 || shifts.shape(0) == 0) {
    refuseSize("positions, shifts", "one joint or more, and one try or more");
  }
  indices.check(width, n);
  return {readable<float>(goals, "goals", Shape<2>{positions.shape(0), 9}),
          positions.shape(0),
          positions.shape(1),
          n,
          readable<double>(recurrence, "recurrence", Shape<2>{2, width}),
          width,
          first,
          tries,
          shifts.shape(0),
          readable<bool>(periodic, "periodic", Shape<1>{n}),
          readable<double>(lower, "lower", Shape<1>{n}),
          readable<double>(upper, "upper", Shape<1>{n}),
          out};
}

learned::MemberNetworks membersOf(const MembersArguments& from) {
  const auto& [columns, position_scale, layers, prismatic, half_range] = from;
  const Arrays arrays(layers, "layers", 6);
  const py::array first = arrays.at(0);
  const py::array middle = arrays.at(2);
  learned::MemberNetworks networks = {};
  networks.inputs = {position_scale, readable<std::int64_t>(columns, "columns", Shape<1>{kAny}),
                     columns.size()};
  checkIndices(networks.inputs.columns, columns.size(), learned::kPoseNumbers, "columns");
  networks.first = readable<float>(first, "layers.first", Shape<3>{kAny, columns.size(), kAny});
  const py::ssize_t members = networks.members = first.shape(0);
  const py::ssize_t hidden = networks.hidden = first.shape(2);
  networks.first_bias =
      readable<float>(arrays.at(1), "layers.first_bias", Shape<2>{members, hidden});
  networks.middle =
      readable<float>(middle, "layers.middle", Shape<4>{members, kAny, hidden, hidden});
  const py::ssize_t inner = middle.shape(1);
  networks.hidden_layers = inner + 1;
  networks.middle_bias =
      readable<float>(arrays.at(3), "layers.middle_bias", Shape<3>{members, inner, hidden});
  networks.prismatic = readable<bool>(prismatic, "prismatic", Shape<1>{kAny});
  const py::ssize_t n = networks.joints = prismatic.size();
  networks.last = readable<float>(arrays.at(4), "layers.last", Shape<3>{members, hidden, 2 * n});
  networks.last_bias = readable<float>(arrays.at(5), "layers.last_bias", Shape<2>{members, 2 * n});
  networks.half_range = readable<double>(half_range, "half_range", Shape<1>{n});
  if (members == 0 || hidden == 0 || n == 0) {
    refuseSize("layers", "members, hidden rows and joints");
  }
  return networks;
}

learned::AnswerRequest answerRequestOf(const learned::MemberNetworks& networks,
                                       const py::array& poses, py::array& boxed) {
  const auto* rows = readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  const Shape<3> shape = {poses.shape(0), networks.members, networks.joints};
  return {rows, poses.shape(0), writable<double>(boxed, "boxed", shape)};
}

namespace {

void flowSamples(const FlowArguments& network, const py::array& poses, const py::array& recurrence,
                 double temperature, std::int64_t first, const py::array& lower,
                 const py::array& upper, py::array positions) {
  const learned::SplineFlow flow = flowOf(network);
  const learned::FlowRequest request =
      flowRequestOf(flow, poses, recurrence, temperature, first, lower, upper, positions);
  if (positions.size() == 0) {
    return;
  }
  interruptible(kForever,
                [&](const parallel::StopWhen& stop) { learned::sampleFlow(flow, request, stop); });
}

// NOLINTNEXTLINE(readability-function-size): arrays are passed one by one
void completionSamples(const ArmArguments& model, const py::array& goals,
                       const py::array& recurrence, std::int64_t first, const py::array& shifts,
                       const py::array& periodic, const py::array& lower, const py::array& upper,
                       py::array positions) {
  const learned::Arm arm = armOf(model);
  const learned::CompletionRequest request = completionRequestOf(
      ArmIndices(arm.links), goals, recurrence, first, shifts, periodic, lower, upper, positions);
  if (positions.size() == 0) {
    return;
  }
  interruptible(kForever,
                [&](const parallel::StopWhen& stop) { learned::completeArm(arm, request, stop); });
}

void memberAnswers(const MembersArguments& members, const py::array& poses, py::array boxed) {
  const learned::MemberNetworks networks = membersOf(members);
  const learned::AnswerRequest request = answerRequestOf(networks, poses, boxed);
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    learned::answerPoses(networks, request, stop);
  });
}

}  // namespace

void bindNetworks(py::module_& module) {
  module.def("flow_samples", &flowSamples, py::arg("flow"), py::arg("poses"),
             py::arg("recurrence"), py::arg("temperature"), py::arg("first"), py::arg("lower"),
             py::arg("upper"), py::arg("positions"));
  module.def("completion_samples", &completionSamples, py::arg("arm"), py::arg("goals"),
             py::arg("recurrence"), py::arg("first"), py::arg("shifts"), py::arg("periodic"),
             py::arg("lower"), py::arg("upper"), py::arg("positions"));
  module.def("member_answers", &memberAnswers, py::arg("members"), py::arg("poses"),
             py::arg("boxed"));
}

}  // namespace generative_ik::bindings
