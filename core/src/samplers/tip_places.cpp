#include "tip_places.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <utility>
#include <vector>

namespace generative_ik::samplers {
namespace {

using Points = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>;
using ConstPoints = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>;
using Turn = Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;

// The rotation that takes points nearest to others, from the product of their matrices.
Eigen::Matrix3d nearestRotation(const Eigen::Matrix3d& product) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> parts(product,
                                                Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d turn = parts.matrixV() * parts.matrixU().transpose();
  if (turn.determinant() < 0.0) {  // A reflection: the least direction is turned over.
    Eigen::Matrix3d left = parts.matrixU();
    left.col(2) *= -1.0;
    turn = parts.matrixV() * left.transpose();
  }
  return turn;
}

// Writes the squared distances of the sets that are looked at, less the square of the other's
// length.
void writeGaps(const StoredPlaces& stored, const float* features, float* gaps) {
  const std::int64_t size = stored.end - stored.begin;
  std::copy_n(stored.squares + stored.begin, size, gaps);
  // Three coordinates at a time, as points have them: else it is memory that takes the time.
  for (std::int64_t c = 0; c < stored.num_features; c += 3) {
    const float* x = stored.columns + c * stored.count + stored.begin;
    const float* y = x + stored.count;
    const float* z = y + stored.count;
    const float* twice = features + c;
    for (std::int64_t k = 0; k < size; ++k) {
      gaps[k] -= 2.0F * (twice[0] * x[k] + twice[1] * y[k] + twice[2] * z[k]);
    }
  }
}

}  // namespace

void gatherPoints(double* points, std::int64_t count, std::int64_t size, const double* mean,
                  double* turns, double* centres) {
  const ConstPoints towards(mean, size, 3);
  for (std::int64_t k = 0; k < count; ++k) {
    Points set(points + 3 * size * k, size, 3);
    const Eigen::RowVector3d centre = set.colwise().mean();
    set.rowwise() -= centre;
    const Eigen::Matrix3d product = set.transpose() * towards;
    const Eigen::Matrix3d turn = nearestRotation(product);
    set = (set * turn.transpose()).eval();
    Turn(turns + 9 * k) = turn;
    Eigen::Map<Eigen::RowVector3d>(centres + 3 * k) = centre;
  }
}

void nearestPlaces(const StoredPlaces& stored, const float* features, std::int64_t num_targets,
                   std::int64_t first, std::int64_t ranks, std::int64_t* rows) {
  const std::int64_t size = stored.end - stored.begin;
  const std::int64_t last = first + ranks;
  std::vector<float> gaps(static_cast<std::size_t>(size));
  // The largest of those that are wanted first; of equally near ones, the first is nearer.
  std::vector<std::pair<float, std::int64_t>> nearest(static_cast<std::size_t>(last));
  for (std::int64_t t = 0; t < num_targets; ++t) {
    writeGaps(stored, features + t * stored.num_features, gaps.data());
    for (std::size_t k = 0; k < nearest.size(); ++k) {
      nearest[k] = {gaps[k], static_cast<std::int64_t>(k)};
    }
    std::make_heap(nearest.begin(), nearest.end());
    for (std::size_t k = nearest.size(); k < gaps.size() && !nearest.empty(); ++k) {
      if (gaps[k] < nearest.front().first) {
        std::pop_heap(nearest.begin(), nearest.end());
        nearest.back() = {gaps[k], static_cast<std::int64_t>(k)};
        std::push_heap(nearest.begin(), nearest.end());
      }
    }
    std::sort_heap(nearest.begin(), nearest.end());
    std::transform(nearest.begin() + first, nearest.end(), rows + t * ranks,
                   [&stored](const auto& one) { return stored.begin + one.second; });
  }
}

}  // namespace generative_ik::samplers
