#include "server.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace generative_ik_ros {
namespace {

using generative_ik::Deadline;
using generative_ik::Query;
using generative_ik::Vector;

// Share of the wait that the server may think; the rest is for the way there and back.
constexpr double kThinkingShare = 0.85;
constexpr std::chrono::seconds kSilence{1};
constexpr std::chrono::seconds kLeaveAlone{2};
constexpr int kLogPeriod = 5000;  // [ms]
constexpr std::size_t kAnswersKept = 1000;

rclcpp::ExecutorOptions optionsOf(const rclcpp::Node& caller) {
  rclcpp::ExecutorOptions options;
  options.context = caller.get_node_options().context();
  return options;
}

// Of a name that no other node has, without the caller's remappings of node name and parameters.
rclcpp::Node::SharedPtr privateNode(const rclcpp::Node& caller) {
  static std::atomic<int> count{0};
  rclcpp::NodeOptions options;
  options.context(caller.get_node_options().context());
  options.use_global_arguments(false);
  options.start_parameter_services(false);
  options.start_parameter_event_publisher(false);
  options.enable_rosout(false);
  const std::string name =
      std::string(caller.get_name()) + "_generative_ik_client_" + std::to_string(count++);
  return std::make_shared<rclcpp::Node>(name, caller.get_namespace(), options);
}

geometry_msgs::msg::Pose messageOf(const Eigen::Isometry3d& pose) {
  const Eigen::Quaterniond turn(pose.linear());
  geometry_msgs::msg::Pose message;
  message.position.x = pose.translation().x();
  message.position.y = pose.translation().y();
  message.position.z = pose.translation().z();
  message.orientation.x = turn.x();
  message.orientation.y = turn.y();
  message.orientation.z = turn.z();
  message.orientation.w = turn.w();
  return message;
}

// For each variable of the chain its place in the server's rows; empty: the joints are others.
std::vector<std::size_t> placesOf(const generative_ik::Chain& chain,
                                  const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  for (const generative_ik::Variable& variable : chain.variables()) {
    const auto at = std::find(names.begin(), names.end(), variable.name);
    if (at == names.end()) {
      return {};
    }
    places.push_back(static_cast<std::size_t>(at - names.begin()));
  }
  return names.size() == places.size() ? places : std::vector<std::size_t>{};
}

std::vector<Vector> rowsOf(const std::vector<double>& values,
                           const std::vector<std::size_t>& places) {
  std::vector<Vector> rows;
  for (std::size_t row = 0; row + places.size() <= values.size(); row += places.size()) {
    Vector q(static_cast<Eigen::Index>(places.size()));
    for (std::size_t i = 0; i < places.size(); ++i) {
      q[static_cast<Eigen::Index>(i)] = values[row + places[i]];
    }
    rows.push_back(std::move(q));
  }
  return rows;
}

}  // namespace

Server::Server(rclcpp::Node& caller, ServerSettings settings)
    : settings_(std::move(settings)),
      logger_(caller.get_logger().get_child("generative_ik")),
      node_(privateNode(caller)),
      // A client hears the answers to all others as well: of ROS's ten its own may be the oldest.
      client_(node_->create_client<GetIKSolutions>(settings_.service,
                                                   rclcpp::ServicesQoS().keep_last(kAnswersKept))),
      executor_(optionsOf(caller)) {
  executor_.add_node(node_);
  // Returns at once where the promise is kept already: stopping cannot come too early.
  thread_ = std::thread([this, stopped = stop_.get_future().share()] {
    executor_.spin_until_future_complete(stopped);
  });
  const std::string service = client_->get_service_name();
  if (client_->wait_for_service(std::chrono::duration<double>(settings_.startup_wait))) {
    RCLCPP_INFO(logger_, "solver node found: %s", service.c_str());
  } else {
    RCLCPP_WARN(logger_,
                "no solver node at %s (yet): the plugin solves by itself until it is there",
                service.c_str());
  }
}

Server::~Server() {
  stop_.set_value();
  executor_.cancel();
  thread_.join();
}

std::optional<ServerAnswer> Server::ask(const Query& query, int num_solutions,
                                        std::int64_t random_seed, const Deadline& deadline) {
  if (away() || deadline.passed()) {
    return std::nullopt;
  }
  const auto response = call(request(query, num_solutions, random_seed, deadline), deadline);
  return response == nullptr ? std::nullopt : read(*response, query);
}

bool Server::away() {
  if (std::chrono::steady_clock::now() < leave_alone_until_.load()) {
    return true;
  }
  if (client_->service_is_ready()) {
    return false;
  }
  RCLCPP_WARN_THROTTLE(logger_, steady_, kLogPeriod, "solver node %s is away: solving locally",
                       client_->get_service_name());
  return true;
}

Server::GetIKSolutions::Request::SharedPtr Server::request(const Query& query, int num_solutions,
                                                           std::int64_t random_seed,
                                                           const Deadline& deadline) const {
  auto request = std::make_shared<GetIKSolutions::Request>();
  request->targets.header.frame_id = settings_.base_link;
  request->targets.poses.push_back(messageOf(query.target_in_base));
  request->tip_link = settings_.tip_link;
  request->num_solutions = static_cast<std::uint32_t>(num_solutions);
  const Vector& seed = query.box.seed();
  request->seed_state.assign(seed.data(), seed.data() + seed.size());
  for (const generative_ik::Variable& variable : query.chain.variables()) {
    request->seed_joint_names.push_back(variable.name);
  }
  request->consistency_limits = query.consistency_limits;
  request->position_tolerance = query.tolerance.position;
  request->orientation_tolerance = query.tolerance.orientation;
  request->sampler = settings_.sampler;
  request->random_seed = random_seed;
  request->timeout = kThinkingShare * deadline.remaining();
  return request;
}

Server::GetIKSolutions::Response::SharedPtr Server::call(
    const GetIKSolutions::Request::SharedPtr& request, const Deadline& deadline) {
  const auto asked = std::chrono::steady_clock::now();
  auto pending = client_->async_send_request(request);
  if (pending.future.wait_until(deadline.end()) == std::future_status::ready) {
    last_answer_ = std::chrono::steady_clock::now();
    suspected_ = false;
    return pending.future.get();
  }
  client_->remove_pending_request(pending.request_id);
  noteSilence(asked);
  return nullptr;
}

void Server::noteSilence(std::chrono::steady_clock::time_point asked) {
  const auto now = std::chrono::steady_clock::now();
  const auto last = last_answer_.load();
  if (now < last + kSilence) {
    return;
  }
  if (asked > last + kSilence && now - asked < kSilence && !suspected_.exchange(true)) {
    // Nobody had asked for a while: that there was no answer meanwhile says nothing.
    last_answer_ = asked;
    return;
  }
  leave_alone_until_ = now + kLeaveAlone;
  suspected_ = false;
  RCLCPP_WARN_THROTTLE(logger_, steady_, kLogPeriod,
                       "solver node %s does not answer: solving locally for %ld s",
                       client_->get_service_name(), static_cast<long>(kLeaveAlone.count()));
}

std::optional<ServerAnswer> Server::read(const GetIKSolutions::Response& response,
                                         const Query& query) {
  if (response.status < 0) {
    RCLCPP_ERROR_THROTTLE(logger_, steady_, kLogPeriod, "solver node refused, solving locally: %s",
                          response.message.c_str());
    return std::nullopt;
  }
  const std::vector<std::size_t> places = placesOf(query.chain, response.joint_names);
  if (places.empty()) {
    RCLCPP_ERROR_THROTTLE(
        logger_, steady_, kLogPeriod,
        "the solver node's chain, %s to %s, has other joints than the group: set its "
        "parameter base_link to %s; solving locally",
        response.base_link.c_str(), response.tip_link.c_str(), settings_.base_link.c_str());
    return std::nullopt;
  }
  ServerAnswer answer;
  answer.solutions = rowsOf(response.positions, places);
  const std::vector<Vector> closest = rowsOf(response.best_effort, places);
  if (!closest.empty()) {
    answer.closest = closest.front();
  }
  answer.unreachable = response.status == GetIKSolutions::Response::NO_SOLUTION;
  return answer;
}

}  // namespace generative_ik_ros
