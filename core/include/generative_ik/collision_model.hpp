/// A robot's collision geometry, made of shapes: which configurations are free among obstacles.
///
///   const generative_ik::CollisionModel model(chain, links);
///   const generative_ik::CollisionChecker checker = model.among({{{"table", table}}});
///   checker.applyTo(request);
#pragma once

#include <functional>
#include <generative_ik/chain.hpp>
#include <generative_ik/collision_world.hpp>
#include <generative_ik/shapes.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace generative_ik {

/// A link, or what is attached to one.
struct CollisionLink {
  std::string name;  ///< That no other has.
  /// Its frame: how many joints of the chain move it, and where it is behind the last of them.
  ChainFrame frame;
  std::vector<Shape> shapes;  ///< In its frame; at least one.
  double padding = 0.0;       ///< How far it stays from other links; two add theirs [m].
  std::size_t chain = 0;      ///< Which of several chains it is part of.
};

/// Pairs of names.
using NamePairs = std::vector<std::pair<std::string, std::string>>;

/// The pairs of links that touch where a joint joins them: those that just one moving joint moves
/// against each other. Throws std::invalid_argument if a link's frame is not the chain's.
NamePairs adjoiningLinks(const std::vector<Chain>& chains,
                         const std::vector<CollisionLink>& links);

/// Something that stands.
struct CollisionObject {
  std::string name;
  Shape shape;  ///< In the frame of the base.
};

/// What stands around a robot.
struct CollisionScene {
  std::vector<CollisionObject> objects{};
  double padding = 0.0;  ///< Distance that links keep from objects, at least 0 [m].
  NamePairs allowed{};   ///< Objects and links that may touch.
};

/// Checks configurations of a robot among obstacles. Copies share what does not change, and any
/// number of threads may use one. Configurations have the variables of the chains, in the order
/// in which the chains first name them. One of another length, or with NaN or infinity, throws
/// std::invalid_argument.
class CollisionChecker {
 public:
  /// Whether shapes touch, are closer than the margins, or are inside of each other. Where spheres
  /// around and inside the links do not tell, the shapes themselves decide; what is closer than
  /// 1e-6 m counts as touching.
  [[nodiscard]] bool collides(const Vector& q) const;
  /// The same, of as many finite numbers as there are variables, which is not checked.
  [[nodiscard]] bool collides(const double* q) const;

  /// The names of two things that collide: two links, or a link and an object.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>> collidingPair(
      const Vector& q) const;

  /// Distance from the nearest thing, between the shapes themselves, margins not taken off [m];
  /// infinite where there is nothing. Inside of a mesh it is that from its surface.
  [[nodiscard]] double distance(const Vector& q) const;

  /// Has all that an `IKRequest` or a `PathRequest` asks for be free of collisions.
  template <class Request>
  void applyTo(Request& request) const {
    request.world = &world();
    request.collides = [checker = *this](const Vector& q) { return checker.collides(q); };
  }

  /// What requests and trackers take: the check by spheres, beside which `collides` decides. It
  /// lives as long as the checker, or a copy of it.
  [[nodiscard]] const CollisionWorld& world() const;

 private:
  friend class CollisionModel;
  struct Parts;
  [[nodiscard]] const Vector& checked(const Vector& q) const;
  explicit CollisionChecker(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<const Parts> parts_;
};

/// The geometry of a robot's links, from which checkers among obstacles are made.
///
/// Spheres around each link and inside it are built at once, by as many threads as there are
/// cores; the same shapes give the same spheres on any number of them.
class CollisionModel {
 public:
  /// Args:
  ///   chain: What moves.
  ///   links: Those that have shapes. What stands with the base (no joint moves it) is checked
  ///     against those that move, too.
  ///   unchecked: Pairs of links that are not checked against each other, as an SRDF disables
  ///     them. None: `adjoiningLinks`. Links that stand together are not, either way.
  /// Throws std::invalid_argument if a shape is unsound, a link has none, a name is there twice or
  /// does not exist, a frame is not the chain's, or a padding is no number from 0 on.
  CollisionModel(const Chain& chain, const std::vector<CollisionLink>& links,
                 const std::optional<NamePairs>& unchecked = std::nullopt);

  /// The same of several chains from one base; variables of one name are one.
  CollisionModel(const std::vector<Chain>& chains, const std::vector<CollisionLink>& links,
                 const std::optional<NamePairs>& unchecked = std::nullopt);

  /// The check among obstacles, of the robot alone if there are none. Throws
  /// std::invalid_argument if a shape is unsound, an allowed pair names a link that there is not,
  /// or the padding is no number from 0 on.
  [[nodiscard]] CollisionChecker among(const CollisionScene& scene = {}) const;

 private:
  friend class CollisionChecker;
  struct Robot;
  class Assembly;
  std::shared_ptr<const Robot> robot_;
};

}  // namespace generative_ik
