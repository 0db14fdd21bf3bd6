#include "network_upload.hpp"

namespace generative_ik::device {
namespace {

/// Appends arrays of the type that they have.
class Appending {
 public:
  Appending(Arrays& arrays, const std::byte* base) : arrays_(arrays), base_(base) {}

  template <class Number>
  const Number* operator()(const Number* numbers, std::int64_t count) const {
    return arrays_.append<Number>(numbers, count, base_);
  }
  /// So many matrices of one shape.
  learned::BlockedMatrix operator()(const learned::BlockedMatrix& matrix,
                                    std::int64_t count) const {
    return {(*this)(matrix.numbers, count * matrix.size()), matrix.inputs, matrix.outputs};
  }
  learned::PoseInputs operator()(const learned::PoseInputs& inputs) const {
    return {inputs.scale, (*this)(inputs.columns, inputs.count), inputs.count};
  }
  learned::DenseLayer operator()(const learned::DenseLayer& layer) const {
    return {(*this)(layer.matrix, layer.inputs * layer.stride), (*this)(layer.bias, layer.outputs),
            layer.inputs, layer.outputs, layer.stride};
  }

 private:
  Arrays& arrays_;
  const std::byte* base_;
};

}  // namespace

learned::SplineFlow appended(const learned::SplineFlow& flow, Arrays& arrays,
                             const std::byte* base) {
  const Appending all(arrays, base);
  const learned::SplineLayers& layers = flow.layers;
  const learned::OuterJoints& ends = flow.ends;
  learned::SplineFlow moved = flow;
  moved.pose.inputs = all(flow.pose.inputs);
  for (std::size_t i = 0; i < 3; ++i) {
    moved.pose.layers[i] = all(flow.pose.layers[i]);
  }
  moved.layers.first = all(layers.first, layers.layers);
  moved.layers.middle = all(layers.middle, layers.layers * (layers.hidden_layers - 1));
  moved.layers.last = all(layers.last, layers.layers);
  moved.layers.orders = all(layers.orders, layers.layers * layers.width);
  moved.layers.circular = all(layers.circular, layers.width);
  moved.layers.turn = all(layers.turn, layers.width);
  moved.ends.start = all(ends.start, 9);
  moved.ends.columns = all(ends.columns, ends.steps);
  moved.ends.values = all(ends.values, 2 * ends.steps);
  moved.ends.prismatic = all(ends.prismatic, ends.steps);
  moved.ends.frames = all(ends.frames, 12 * ends.steps);
  moved.ends.outer = all(ends.outer, 4);
  moved.box.columns = all(flow.box.columns, flow.box.count);
  moved.box.least = all(flow.box.least, flow.box.count);
  moved.box.slope = all(flow.box.slope, flow.box.count);
  moved.box.turning = all(flow.box.turning, flow.box.count);
  return moved;
}

learned::Arm appended(const learned::Arm& arm, Arrays& arrays, const std::byte* base) {
  const Appending all(arrays, base);
  const learned::CompletionNetwork& network = arm.network;
  const learned::ArmLinks& links = arm.links;
  const std::int64_t m = links.num_joints;
  const std::int64_t middle = 2 * network.blocks;
  learned::Arm moved = arm;
  moved.network.inputs = all(network.inputs, m);
  moved.network.middle = all(network.middle, middle);
  moved.network.head = all(network.head, 1);
  moved.network.starts = all(network.starts, m * network.hidden());
  moved.network.shifts = all(network.shifts, middle * network.hidden());
  moved.network.head_shifts = all(network.head_shifts, network.head.outputs);
  moved.network.spreads = all(network.spreads, network.cells + 1);
  moved.links.decided_by = all(links.decided_by, m);
  moved.links.prismatic = all(links.prismatic, m);
  moved.links.axis = all(links.axis, 3 * m);
  moved.links.mid_normal = all(links.mid_normal, 3 * m);
  moved.links.link_length = all(links.link_length, m);
  moved.links.link_offset = all(links.link_offset, m);
  moved.links.half_range = all(links.half_range, m);
  moved.links.variable = all(links.variable, m);
  moved.links.slope = all(links.slope, m);
  moved.links.mid_value = all(links.mid_value, m);
  moved.links.column = all(links.column, m);
  moved.known.conditions =
      all(arm.known.conditions, m * learned::kConditions * 3 * learned::kBasis);
  moved.known.counts = all(arm.known.counts, m);
  moved.known.is_signed = all(arm.known.is_signed, m);
  return moved;
}

learned::MemberNetworks appended(const learned::MemberNetworks& networks, Arrays& arrays,
                                 const std::byte* base) {
  const Appending all(arrays, base);
  const std::int64_t members = networks.members;
  const std::int64_t hidden = networks.hidden;
  const std::int64_t inner = members * (networks.hidden_layers - 1);
  learned::MemberNetworks moved = networks;
  moved.inputs = all(networks.inputs);
  moved.first = all(networks.first, members * networks.inputs.count * hidden);
  moved.first_bias = all(networks.first_bias, members * hidden);
  moved.middle = all(networks.middle, inner * hidden * hidden);
  moved.middle_bias = all(networks.middle_bias, inner * hidden);
  moved.last = all(networks.last, members * hidden * networks.outputs());
  moved.last_bias = all(networks.last_bias, members * networks.outputs());
  moved.prismatic = all(networks.prismatic, networks.joints);
  moved.half_range = all(networks.half_range, networks.joints);
  return moved;
}

learned::FlowRequest appended(const learned::FlowRequest& request, std::int64_t width,
                              Arrays& arrays, const std::byte* base) {
  const Appending all(arrays, base);
  learned::FlowRequest moved = request;
  moved.poses = all(request.poses, 16 * request.num_poses);
  moved.recurrence = all(request.recurrence, 2 * width);
  moved.lower = all(request.lower, request.num_joints);
  moved.upper = all(request.upper, request.num_joints);
  return moved;
}

learned::CompletionRequest appended(const learned::CompletionRequest& request, Arrays& arrays,
                                    const std::byte* base) {
  const Appending all(arrays, base);
  learned::CompletionRequest moved = request;
  moved.goals = all(request.goals, 9 * request.num_goals);
  moved.recurrence = all(request.recurrence, 2 * request.width);
  moved.shifts = all(request.shifts, request.tries * request.width);
  moved.periodic = all(request.periodic, request.num_variables);
  moved.lower = all(request.lower, request.num_variables);
  moved.upper = all(request.upper, request.num_variables);
  return moved;
}

}  // namespace generative_ik::device
