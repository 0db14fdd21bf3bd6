/// Points by their coordinates, each one once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "triangles.hpp"

namespace generative_ik::collision::building {

/// A table of keys by hash; keys keep the numbers in which they came.
template <class Key, class Hash>
class NumberedKeys {
 public:
  explicit NumberedKeys(std::size_t most) : slots_(std::bit_ceil(2 * most + 2), -1) {}

  /// The number of a key, which is added if it is new.
  std::int64_t numberOf(const Key& key) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = Hash()(key) & mask;; at = (at + 1) & mask) {
      if (slots_[at] < 0) {
        slots_[at] = static_cast<std::int64_t>(keys_.size());
        keys_.push_back(key);
        return slots_[at];
      }
      if (keys_[static_cast<std::size_t>(slots_[at])] == key) {
        return slots_[at];
      }
    }
  }

  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

 private:
  std::vector<std::int64_t> slots_;
  std::vector<Key> keys_;
};

/// Spreads bits (D. Stafford's variant 13 of MurmurHash3's last step).
inline std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

struct PlaceHash {
  std::size_t operator()(const std::array<double, 3>& place) const {
    std::uint64_t bits = 0;
    for (const double number : place) {
      bits = mixed(bits ^ std::bit_cast<std::uint64_t>(number));
    }
    return static_cast<std::size_t>(bits);
  }
};

/// Numbers points in the order in which they come, the same for all at one place.
class PlaceTable : public NumberedKeys<std::array<double, 3>, PlaceHash> {
 public:
  using NumberedKeys::NumberedKeys;

  std::int64_t numberOfPoint(const Point& p) {
    // -0.0 and 0.0 are one.
    return numberOf({p.x + 0.0, p.y + 0.0, p.z + 0.0});
  }
  [[nodiscard]] Point point(std::size_t number) const {
    const std::array<double, 3>& place = keys()[number];
    return {place[0], place[1], place[2]};
  }
};

/// Each of some points once, in the order in which they come.
inline std::vector<Point> uniquePoints(const std::vector<Point>& points) {
  PlaceTable table(points.size());
  for (const Point& point : points) {
    table.numberOfPoint(point);
  }
  std::vector<Point> unique;
  unique.reserve(table.keys().size());
  for (std::size_t k = 0; k < table.keys().size(); ++k) {
    unique.push_back(table.point(k));
  }
  return unique;
}

}  // namespace generative_ik::collision::building
