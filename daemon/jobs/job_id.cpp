#include "daemon/jobs/job.h"
#include "protocol/base/random.h"

namespace upskill::jobs {
namespace {

constexpr std::string_view k_prefix = "job-";
constexpr std::string_view k_uri_prefix = "upskill://job/";
constexpr std::string_view k_digits = "0123456789abcdef";
constexpr std::size_t k_bytes = 16;

} // namespace

std::string new_job_id() {
  return std::string(k_prefix) + random_hex(k_bytes);
}

bool is_job_id(std::string_view text) {
  return text.size() == k_prefix.size() + 2 * k_bytes && text.starts_with(k_prefix)
         && text.find_first_not_of(k_digits, k_prefix.size()) == std::string_view::npos;
}

std::string job_uri(std::string_view id) {
  return std::string(k_uri_prefix) + std::string(id);
}

std::optional<std::string> id_of_job_uri(std::string_view uri) {
  if (!uri.starts_with(k_uri_prefix) || !is_job_id(uri.substr(k_uri_prefix.size()))) {
    return std::nullopt;
  }
  return std::string(uri.substr(k_uri_prefix.size()));
}

} // namespace upskill::jobs
