#include "daemon/proxy/agent_cassette.h"

#include "daemon/models/cassette.h"
#include "daemon/models/wire_json.h"
#include "daemon/proxy/normalise.h"
#include "daemon/sandbox/confined_files.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <optional>

namespace upskill::proxy {
namespace {

using Json = nlohmann::json;
using Samples = std::map<std::uint32_t, RecordedAnswer>;

std::string file_name(const Json& request) {
  return request_digest(request).hex() + ".json";
}

Result<Samples>
read_samples(const std::string& bytes, const Json& request, const std::string& path) {
  auto wrong = [&](const std::string& what) {
    return fail(ErrorCode::corrupt,
                in_backticks(path) + ": " + what,
                "record it again, or take it from where it is from");
  };
  Json document = models::parse_json(bytes);
  if (!document.is_object() || models::count_member(document, "format") != 1) {
    return wrong("format: is not 1");
  }
  // As it is hashed: a file whose request was changed is another one's.
  if (request_digest(models::object_member(document, "request")) != request_digest(request)) {
    return wrong("request: is another one than the file is named by");
  }
  auto samples = document.find("samples");
  if (samples == document.end() || !samples->is_array()
      || samples->size() > models::k_max_cassette_samples) {
    return wrong("samples: is no list of at most 10,000 answers");
  }
  Samples read;
  for (const Json& one : *samples) {
    std::string where = "samples[" + std::to_string(read.size()) + "]";
    auto number = one.is_object() ? models::count_member(one, "sample") : std::nullopt;
    if (!number || *number < 0 || *number > UINT32_MAX) {
      return wrong(where + ".sample: is no number of a sample");
    }
    const Json& answer = models::object_member(one, "answer");
    auto status = models::count_member(answer, "status");
    if (!status || *status < 200 || *status > 599) {
      return wrong(where + ".answer.status: is no status of HTTP");
    }
    read[static_cast<std::uint32_t>(*number)] = {static_cast<int>(*status),
                                                 models::text_member(answer, "content_type"),
                                                 models::text_member(answer, "body")};
  }
  return read;
}

// Nothing where there is no file. No link is followed: it may lead anywhere.
Result<std::optional<Samples>> read_record(const std::string& folder, const Json& request) {
  std::string name = file_name(request);
  std::string path = join_path(folder, name);
  UniqueFd root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) {
    return fail(system_error(errno, in_backticks(folder)));
  }
  Result<std::string> bytes = sandbox::read_confined(root.get(), name, models::k_max_cassette_file);
  if (!bytes && bytes.error().code == ErrorCode::not_found) {
    return std::nullopt;
  }
  TRY(bytes);
  TRY_ASSIGN(Samples samples, read_samples(*bytes, request, path));
  return samples;
}

} // namespace

Result<void>
AgentCassette::add(const Json& request, std::uint32_t sample, const RecordedAnswer& answer) const {
  // Two runs may ask the same: what one adds, the other must not take away.
  static std::mutex one_at_a_time;
  std::lock_guard guard(one_at_a_time);
  TRY_ASSIGN(std::optional<Samples> known, read_record(m_folder, request));
  Samples samples = known.value_or(Samples());
  samples[sample] = answer;
  Json list = Json::array();
  for (const auto& [number, one] : samples) {
    list.push_back(
        {{"sample", number},
         {"answer",
          {{"status", one.status}, {"content_type", one.content_type}, {"body", one.body}}}});
  }
  Json document{{"format", 1}, {"request", request}, {"samples", std::move(list)}};
  std::string text = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  std::string path = join_path(m_folder, file_name(request));
  if (text.size() > models::k_max_cassette_file
      || samples.size() > models::k_max_cassette_samples) {
    return fail(
        ErrorCode::too_large, in_backticks(path) + " would be too long", "record fewer runs");
  }
  return write_file_atomically(path, text, 0644, Durability::process_crash);
}

Result<RecordedAnswer> AgentCassette::find(const Json& request, std::uint32_t sample) const {
  std::string path = join_path(m_folder, file_name(request));
  TRY_ASSIGN(std::optional<Samples> samples, read_record(m_folder, request));
  if (!samples) {
    return fail(ErrorCode::not_found,
                "there is no file " + in_backticks(path),
                "what the agent asks has changed: record it again");
  }
  auto found = samples->find(sample);
  if (found == samples->end()) {
    return fail(ErrorCode::not_found,
                in_backticks(path) + " has no sample " + std::to_string(sample),
                "record as many runs");
  }
  return found->second;
}

} // namespace upskill::proxy
