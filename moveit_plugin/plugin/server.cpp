#include "server.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "pose_message.hpp"

namespace generative_ik_ros {
namespace {

using generative_ik::Deadline;
using generative_ik::Vector;
using srv::GetIKSolutions;

// Fraction of the wait that is the request's timeout; the rest is for communication.
constexpr double kTimeoutShare = 0.85;
// A server that has not replied for so long is not asked for the time below.
constexpr std::chrono::seconds kNoReplyTime{1};
constexpr std::chrono::seconds kDoNotAskTime{2};
constexpr int kLogPeriod = 5000;  // [ms]
constexpr std::size_t kQueueDepth = 1000;

rclcpp::ExecutorOptions optionsOf(const rclcpp::Node& caller) {
  rclcpp::ExecutorOptions options;
  options.context = caller.get_node_options().context();
  return options;
}

// A node with a unique name, without the caller's remappings and parameters.
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

// A client also receives the replies to all other clients of the service, which would overflow a
// queue of the default depth of 10. Humble's nodes take rmw's quality of service, later ones
// rclcpp's.
template <typename Node>
rclcpp::Client<GetIKSolutions>::SharedPtr clientOf(Node& node, const std::string& service) {
  const rclcpp::QoS quality = rclcpp::ServicesQoS().keep_last(kQueueDepth);
  if constexpr (requires { node.template create_client<GetIKSolutions>(service, quality); }) {
    return node.template create_client<GetIKSolutions>(service, quality);
  } else {
    return node.template create_client<GetIKSolutions>(service, quality.get_rmw_qos_profile());
  }
}

// The column of each of the variables in the server's rows; empty if the joints differ.
std::vector<std::size_t> columnsOf(const std::vector<generative_ik::Variable>& variables,
                                   const std::vector<std::string>& names) {
  std::vector<std::size_t> columns;
  for (const generative_ik::Variable& variable : variables) {
    const auto at = std::find(names.begin(), names.end(), variable.name);
    if (at == names.end()) {
      return {};
    }
    columns.push_back(static_cast<std::size_t>(at - names.begin()));
  }
  return names.size() == columns.size() ? columns : std::vector<std::size_t>{};
}

std::vector<Vector> rowsOf(const std::vector<double>& values,
                           const std::vector<std::size_t>& columns) {
  std::vector<Vector> rows;
  for (std::size_t row = 0; row + columns.size() <= values.size(); row += columns.size()) {
    Vector q(static_cast<Eigen::Index>(columns.size()));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      q[static_cast<Eigen::Index>(i)] = values[row + columns[i]];
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
      client_(clientOf(*node_, settings_.service)),
      executor_(optionsOf(caller)) {
  executor_.add_node(node_);
  // Returns immediately if the promise has been set before.
  thread_ = std::thread([this, stopped = stop_.get_future().share()] {
    executor_.spin_until_future_complete(stopped);
  });
  const std::string service = client_->get_service_name();
  if (client_->wait_for_service(std::chrono::duration<double>(settings_.startup_wait))) {
    RCLCPP_INFO(logger_, "solver node found: %s", service.c_str());
  } else {
    RCLCPP_WARN(logger_,
                "solver node not found: %s; the plugin uses its own solver until it is available",
                service.c_str());
  }
}

Server::~Server() {
  stop_.set_value();
  executor_.cancel();
  thread_.join();
}

std::unique_ptr<Server::Request> Server::send(const Asked& asked, int num_solutions,
                                              std::int64_t random_seed, const Deadline& deadline) {
  if (unavailable() || deadline.passed()) {
    return nullptr;
  }
  auto pending = client_->async_send_request(request(asked, num_solutions, random_seed, deadline));
  // The constructor is private.
  return std::unique_ptr<Request>(
      new Request(*this, asked.variables, std::move(pending), deadline));
}

Server::Request::Request(Server& server, const std::vector<generative_ik::Variable>& variables,
                         Future pending, const Deadline& deadline)
    : server_(server), variables_(variables), pending_(std::move(pending)), deadline_(deadline) {}

Server::Request::~Request() {
  server_.client_->remove_pending_request(pending_.request_id);
}

std::vector<Vector> Server::Request::solutions() {
  if (pending_.future.wait_until(deadline_.end()) != std::future_status::ready) {
    server_.recordNoReply(asked_);
    return {};
  }
  server_.last_answer_ = std::chrono::steady_clock::now();
  server_.suspected_ = false;
  const auto response = pending_.future.get();
  status_ = response->status;
  return server_.read(*response, variables_);
}

bool Server::unavailable() {
  if (std::chrono::steady_clock::now() < do_not_ask_until_.load()) {
    return true;
  }
  if (client_->service_is_ready()) {
    return false;
  }
  RCLCPP_WARN_THROTTLE(logger_, steady_, kLogPeriod,
                       "solver node %s is not available: solving locally",
                       client_->get_service_name());
  return true;
}

Server::GetIKSolutions::Request::SharedPtr Server::request(const Asked& asked, int num_solutions,
                                                           std::int64_t random_seed,
                                                           const Deadline& deadline) {
  auto request = std::make_shared<GetIKSolutions::Request>();
  request->targets.header.frame_id = settings_.base_link;
  for (const Eigen::Isometry3d& target : asked.targets) {
    request->targets.poses.push_back(messageOf(target));
  }
  if (settings_.tip_links.size() == 1) {
    request->tip_link = settings_.tip_links.front();
  } else {
    request->tip_links = settings_.tip_links;
  }
  request->num_solutions = static_cast<std::uint32_t>(num_solutions);
  const Vector& seed = asked.box.seed();
  request->seed_state.assign(seed.data(), seed.data() + seed.size());
  for (const generative_ik::Variable& variable : asked.variables) {
    request->seed_joint_names.push_back(variable.name);
  }
  request->consistency_limits = limitsInOrder(asked);
  request->position_tolerance = asked.tolerance.position;
  request->orientation_tolerance = asked.tolerance.orientation;
  request->sampler = settings_.sampler;
  request->avoid_collisions = settings_.avoid_collisions;
  request->random_seed = random_seed;
  request->timeout = kTimeoutShare * deadline.remaining();
  return request;
}

// Consistency limits in the server's order of the joints: along a chain; of several tips as in its
// last reply. None before the first one: candidates are checked against them in any case.
std::vector<double> Server::limitsInOrder(const Asked& asked) {
  if (asked.limits.empty() || settings_.tip_links.size() == 1) {
    return asked.limits;
  }
  const std::lock_guard<std::mutex> lock(order_mutex_);
  const std::vector<std::size_t> columns = columnsOf(asked.variables, order_);
  std::vector<double> limits(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    limits[columns[i]] = asked.limits[i];
  }
  return limits;
}

void Server::recordNoReply(std::chrono::steady_clock::time_point asked) {
  const auto now = std::chrono::steady_clock::now();
  const auto last = last_answer_.load();
  if (now < last + kNoReplyTime) {
    return;
  }
  if (asked > last + kNoReplyTime && now - asked < kNoReplyTime && !suspected_.exchange(true)) {
    // There was no request for a while, so the time since the last reply does not count.
    last_answer_ = asked;
    return;
  }
  do_not_ask_until_ = now + kDoNotAskTime;
  suspected_ = false;
  RCLCPP_WARN_THROTTLE(logger_, steady_, kLogPeriod,
                       "solver node %s does not reply: not asked for %ld s",
                       client_->get_service_name(), static_cast<long>(kDoNotAskTime.count()));
}

std::vector<Vector> Server::read(const GetIKSolutions::Response& response,
                                 const std::vector<generative_ik::Variable>& variables) {
  if (response.status < 0) {
    RCLCPP_ERROR_THROTTLE(logger_, steady_, kLogPeriod, "the solver node refused the request: %s",
                          response.message.c_str());
    return {};
  }
  const std::vector<std::size_t> columns = columnsOf(variables, response.joint_names);
  if (columns.empty()) {
    RCLCPP_ERROR_THROTTLE(
        logger_, steady_, kLogPeriod,
        "the solver node's chain, %s to %s, has other joints than the group: set its "
        "parameter base_link to %s",
        response.base_link.c_str(), response.tip_link.c_str(), settings_.base_link.c_str());
    return {};
  }
  const std::lock_guard<std::mutex> lock(order_mutex_);
  order_ = response.joint_names;
  return rowsOf(response.positions, columns);
}

}  // namespace generative_ik_ros
