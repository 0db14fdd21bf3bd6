/// Where arrays are in one piece of a device's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace generative_ik::device {

/// Where arrays begin: as far apart as what a GPU reads at once.
inline constexpr std::size_t kAlignment = 256;

/// Lays arrays out one after the other in memory that begins at an address, which may be null to
/// count the bytes.
class Layout {
 public:
  explicit Layout(std::byte* base) : base_(base) {}

  template <class Number>
  Number* take(std::int64_t count) {
    const std::size_t at = used_;
    used_ += (static_cast<std::size_t>(count) * sizeof(Number) + kAlignment - 1) / kAlignment *
             kAlignment;
    return base_ == nullptr ? nullptr
                            : reinterpret_cast<Number*>(base_ + at);  // NOLINT(*-reinterpret-cast)
  }

  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

}  // namespace generative_ik::device
