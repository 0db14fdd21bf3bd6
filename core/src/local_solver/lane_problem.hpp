/// What an iteration of the local solver reads and writes, for eight seeds side by side.
///
/// Plain numbers without functions: both the code of a set of instructions and the rest include
/// it.
#pragma once

namespace generative_ik {

/// Seeds that are iterated together, on every processor, so that all find the same solutions.
constexpr int kLanes = 8;

/// One number for each seed.
struct alignas(64) LaneRow {
  double lane[kLanes];  // NOLINT(*-avoid-c-arrays)
};

struct LanePose {
  double p[3];  // NOLINT(*-avoid-c-arrays): x y z [m]
  double q[4];  // NOLINT(*-avoid-c-arrays): unit quaternion x y z w
};

/// A joint that turns about or slides along its z axis.
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
  LaneRow* moving;               // 1 where the seed may move, else 0
  LaneRow* axes;                 // (6 joints) axis and origin of each joint
  LaneRow* jacobian;             // (6 variables)
  LaneRow* tip;                  // (3) its position [m]
  LaneRow* error;                // (6) position [m]; axis of rotation times chord [rad]
  LaneRow* position_squared;     // squared distance from the target [m^2]
  LaneRow* orientation_squared;  // squared chord, 2 sin(angle / 2), of the angle from the target
};

/// One iteration of all lanes, compiled for a set of instructions.
struct LaneKernel {
  /// "avx512", "avx2", "neon", or "baseline" for what every x86-64 has.
  const char* instruction_set;
  /// Computes tip and errors of q.
  void (*evaluate)(const LaneProblem&, const LaneRows&);
  /// Moves q one step, after `evaluate`.
  void (*advance)(const LaneProblem&, const LaneRows&);
};

/// Two numbers in a register: SSE2, which every x86-64 has, or NEON, which every AArch64 has.
LaneKernel laneKernelBaseline();
#ifdef GENERATIVE_IK_X86_KERNELS
LaneKernel laneKernelAvx2();
LaneKernel laneKernelAvx512();
#endif

}  // namespace generative_ik
