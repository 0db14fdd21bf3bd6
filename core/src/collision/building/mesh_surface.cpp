#include "mesh_surface.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "point_table.hpp"

namespace generative_ik::collision::building {
namespace {

/// Sets of items that are joined two by two.
class Union {
 public:
  explicit Union(std::size_t count) : above_(count) {
    std::iota(above_.begin(), above_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t item) {
    while (above_[item] != item) {
      above_[item] = above_[above_[item]];
      item = above_[item];
    }
    return item;
  }
  void join(std::size_t one, std::size_t other) {
    one = of(one);
    other = of(other);
    above_[std::max(one, other)] = std::min(one, other);
  }

 private:
  std::vector<std::size_t> above_;
};

struct EdgeHash {
  std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& ends) const {
    return static_cast<std::size_t>(mixed(mixed(static_cast<std::uint64_t>(ends.first)) ^
                                          static_cast<std::uint64_t>(ends.second)));
  }
};

/// The edges of a mesh.
struct Edges {
  Edges(const Mesh& mesh, const std::vector<Face>& faces) : places(mesh.vertices.size()) {
    std::vector<std::int64_t> same;
    same.reserve(mesh.vertices.size());
    for (const Eigen::Vector3d& v : mesh.vertices) {
      same.push_back(places.numberOfPoint({v.x(), v.y(), v.z()}));
    }
    NumberedKeys<std::pair<std::int64_t, std::int64_t>, EdgeHash> ends(3 * faces.size());
    for (const Face& face : faces) {
      Face of_places{};
      for (std::size_t k = 0; k < 3; ++k) {
        of_places.at(k) = same[static_cast<std::size_t>(face.at(k))];
      }
      Face of_edges{};
      std::array<int, 3> upwards{};
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int64_t here = of_places.at(k);
        const std::int64_t next = of_places.at((k + 1) % 3);
        const std::int64_t edge = ends.numberOf({std::min(here, next), std::max(here, next)});
        if (edge == static_cast<std::int64_t>(surplus.size())) {
          surplus.push_back(0);
          number.push_back(0);
        }
        upwards.at(k) = here < next ? 1 : here > next ? -1 : 0;
        surplus[static_cast<std::size_t>(edge)] += upwards.at(k);
        ++number[static_cast<std::size_t>(edge)];
        of_edges.at(k) = edge;
      }
      corners.push_back(of_places);
      edges.push_back(of_edges);
      up.push_back(upwards);
    }
  }

  [[nodiscard]] bool isOpen(std::int64_t edge) const {
    return surplus[static_cast<std::size_t>(edge)] != 0;
  }
  [[nodiscard]] std::int64_t gaps() const {
    return std::count_if(surplus.begin(), surplus.end(), [](int s) { return s != 0; });
  }

  /// The connected part that each face belongs to, by one of its places.
  [[nodiscard]] std::vector<std::size_t> parts() const {
    Union joined(places.keys().size());
    for (const Face& face : corners) {
      joined.join(static_cast<std::size_t>(face[0]), static_cast<std::size_t>(face[1]));
      joined.join(static_cast<std::size_t>(face[0]), static_cast<std::size_t>(face[2]));
    }
    std::vector<std::size_t> found;
    found.reserve(corners.size());
    for (const Face& face : corners) {
      found.push_back(joined.of(static_cast<std::size_t>(face[0])));
    }
    return found;
  }

  /// Whether the part of each face has an edge of some kind.
  template <class IsMarked>
  [[nodiscard]] std::vector<bool> has(const IsMarked& is_marked,
                                      const std::vector<std::size_t>& part) const {
    std::vector<bool> marked(places.keys().size(), false);
    for (std::size_t f = 0; f < edges.size(); ++f) {
      if (std::any_of(edges[f].begin(), edges[f].end(), is_marked)) {
        marked[part[f]] = true;
      }
    }
    std::vector<bool> found;
    found.reserve(part.size());
    for (const std::size_t p : part) {
      found.push_back(marked[p]);
    }
    return found;
  }

  [[nodiscard]] Triangle triangle(std::size_t f) const {
    const auto at = [&](std::size_t k) {
      return places.point(static_cast<std::size_t>(corners[f].at(k)));
    };
    return {at(0), at(1), at(2)};
  }

  PlaceTable places;
  std::vector<Face> corners;           // of each face, numbers of places
  std::vector<Face> edges;             // that begin at these
  std::vector<std::array<int, 3>> up;  // whether they are passed from the lower number up
  std::vector<int> surplus;            // how many more faces pass an edge up than down
  std::vector<int> number;             // how many faces pass it
};

// Which faces to flip so that neighbours, two at an edge, have the same side out.
//
// Each face is taken twice, as it is and flipped. Those that go together are joined, and of two
// sets that are each other's opposite the one is taken that flips less area, or points outwards.
std::vector<bool> facesToFlip(const Edges& edges) {
  const std::size_t count = edges.edges.size();
  struct Passage {
    std::size_t face = 0;
    int up = 0;
    bool there = false;
  };
  std::vector<Passage> first(edges.surplus.size());
  Union joined(2 * count);
  for (std::size_t f = 0; f < count; ++f) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto edge = static_cast<std::size_t>(edges.edges[f].at(k));
      if (edges.number[edge] != 2) {
        continue;
      }
      Passage& other = first[edge];
      const int up = edges.up[f].at(k);
      if (!other.there) {
        other = {f, up, true};
        continue;
      }
      const std::size_t against = up == other.up ? count : 0;
      joined.join(f, other.face + against);
      joined.join(f + count, other.face + count - against);
    }
  }
  std::vector<double> kept(2 * count, 0.0);
  std::vector<double> outwards(2 * count, 0.0);
  for (std::size_t f = 0; f < count; ++f) {
    const Triangle t = edges.triangle(f);
    const double volume = dot(t[0], cross(t[1], t[2]));
    kept[joined.of(f)] += 2.0 * areaOf(t);
    outwards[joined.of(f)] += volume;
    outwards[joined.of(f + count)] -= volume;
  }
  std::vector<bool> flip(count, false);
  for (std::size_t f = 0; f < count; ++f) {
    const std::size_t here = joined.of(f);
    const std::size_t there = joined.of(f + count);
    const double apart = std::fabs(kept[here] - kept[there]);
    const bool tie = apart <= 1e-8 + 1e-9 * kept[there];
    flip[f] = here != there && (tie ? outwards[there] > outwards[here] : kept[there] > kept[here]);
  }
  return flip;
}

struct Wound {
  std::vector<Face> faces;
  bool unsure;
  std::int64_t gaps;  // edges that more faces pass one way than back, open ones included
};

Wound consistent(const Mesh& mesh, std::vector<Face> faces) {
  const Edges edges(mesh, faces);
  const std::int64_t gaps = edges.gaps();
  if (gaps == 0) {
    return {std::move(faces), false, 0};
  }
  const std::vector<std::size_t> part = edges.parts();
  // Where an edge has an odd number of faces, the part is open, whatever their winding.
  const auto is_open = [&](std::int64_t edge) { return edges.isOpen(edge); };
  const auto is_odd = [&](std::int64_t edge) {
    return edges.number[static_cast<std::size_t>(edge)] % 2 != 0;
  };
  std::vector<bool> wrong = edges.has(is_open, part);
  const std::vector<bool> odd = edges.has(is_odd, part);
  for (std::size_t f = 0; f < wrong.size(); ++f) {
    wrong[f] = wrong[f] && !odd[f];
  }
  if (std::find(wrong.begin(), wrong.end(), true) == wrong.end()) {
    return {std::move(faces), false, gaps};
  }
  const std::vector<bool> flip = facesToFlip(edges);
  std::vector<Face> flipped = faces;
  for (std::size_t f = 0; f < flipped.size(); ++f) {
    if (wrong[f] && flip[f]) {
      std::swap(flipped[f][0], flipped[f][2]);
    }
  }
  const Edges now(mesh, flipped);
  const std::vector<bool> still =
      now.has([&](std::int64_t edge) { return now.isOpen(edge); }, part);
  bool unsure = false;
  for (std::size_t f = 0; f < flipped.size(); ++f) {
    if (still[f] && wrong[f]) {
      flipped[f] = faces[f];
      unsure = true;
    }
  }
  return {std::move(flipped), unsure, unsure ? gaps : now.gaps()};
}

template <class Keep>
std::vector<Face> facesWhere(const Mesh& mesh, const Keep& keep) {
  std::vector<Face> kept;
  for (const Face& face : mesh.faces) {
    if (keep(triangleOf(mesh, face))) {
      kept.push_back(face);
    }
  }
  return kept;
}

bool sharesNoPlace(const Triangle& t) {
  return squared(t[1] - t[0]) > 0.0 && squared(t[2] - t[1]) > 0.0 && squared(t[0] - t[2]) > 0.0;
}

}  // namespace

Triangle triangleOf(const Mesh& mesh, const Face& face) {
  const auto corner = [&](std::size_t k) {
    const Eigen::Vector3d& v = mesh.vertices[static_cast<std::size_t>(face.at(k))];
    return Point{v.x(), v.y(), v.z()};
  };
  return {corner(0), corner(1), corner(2)};
}

bool isDegenerate(const Triangle& t) {
  const double longest =
      std::max({squared(t[1] - t[0]), squared(t[2] - t[0]), squared(t[2] - t[1])});
  return lengthOf(normalOf(t)) <= 1e-12 * longest;
}

bool isClosed(const Mesh& mesh) {
  const Edges edges(mesh, mesh.faces);
  const bool any = std::any_of(edges.up.begin(), edges.up.end(), [](const auto& up) {
    return up[0] != 0 || up[1] != 0 || up[2] != 0;
  });
  return any && edges.gaps() == 0;
}

Repaired repairedFaces(const Mesh& mesh) {
  const std::vector<Face> sound =
      facesWhere(mesh, [](const Triangle& t) { return !isDegenerate(t); });
  if (sound.size() == mesh.faces.size() || sound.empty()) {
    Wound all = consistent(mesh, mesh.faces);
    return {std::move(all.faces), all.unsure};
  }
  Wound best = consistent(mesh, sound);
  if (best.gaps > 0) {
    Wound other = consistent(mesh, facesWhere(mesh, sharesNoPlace));
    if (other.gaps < best.gaps) {
      best = std::move(other);
    }
  }
  return {std::move(best.faces), best.unsure};
}

MeshParts partsOf(const Mesh& mesh) {
  const Edges edges(mesh, mesh.faces);
  const std::vector<std::size_t> part = edges.parts();
  const std::vector<bool> open =
      edges.has([&](std::int64_t edge) { return edges.isOpen(edge); }, part);
  std::vector<bool> met(edges.places.keys().size(), false);
  MeshParts found;
  for (std::size_t f = 0; f < part.size(); ++f) {
    const Triangle triangle = edges.triangle(f);
    if (!met[part[f]]) {
      met[part[f]] = true;
      found.points.push_back(triangle[0]);
    }
    if (!open[f]) {
      found.closed.push_back(triangle);
    }
  }
  return found;
}

bool windsAround(const std::vector<Triangle>& triangles, const Point& point) {
  double angle = 0.0;
  for (const Triangle& triangle : triangles) {
    const Point a = triangle[0] - point;
    const Point b = triangle[1] - point;
    const Point c = triangle[2] - point;
    const double la = lengthOf(a);
    const double lb = lengthOf(b);
    const double lc = lengthOf(c);
    angle += std::atan2(dot(a, cross(b, c)),
                        la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return std::fabs(angle) > kPi;
}

}  // namespace generative_ik::collision::building
