#include "daemon/handlers/skill_manifest.h"

#include "daemon/handlers/skill_address.h"
#include "daemon/handlers/skill_files.h"
#include "daemon/handlers/skill_lookup.h"
#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"
#include "skills/document/document.h"
#include "skills/document/fields.h"
#include "skills/document/yaml_json.h"
#include "skills/library/skill_uri.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace upskill::daemon {
namespace {

constexpr int k_attempts = 3; // to find a skill that holds still
constexpr std::string_view k_document = "SKILL.md";

bool is_letter_or_digit(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
}

// The names that every host takes: ASCII, though the specification's validator knows more letters.
bool is_skill_name(std::string_view name) {
  return !name.empty() && name.size() <= document::k_max_name && is_letter_or_digit(name.front())
         && is_letter_or_digit(name.back()) && name.find("--") == std::string_view::npos
         && std::ranges::all_of(name,
                                [](char byte) { return byte == '-' || is_letter_or_digit(byte); });
}

// A field that is a string to every reader of YAML 1.2, and says something.
const std::string* text_of(const document::Yaml& front_matter, std::string_view field) {
  const document::Yaml* value = front_matter.find(field);
  bool is_text = value != nullptr && value->is_scalar()
                 && document::core_type(*value) == document::CoreType::string
                 && !value->text.empty();
  return is_text ? &value->text : nullptr;
}

std::string why_unreadable(std::string_view bytes, const document::Document& document) {
  if (!is_utf8(bytes) || bytes.find('\0') != std::string_view::npos) {
    return "its `SKILL.md` is not UTF-8 text";
  }
  // What our own reader puts up with others need not.
  if (document.parts.leading_blank || document.parts.opening_blank) {
    return "its `SKILL.md` does not begin with a line `---`";
  }
  if (!document.problems.empty()) {
    return "in its `SKILL.md` " + document.problems.front();
  }
  for (std::string_view field : {"name", "description"}) {
    if (text_of(document.front_matter, field) == nullptr) {
      return "its front matter has no `" + std::string(field) + "` that is a text";
    }
  }
  return {};
}

tl::unexpected<Error> not_for_hosts(std::string reason) {
  return fail(ErrorCode::unsupported, std::move(reason), "`skill_validate` says more");
}

tl::unexpected<Error> too_large(std::string reason) {
  return fail(ErrorCode::too_large,
              std::move(reason),
              "hosts need not take more than 512 files and 16 MiB of one skill");
}

// A file that was there a moment ago is gone, or a link out of the skill stands in its place.
bool is_moving(const Error& error) {
  return error.code == ErrorCode::not_found || error.code == ErrorCode::changed
         || error.code == ErrorCode::refused;
}

} // namespace

FrontMatter front_matter_of(std::string_view bytes) {
  document::Document document = document::read_document(bytes);
  FrontMatter result;
  result.reason = why_unreadable(bytes, document);
  if (result.reason.empty()) {
    result.name = *text_of(document.front_matter, "name");
    result.json = document.front_matter_json();
  }
  return result;
}

// A file of the skill, and how it is addressed.
struct SkillManifests::Found {
  std::string path;
  std::string uri;
  struct stat status = {};
};

SkillManifests::SkillManifests()
    : m_front_matter(k_most_front_matter) {}

SkillManifests::SkillManifests(FileDigests::Now now)
    : m_digests(std::move(now))
    , m_front_matter(k_most_front_matter) {}

Result<mcp::SkillEntry> SkillManifests::entry_of(const Catalogue& catalogue,
                                                 std::uint32_t index,
                                                 const std::stop_token& stopping) {
  const Catalogue::Row& row = catalogue.row(index);
  std::string_view name = catalogue.name(row);
  if (!is_skill_name(name)) {
    return not_for_hosts("its name has more than lower-case letters, digits and single hyphens, or "
                         "more than 64 characters");
  }
  if (is_taken_for_project(catalogue, row)) {
    return not_for_hosts("it is called like the addresses of a project's skills");
  }
  std::string prefix = library::skill_prefix(catalogue.project(row), name);
  for (int attempt = 1;; ++attempt) {
    TRY_ASSIGN(SkillPlace place, place_of(catalogue, index));
    TRY_ASSIGN(UniqueFd skill, open_skill(place));
    Result<mcp::SkillEntry> entry = entry_at(skill.get(), name, prefix, stopping);
    // A folder that was replaced while it was read is worth another look.
    if (entry || !is_moving(entry.error())) {
      return entry;
    }
    if (attempt == k_attempts) {
      return fail(ErrorCode::changed, "its files change while they are read", "try again");
    }
  }
}

Result<mcp::SkillEntry> SkillManifests::entry_at(int skill,
                                                 std::string_view name,
                                                 std::string_view prefix,
                                                 const std::stop_token& stopping) {
  std::string document = document_name(skill);
  std::vector<Found> files;
  std::uint64_t bytes = 0;
  std::string unaddressed;
  bool is_whole = visit_files(skill, [&](std::string path, const struct stat& status) {
    // A skill that has only a `skill.md` is read by the name that hosts ask for.
    std::string_view served = path == document ? k_document : std::string_view(path);
    std::optional<std::string> uri = library::uri_below(prefix, served);
    if (!uri) {
      unaddressed = std::move(path);
      return false;
    }
    files.push_back({std::move(path), std::move(*uri), status});
    bytes += static_cast<std::uint64_t>(status.st_size);
    return files.size() <= k_mcp_skill_resources && bytes <= k_mcp_skill_bytes
           && !stopping.stop_requested();
  });
  if (stopping.stop_requested()) {
    return fail(ErrorCode::cancelled, "the call was cancelled");
  }
  if (!unaddressed.empty()) {
    return not_for_hosts("its file `" + to_valid_utf8(unaddressed) + "` can have no address");
  }
  if (files.size() > k_mcp_skill_resources || bytes > k_mcp_skill_bytes) {
    return too_large(bytes > k_mcp_skill_bytes ? "it has more than 16 MiB"
                                               : "it has more than 512 files");
  }
  if (!is_whole) {
    return not_for_hosts("some of its folders cannot be read");
  }
  std::ranges::sort(files, {}, &Found::path);
  auto found = std::ranges::find(files, document, &Found::path);
  if (document.empty() || found == files.end()) {
    return not_for_hosts("it has no `SKILL.md` that is a file in it");
  }
  FileDigest document_digest;
  TRY_ASSIGN(std::shared_ptr<const FrontMatter> front,
             front_matter(skill, *found, document_digest, stopping));
  if (!front->reason.empty()) {
    return not_for_hosts(front->reason);
  }
  if (front->name != name) {
    return not_for_hosts("the name in its front matter, `"
                         + std::string(utf8_prefix(front->name, 2 * document::k_max_name))
                         + "`, is not that of its folder");
  }
  mcp::SkillEntry entry;
  entry.uri = found->uri;
  entry.front_matter = front->json;
  std::size_t left = k_mcp_skill_bytes;
  for (Found& file : files) {
    FileDigest digest = document_digest;
    if (&file != &*found) {
      if (std::optional<FileDigest> known = m_digests.known(file.status)) {
        digest = *known;
      } else {
        TRY_ASSIGN(digest, m_digests.read(skill, file.path, left, nullptr, stopping));
      }
    }
    if (static_cast<std::size_t>(digest.size) > left) {
      return too_large("it has more than 16 MiB");
    }
    left -= static_cast<std::size_t>(digest.size);
    entry.files.push_back({std::move(file.uri), "sha256:" + digest.digest.hex(), digest.size});
  }
  return entry;
}

// One reading gives both, so that the front matter is that of the digest.
Result<std::shared_ptr<const FrontMatter>> SkillManifests::front_matter(
    int skill, const Found& document, FileDigest& digest, const std::stop_token& stopping) {
  if (std::optional<FileDigest> known = m_digests.known(document.status)) {
    std::lock_guard lock(m_mutex);
    if (const auto* front = m_front_matter.find(known->digest)) {
      digest = *known;
      return *front;
    }
  }
  std::string bytes;
  TRY_ASSIGN(digest, m_digests.read(skill, document.path, k_mcp_skill_bytes, &bytes, stopping));
  auto front = std::make_shared<const FrontMatter>(front_matter_of(bytes));
  constexpr std::size_t k_overhead = 256; // bytes of an entry beside its text
  std::size_t weight = k_overhead + front->json.size() + front->reason.size();
  std::lock_guard lock(m_mutex);
  m_front_matter.put(digest.digest, front, weight);
  return front;
}

} // namespace upskill::daemon
