/// Layers of configurations, one for each pose, and the shortest path through them.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "follow.hpp"

namespace generative_ik::paths {

/// How a track ended at a pose, and the motion at which it did.
struct TrackEnd {
  std::int64_t pose;
  Ending ending;
  std::vector<double> before;  ///< Empty if it is not known.
  std::vector<double> after;
};

/// What a path through layers may use, and by what it counts.
struct Wanted {
  std::vector<double> first;  ///< (K) cost of beginning at each node of the first layer.
  std::vector<char> last;     ///< (K) whether it may end at the node of the last layer.
  /// Whether the node of a track at a pose may be used; null: all may.
  std::function<bool(std::int64_t track, std::int64_t pose)> usable{};
  /// Motions with a joint's weighted motion above this are left out.
  double longest = std::numeric_limits<double>::infinity();
  bool bottleneck = false;  ///< Whether a path counts by its longest motion of a joint.
};

/// Tracks that follow the poses, and the motions between their configurations. Every configuration
/// of a track is a node of its pose's layer. Two nodes of neighbouring layers are joined if no
/// joint moves further than a step between them and the motion is free.
class Layers {
 public:
  static constexpr std::int64_t kMostTracks = 256;

  /// Keeps the task by reference. Args: most: tracks that there is room for at most.
  explicit Layers(const PathTask& task, std::int64_t most = kMostTracks);

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(tracks_.size()); }
  [[nodiscard]] std::int64_t room() const { return room_; }
  [[nodiscard]] const double* node(std::int64_t track, std::int64_t pose) const {
    return tracks_[at(track)].positions.get() + pose * task_.size;
  }
  [[nodiscard]] bool isUsable(std::int64_t track, std::int64_t pose) const {
    return tracks_[at(track)].usable[at(pose)] != 0;
  }
  /// The margins of a track's nodes at all poses; empty until someone has measured them.
  [[nodiscard]] std::vector<double>& margins(std::int64_t track) {
    return tracks_[at(track)].margins;
  }
  [[nodiscard]] const std::vector<TrackEnd>& endings() const { return endings_; }
  /// The length of the last search's shortest path to a node; infinite: not reached.
  [[nodiscard]] double cost(std::int64_t pose, std::int64_t track) const {
    const std::int64_t place = pose * cost_width_ + track;
    return track < cost_width_ ? cost_[at(place)] : std::numeric_limits<double>::infinity();
  }

  /// Follows the poses both ways from solutions of a pose, where there is room. With `before`,
  /// these lie before the first pose, and a step leads there.
  void addTracks(const Rows& starts, std::int64_t pose, bool before = false);

  /// Adds configurations of the poses from `first`; their motions are free. Where there is no room
  /// for them, they take the place of the last track.
  void addPath(const Rows& path, std::int64_t first = 0);

  /// Notes that a node collides after all, or only the motion there from the node before.
  void blockNode(std::int64_t pose, std::int64_t node);
  void blockMotion(std::int64_t pose, std::int64_t before, std::int64_t node);

  /// The nodes of the shortest path, of as many poses as can be reached.
  [[nodiscard]] std::vector<std::int64_t> shortest(const Wanted& wanted);

  /// The configurations of nodes, one for each of the first poses.
  [[nodiscard]] Rows path(const std::vector<std::int64_t>& nodes) const;

  /// The track that leads furthest from the first pose, free as far as spheres can tell. first,
  /// last: as in `Wanted`; a track that must not end at the last pose leads to the one before.
  [[nodiscard]] Rows longestTrack(const std::vector<double>& first,
                                  const std::vector<char>& last) const;

  /// From which pose on each track leads to the end; the number of poses where it does not.
  [[nodiscard]] std::vector<std::int64_t> leadingToTheEnd(const std::vector<char>& last) const;

 private:
  struct TrackNodes {
    std::unique_ptr<double[]> positions;  // NOLINT(*-avoid-c-arrays): (B, n), not written at first
    std::vector<char> usable;             // (B)
    std::vector<double> margins{};        // (B), or empty: not measured
    std::vector<double> errors{};         // (B) what they cost; empty: all poses are exact
  };
  /// What is reached of a pose, side by side in memory.
  struct Reached {
    std::vector<std::int64_t> tracks;
    std::vector<double> costs;
    Rows nodes;

    void add(std::int64_t track, double cost, const double* node) {
      tracks.push_back(track);
      costs.push_back(cost);
      nodes.append(node);
    }
  };
  /// The verdict on a motion that nobody has asked for.
  static constexpr std::uint8_t kNotChecked = 255;

  void grow(std::int64_t count);
  // Marks a node as usable, after its configuration was written.
  void add(std::int64_t track, std::int64_t pose);
  // What the error costs that is left at a node.
  [[nodiscard]] double errorAt(std::int64_t track, std::int64_t pose) const {
    const std::vector<double>& errors = tracks_[at(track)].errors;
    return errors.empty() ? 0.0 : errors[at(pose)];
  }
  [[nodiscard]] std::uint8_t& edge(std::int64_t pose, std::int64_t from, std::int64_t to) {
    return edges_[at((pose * size() + from) * size() + to)];
  }
  [[nodiscard]] std::uint8_t edge(std::int64_t pose, std::int64_t from, std::int64_t to) const {
    return edges_[at((pose * size() + from) * size() + to)];
  }
  void follow(std::int64_t first, const Rows& starts, std::int64_t pose, bool before,
              std::int64_t direction);
  [[nodiscard]] double through(double cost, const double* before, const double* after,
                               const Wanted& wanted) const;
  bool reach(std::int64_t pose, std::int64_t node, const Wanted& wanted, const Reached& reached,
             std::vector<std::int64_t>& parent);

  const PathTask& task_;
  std::int64_t room_;
  std::vector<double> resolution_;
  CollisionMemory memory_;
  std::vector<TrackNodes> tracks_;
  std::vector<std::uint8_t> edges_;  // (B, K, K) verdicts as far as they are known
  std::vector<double> cost_;         // (B, K)
  std::int64_t cost_width_ = 0;
  std::vector<TrackEnd> endings_;
};

}  // namespace generative_ik::paths
