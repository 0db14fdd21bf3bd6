/// Independent forward kinematics of a tree with several tips, some of them given in others.
#pragma once

#include "rodrigues.hpp"

namespace generative_ik::verify {

/// A tree of joints as it was read, and its goals. A goal's target is a pose of a tip in a
/// reference. Frames from which joints begin, or that carry tips or references, are kept in slots.
struct RodriguesTree {
  /// Where a joint does not begin from the joint before it, `begin` is another slot, or the base.
  static constexpr std::int64_t kBefore = -2;

  RodriguesChain joints;  // which has no tip of its own
  std::int64_t num_goals;
  std::int64_t num_slots;
  const std::int64_t* begin;           // (m) slot of the frame it begins from; below 0: the base
  const std::int64_t* slot;            // (m) where its moved frame is kept, or below 0
  const std::int64_t* tip_slot;        // (G) of the frame that carries the tip, or the base
  const double* tip;                   // (G, 4, 4) in that frame
  const std::int64_t* reference_slot;  // (G) of the frame that carries the reference, or the base
  const double* reference;             // (G, 4, 4)
};

/// Counts the slots of frames. Returns whether all slots that are used are among them.
bool countSlots(RodriguesTree& tree);

/// Places the joints and keeps the frames of all slots; `value_of(v)` is what variable v is.
template <class Number, class Values>
GENERATIVE_IK_INLINE void placeSlots(const RodriguesTree& tree, const Values& value_of,
                                     Frame<Number>* slots) {
  Frame<Number> frame = Frame<Number>::identity();
  for (std::int64_t j = 0; j < tree.joints.num_joints; ++j) {
    if (tree.begin[j] != RodriguesTree::kBefore) {
      frame = tree.begin[j] < 0 ? Frame<Number>::identity() : slots[tree.begin[j]];
    }
    passJoint<Number>(tree.joints, j, value_of(tree.joints.variable[j]), frame);
    if (tree.slot[j] >= 0) {
      slots[tree.slot[j]] = frame;
    }
  }
}

/// A frame that is fixed to that of a slot, or to the base.
template <class Number>
GENERATIVE_IK_INLINE Frame<Number> fixedTo(std::int64_t slot, const double* pose,
                                           const Frame<Number>* slots) {
  Frame<Number> frame = slot < 0 ? Frame<Number>::identity() : slots[slot];
  passPose(pose, frame);
  return frame;
}

/// Another frame as it is seen from a frame.
template <class Number>
GENERATIVE_IK_INLINE Frame<Number> seenFrom(const Frame<Number>& frame,
                                            const Frame<Number>& other) {
  const Vector3<Number>& a = frame.rows[0];
  const Vector3<Number>& b = frame.rows[1];
  const Vector3<Number>& c = frame.rows[2];
  const auto mixed = [&other](const Number& x, const Number& y, const Number& z) {
    return x * other.rows[0] + y * other.rows[1] + z * other.rows[2];
  };
  const Vector3<Number> away = other.origin - frame.origin;
  return {{mixed(a.x, b.x, c.x), mixed(a.y, b.y, c.y), mixed(a.z, b.z, c.z)},
          away.x * a + away.y * b + away.z * c};
}

/// A goal's tip as it is seen from its target; `element(i, j)` is that of the target in the
/// reference.
template <class Number, class Element>
GENERATIVE_IK_INLINE Frame<Number> tipInTarget(const RodriguesTree& tree, std::int64_t goal,
                                               const Element& element,
                                               const Frame<Number>* slots) {
  Frame<Number> target = fixedTo(tree.reference_slot[goal], tree.reference + 16 * goal, slots);
  passPose(element, target);
  return seenFrom(target, fixedTo(tree.tip_slot[goal], tree.tip + 16 * goal, slots));
}

}  // namespace generative_ik::verify
