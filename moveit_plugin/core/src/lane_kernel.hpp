// One iteration of damped least squares for eight configurations in SIMD lanes.
//
// lane_kernel.cpp is compiled once for each set of instructions. It and this header therefore use
// nothing of other headers: the linker keeps one copy of an inline function, and that copy may
// need instructions that the processor lacks.
#pragma once

namespace generative_ik {

constexpr int kLanes = 8;

// One number for each lane.
struct alignas(64) LaneRow {
  double lane[kLanes];  // NOLINT(*-avoid-c-arrays)
};

// x y z [m], quaternion x y z w.
struct LanePose {
  double p[3];  // NOLINT(*-avoid-c-arrays)
  double q[4];  // NOLINT(*-avoid-c-arrays)
};

// A joint that turns about or slides along its z axis.
struct LaneJoint {
  LanePose origin;  // in the moved frame of the joint before it
  double multiplier;
  double offset;
  long variable;
  bool prismatic;
};

struct LaneProblem {
  const LaneJoint* joints;
  long num_joints;
  long num_variables;
  LanePose tip;               // in the moved frame of the last joint
  LanePose target;            // in the base frame
  const double* scale;        // (variables) comparable steps [rad or m]
  const double* lower;        // (variables) limits; may be infinite
  const double* upper;        // (variables)
  double position_weight;     // [1/m]; 0: position is free
  double orientation_weight;  // [1/rad]; 0: orientation is free
  double damping;             // per squared weighted error
};

struct LaneRows {
  LaneRow* q;                    // (variables) configurations
  LaneRow* moving;               // 1 where the lane may move, else 0
  LaneRow* axes;                 // (6 joints) axis and origin of each joint
  LaneRow* jacobian;             // (6 variables)
  LaneRow* tip;                  // (3) its position [m]
  LaneRow* error;                // (6) position [m]; axis of rotation times chord [rad]
  LaneRow* position_squared;     // squared distance from the target [m^2]
  LaneRow* orientation_squared;  // squared chord, 2 sin(angle / 2), of the angle from the target
};

// The same two functions for each set of instructions. `evaluate` computes tip and errors of q;
// `advance` moves q one step after that.
struct LaneKernel {
  void (*evaluate)(const LaneProblem&, const LaneRows&);
  void (*advance)(const LaneProblem&, const LaneRows&);
};

LaneKernel laneKernelBaseline();
#ifdef GENERATIVE_IK_X86_KERNELS
LaneKernel laneKernelAvx2();
LaneKernel laneKernelAvx512();
#endif

}  // namespace generative_ik
