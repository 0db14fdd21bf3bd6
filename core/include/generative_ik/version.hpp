/// What this build of the library is, for reports.
#pragma once

#include <string_view>

namespace generative_ik {

/// The version, as "0.1.0".
std::string_view version();

/// The set of instructions that the lanes use on this processor, the widest that it has: "avx512",
/// "avx2", "neon", or "baseline" for what every x86-64 has.
std::string_view instructionSet();

}  // namespace generative_ik
