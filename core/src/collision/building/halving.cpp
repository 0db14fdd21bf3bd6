#include "halving.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace generative_ik::collision::building {
namespace {

/// Where an item is along a direction.
struct Item {
  double along;
  std::int64_t number;
};

using Items = std::vector<Item>::iterator;

bool isBefore(const Item& a, const Item& b) {
  return a.along < b.along || (a.along == b.along && a.number < b.number);
}

/// The division of some items.
class Division {
 public:
  Division(const std::vector<Point>& places, const std::vector<double>& weights)
      : places_(places), weights_(weights), groups_(places.size(), 0) {}

  void divide(Items first, Items last, int times, std::int64_t group) {
    if (last - first <= 1 || times == 0) {
      for (; first != last; ++first) {
        groups_[static_cast<std::size_t>(first->number)] = group << times;
      }
      return;
    }
    const double total = weightOf(first, last);
    const Point way = longestDirection(first, last, total);
    for (Items item = first; item != last; ++item) {
      const double place = dot(placeOf(*item), way);
      item->along = std::isfinite(place) ? place : 0.0;
    }
    const Items half = halfOf(first, last, total);
    divide(first, half, times - 1, 2 * group);
    divide(half, last, times - 1, 2 * group + 1);
  }

  [[nodiscard]] std::vector<std::int64_t> take() { return std::move(groups_); }

 private:
  [[nodiscard]] const Point& placeOf(const Item& item) const {
    return places_[static_cast<std::size_t>(item.number)];
  }
  [[nodiscard]] double weightOf(const Item& item) const {
    return weights_[static_cast<std::size_t>(item.number)];
  }
  [[nodiscard]] double weightOf(Items first, Items last) const {
    double weight = 0.0;
    for (; first != last; ++first) {
      weight += weightOf(*first);
    }
    return weight;
  }

  // The principal direction of some items.
  [[nodiscard]] Point longestDirection(Items first, Items last, double total) const {
    Point middle = {0.0, 0.0, 0.0};
    for (Items item = first; item != last; ++item) {
      middle = middle + weightOf(*item) * placeOf(*item);
    }
    middle = (1.0 / total) * middle;
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (Items item = first; item != last; ++item) {
      const Point p = placeOf(*item) - middle;
      const Point q = weightOf(*item) * p;
      spread(0, 0) += q.x * p.x;
      spread(1, 0) += q.y * p.x;
      spread(1, 1) += q.y * p.y;
      spread(2, 0) += q.z * p.x;
      spread(2, 1) += q.z * p.y;
      spread(2, 2) += q.z * p.z;
    }
    const double largest = spread.diagonal().maxCoeff();
    if (!(largest > std::numeric_limits<double>::min()) || !spread.allFinite()) {
      return {1.0, 0.0, 0.0};
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(spread / largest);
    const Eigen::Vector3d way = solver.eigenvectors().col(2);
    return {way.x(), way.y(), way.z()};
  }

  // Brings items in front whose weight is about half of all; returns where the others begin.
  [[nodiscard]] Items halfOf(Items first, Items last, double total) const {
    Items low = first;
    Items high = last;
    double before = 0.0;
    while (high - low > 1) {
      const Items middle = low + (high - low) / 2;
      std::nth_element(low, middle, high, isBefore);
      const double weight = weightOf(low, middle);
      if (before + weight > total / 2.0) {
        high = middle;
      } else {
        before += weight;
        low = middle;
      }
    }
    // The item that the middle of the weight falls on belongs to the lower half if its own middle
    // does.
    const Items upper = before + weightOf(*low) / 2.0 > total / 2.0 ? low : low + 1;
    return std::clamp(upper, first + 1, last - 1);
  }

  const std::vector<Point>& places_;
  const std::vector<double>& weights_;
  std::vector<std::int64_t> groups_;
};

}  // namespace

std::vector<std::int64_t> halved(const std::vector<Point>& places,
                                 const std::vector<double>& weights, int times) {
  std::vector<Item> items;
  items.reserve(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    items.push_back({0.0, static_cast<std::int64_t>(k)});
  }
  Division division(places, weights);
  division.divide(items.begin(), items.end(), times, 0);
  return division.take();
}

}  // namespace generative_ik::collision::building
