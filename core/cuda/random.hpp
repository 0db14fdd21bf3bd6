/// Counter-based random numbers: each is a function of a key and a place in the sequence.
///
/// So threads share no state, and a seed is the same however many threads there are: Philox 4x32
/// with ten rounds (J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel random numbers: as easy as 1,
/// 2, 3, SC 2011).
#pragma once

#include <cstdint>

#include "../src/simd/lanes.hpp"

namespace generative_ik::cuda {

/// Four words of 32 bits.
struct Words {
  std::uint32_t a, b, c, d;
};

/// The words at a place of the sequence of a key.
GENERATIVE_IK_DEVICE inline Words philox(Words place, std::uint64_t key) {
  constexpr std::uint64_t kFirst = 0xD2511F53;
  constexpr std::uint64_t kSecond = 0xCD9E8D57;
  auto low = static_cast<std::uint32_t>(key);
  auto high = static_cast<std::uint32_t>(key >> 32U);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = kFirst * place.a;
    const std::uint64_t q = kSecond * place.c;
    place = {static_cast<std::uint32_t>(q >> 32U) ^ place.b ^ low, static_cast<std::uint32_t>(q),
             static_cast<std::uint32_t>(p >> 32U) ^ place.d ^ high, static_cast<std::uint32_t>(p)};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return place;
}

/// A number from 0 to below 1, of 24 bits: single precision has them all.
GENERATIVE_IK_DEVICE inline float unitOf(std::uint32_t word) {
  return static_cast<float>(word >> 8U) * (1.0F / 16777216.0F);
}

}  // namespace generative_ik::cuda
