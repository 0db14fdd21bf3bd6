// Client of the node's service ~/get_ik_solutions.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <generative_ik/deadline.hpp>
#include <generative_ik/pose_error.hpp>
#include <generative_ik/search_box.hpp>
#include <generative_ik_ros/srv/get_ik_solutions.hpp>
#include <memory>
#include <mutex>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <thread>
#include <vector>

namespace generative_ik_ros {

// The fields that all requests share.
struct ServerSettings {
  std::string service;
  std::string base_link;
  std::vector<std::string> tip_links;  // one, or several
  std::string sampler;
  bool avoid_collisions = false;
  double startup_wait = 0.0;  // [s]
};

// What a request asks for: targets are tips in the base link, one for each of the tip links.
struct Asked {
  const std::vector<generative_ik::Variable>& variables;
  std::vector<Eigen::Isometry3d> targets;
  const generative_ik::SearchBox& box;
  generative_ik::Tolerance tolerance;
  const generative_ik::ConsistencyLimits& limits;
};

// A client with its own node and thread, because the executor of the caller's node may be blocked
// by the thread that waits here. Any number of threads may ask at once.
class Server {
 public:
  // Args: caller: node whose context and namespace are used.
  Server(rclcpp::Node& caller, ServerSettings settings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  Server(Server&&) = delete;
  Server& operator=(Server&&) = delete;

  // A request under way. A reply that comes after its destruction is dropped.
  class Request {
   public:
    ~Request();
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    Request(Request&&) = delete;
    Request& operator=(Request&&) = delete;

    // Waits for the reply and returns its solutions, in the variables' order and unverified [rad
    // or m]; none if the server replies with an error or not before the deadline.
    std::vector<generative_ik::Vector> solutions();

    // The status in the reply, a constant of GetIKSolutions; 0: there is none.
    [[nodiscard]] int status() const { return status_; }

   private:
    friend class Server;
    using Future = rclcpp::Client<generative_ik_ros::srv::GetIKSolutions>::FutureAndRequestId;
    Request(Server& server, const std::vector<generative_ik::Variable>& variables, Future pending,
            const generative_ik::Deadline& deadline);

    Server& server_;
    const std::vector<generative_ik::Variable>& variables_;
    Future pending_;
    int status_ = 0;
    generative_ik::Deadline deadline_;
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
  };

  // Sends a request and returns at once. Args: random_seed: as in GetIKSolutions.srv. Returns null
  // if the server is not available. The variables must outlive the request.
  std::unique_ptr<Request> send(const Asked& asked, int num_solutions, std::int64_t random_seed,
                                const generative_ik::Deadline& deadline);

 private:
  using GetIKSolutions = generative_ik_ros::srv::GetIKSolutions;

  [[nodiscard]] GetIKSolutions::Request::SharedPtr request(
      const Asked& asked, int num_solutions, std::int64_t random_seed,
      const generative_ik::Deadline& deadline);
  std::vector<generative_ik::Vector> read(const GetIKSolutions::Response& response,
                                          const std::vector<generative_ik::Variable>& variables);
  [[nodiscard]] std::vector<double> limitsInOrder(const Asked& asked);
  bool unavailable();
  void recordNoReply(std::chrono::steady_clock::time_point asked);

  ServerSettings settings_;
  rclcpp::Logger logger_;
  rclcpp::Clock steady_{RCL_STEADY_TIME};
  rclcpp::Node::SharedPtr node_;
  rclcpp::Client<GetIKSolutions>::SharedPtr client_;
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::promise<void> stop_;
  std::thread thread_;
  // A server that does not reply is not asked for a while, because waiting delays every query. The
  // criterion is time, not a number of calls: a burst of calls with short timeouts may go
  // unanswered although the node works.
  std::atomic<std::chrono::steady_clock::time_point> last_answer_{
      std::chrono::steady_clock::now()};
  std::atomic<bool> suspected_{false};
  std::atomic<std::chrono::steady_clock::time_point> do_not_ask_until_{};
  // The server's order of the joints of several tips, which a reply says; guarded by the mutex.
  std::mutex order_mutex_;
  std::vector<std::string> order_;
};

}  // namespace generative_ik_ros
