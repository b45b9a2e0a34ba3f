#include "daemon/models/cassette.h"

#include "daemon/models/answer_json.h"
#include "daemon/models/wire_json.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <optional>

namespace upskill::models {
namespace {

using Json = nlohmann::json;

// What a file holds.
struct Record {
  Json request;
  std::map<std::uint32_t, Answer> samples = {};
};

// Nothing where there is no file. A link is none: it may lead anywhere.
Result<std::optional<std::string>> read_plain_file(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file && errno == ENOENT) {
    return std::nullopt;
  }
  if (!file && errno == ELOOP) {
    return fail(ErrorCode::corrupt, fmt::format("{} is a link", in_backticks(path)));
  }

  struct stat status {};

  if (!file || ::fstat(file.get(), &status) != 0) {
    return fail(system_error(errno, "cannot read " + in_backticks(path)));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::corrupt, in_backticks(path) + " is no file");
  }
  std::string bytes;
  char piece[65'536];
  for (;;) {
    ssize_t size = ::read(file.get(), piece, sizeof piece);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0) {
      return fail(system_error(errno, "cannot read " + in_backticks(path)));
    }
    if (size == 0) {
      return bytes;
    }
    bytes.append(piece, static_cast<std::size_t>(size));
    if (bytes.size() > k_max_cassette_file) {
      return fail(
          ErrorCode::too_large,
          fmt::format("{} is longer than {} bytes", in_backticks(path), k_max_cassette_file));
    }
  }
}

// `key` decides which sample; the file's name, of which question it must be.
Result<Record>
read_record(const std::string& bytes, const AnswerKey& key, const std::string& path) {
  auto wrong = [&](std::string_view what) {
    return fail(ErrorCode::corrupt,
                fmt::format("{}: {}", in_backticks(path), what),
                "record it again, or take it from where it is from");
  };
  Json document = parse_json(bytes);
  if (!document.is_object()) {
    return wrong("is no JSON object");
  }
  if (count_member(document, "format") != 1) {
    return wrong("format: is not 1");
  }
  Record record{.request = object_member(document, "request")};
  auto system = record.request.find("system");
  if (system == record.request.end() || !system->is_string()) {
    return wrong("request.system: is no text");
  }
  if (question_digest(record.request) != key.question) {
    return wrong("request: is another question than the one that the file is named by");
  }
  auto samples = document.find("samples");
  if (samples == document.end() || !samples->is_array()
      || samples->size() > k_max_cassette_samples) {
    return wrong("samples: is no list of at most 10,000 answers");
  }
  for (std::size_t i = 0; i < samples->size(); ++i) {
    const Json& one = (*samples)[i];
    std::string where = fmt::format("samples[{}]", i);
    std::optional<std::int64_t> number =
        one.is_object() ? count_member(one, "sample") : std::nullopt;
    if (!number || *number > UINT32_MAX) {
      return wrong(where + ".sample: is no number of a sample");
    }
    Result<Answer> answer = read_answer(object_member(one, "answer"), where + ".answer");
    if (!answer) {
      return wrong(answer.error().message);
    }
    auto sample = static_cast<std::uint32_t>(*number);
    if (!record.samples.emplace(sample, std::move(*answer)).second) {
      return wrong(where + ".sample: is there twice");
    }
  }
  return record;
}

std::string write_record(const Record& record) {
  Json samples = Json::array();
  for (const auto& [sample, answer] : record.samples) {
    samples.push_back({{"sample", sample}, {"answer", answer_json(answer)}});
  }
  Json document{{"format", 1}, {"request", record.request}, {"samples", std::move(samples)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

Result<Cassette> Cassette::record_to(const std::string& folder) {
  TRY(make_directories(folder));
  return Cassette(folder);
}

Result<Cassette> Cassette::replay_from(const std::string& folder) {
  struct stat status {};

  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no folder {} to replay", in_backticks(folder)),
                "`--record` makes one");
  }
  return Cassette(folder);
}

std::string Cassette::file_name(const AnswerKey& key) {
  return key.question.hex() + ".json";
}

std::string Cassette::path_of(const AnswerKey& key) const {
  return m_folder + "/" + file_name(key);
}

Result<void> Cassette::add(const AnswerKey& key, const Json& readable, const Answer& answer) const {
  std::string path = path_of(key);
  Record record{.request = readable};
  TRY_ASSIGN(std::optional<std::string> bytes, read_plain_file(path));
  if (bytes) {
    TRY_ASSIGN(Record known, read_record(*bytes, key, path));
    record.samples = std::move(known.samples);
  }
  record.samples[key.sample] = answer;
  std::string text = write_record(record);
  if (text.size() > k_max_cassette_file || record.samples.size() > k_max_cassette_samples) {
    return fail(ErrorCode::too_large,
                fmt::format("{} would be longer than {} bytes, or of more than {} answers",
                            in_backticks(path),
                            k_max_cassette_file,
                            k_max_cassette_samples),
                "record fewer runs");
  }
  return write_file_atomically(path, text, 0644, Durability::process_crash);
}

Result<Answer> Cassette::find(const AnswerKey& key) const {
  std::string path = path_of(key);
  TRY_ASSIGN(std::optional<std::string> bytes, read_plain_file(path));
  if (!bytes) {
    return fail(ErrorCode::not_found, "there is no file " + in_backticks(path));
  }
  TRY_ASSIGN(Record record, read_record(*bytes, key, path));
  auto sample = record.samples.find(key.sample);
  if (sample == record.samples.end()) {
    return fail(ErrorCode::not_found,
                fmt::format("{} has no sample {}, only {} others",
                            in_backticks(path),
                            key.sample,
                            record.samples.size()));
  }
  return std::move(sample->second);
}

} // namespace upskill::models
