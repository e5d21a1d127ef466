// A server as its clients see it (README.md lists the requests).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include <httplib.h>

#include "apps/outsource/messages.hpp"
#include "libfhe/error.hpp"

namespace fhe::outsource {

// One thread at a time. All functions throw Error: with the server's message when it refuses,
// Error(io) when it cannot be reached, Error(stopped).
class Remote {
 public:
  using Progress = std::function<void(double fraction)>;

  // `url` is http://host:port. Throws Error(invalid_argument) for what is none.
  Remote(const std::string& url, const std::string& token, std::stop_token stop);

  Json get(const std::string& path);
  Json post(const std::string& path, const Json& json);
  Json post(const std::string& path);

  // Sends a file; returns what the server says about it. Throws Error(invalid_argument) for a
  // secret key, before anything is sent.
  Json upload(const std::string& path, const std::filesystem::path& file, const Progress& progress);

  // Writes what the server sends into a file: all of it, or nothing.
  void download(const std::string& path, const std::filesystem::path& file);

  // Waits until a job is finished. Goes on when the server is restarted meanwhile.
  Job wait_for(const std::string& job, const Progress& progress);

 private:
  Json checked(const httplib::Result& result) const;
  [[nodiscard]] Error lost(httplib::Error reason) const;
  void follow(const std::string& job, const Progress& progress);

  std::string url_;
  std::stop_token stop_;
  httplib::Client client_;
  std::stop_callback<std::function<void()>> wake_;
};

}  // namespace fhe::outsource
