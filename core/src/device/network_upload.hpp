/// The weights of networks in the memory of a device.
#pragma once

#include "../learned/arm_completion.hpp"
#include "../learned/distal.hpp"
#include "../learned/spline_flow.hpp"
#include "problem_upload.hpp"

namespace generative_ik::device {

/// Appends all arrays of a network.
learned::SplineFlow appended(const learned::SplineFlow& flow, Arrays& arrays,
                             const std::byte* base);
learned::Arm appended(const learned::Arm& arm, Arrays& arrays, const std::byte* base);
learned::MemberNetworks appended(const learned::MemberNetworks& networks, Arrays& arrays,
                                 const std::byte* base);

/// Appends what is drawn, but for positions, which are not written.
learned::FlowRequest appended(const learned::FlowRequest& request, std::int64_t width,
                              Arrays& arrays, const std::byte* base);
learned::CompletionRequest appended(const learned::CompletionRequest& request, Arrays& arrays,
                                    const std::byte* base);

}  // namespace generative_ik::device
