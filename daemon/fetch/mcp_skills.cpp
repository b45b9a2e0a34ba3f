#include "daemon/fetch/mcp_skills.h"

#include "daemon/models/wire_json.h"
#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "protocol/mcp/base64.h"
#include "protocol/mcp/uri.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace upskill::fetch {

using Json = nlohmann::json;

namespace {

constexpr std::string_view k_document = "SKILL.md";
constexpr std::string_view k_digest = "sha256:";

tl::unexpected<Error> bad_entry(std::string_view uri, const std::string& what) {
  return fail(ErrorCode::corrupt,
              "the server's entry for " + in_backticks(utf8_prefix(uri, 200)) + " " + what);
}

// `%41` as `A`; nothing for what is no byte.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    const char* begin = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(begin, begin + 2, value, 16).ptr != begin + 2) {
      return std::nullopt;
    }
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

// What follows the skill's root, as a path; nothing where it could lead out. An encoded slash is
// none between folders, so it is none at all.
std::optional<std::string> path_in(std::string_view rest) {
  std::string path;
  std::size_t depth = 0;
  while (true) {
    std::string_view part = rest.substr(0, rest.find('/'));
    std::optional<std::string> name = decoded(part);
    const bool has_controls =
        name && std::ranges::any_of(*name, [](char c) {
          return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '/';
        });
    if (!name || name->empty() || *name == "." || *name == ".." || has_controls
        || name->size() > k_max_file_name || ++depth > k_max_skill_depth) {
      return std::nullopt;
    }
    path += (path.empty() ? "" : "/") + *name;
    if (part.size() == rest.size()) {
      return path;
    }
    rest.remove_prefix(part.size() + 1);
  }
}

// `skill://acme/pdf/` of `skill://acme/pdf/SKILL.md`.
std::optional<std::string_view> root_of(std::string_view uri) {
  if (!mcp::is_uri(uri) || !uri.ends_with("/SKILL.md")) {
    return std::nullopt;
  }
  return uri.substr(0, uri.size() - k_document.size());
}

Result<ServerFile> read_file_entry(const Json& resource, std::string_view root) {
  ServerFile file;
  file.uri = resource.is_object() ? models::text_member(resource, "uri") : std::string();
  if (!mcp::is_uri(file.uri)) {
    return bad_entry(root, "has a file without an address");
  }
  std::optional<std::string> path = file.uri.starts_with(root)
                                        ? path_in(std::string_view(file.uri).substr(root.size()))
                                        : std::nullopt;
  if (!path) {
    return fail(ErrorCode::refused,
                "the server's skill " + in_backticks(root)
                    + " has a file outside of it: " + in_backticks(utf8_prefix(file.uri, 200)));
  }
  file.path = std::move(*path);
  const std::string digest = models::text_member(resource, "digest");
  std::optional<Digest> hash =
      digest.starts_with(k_digest)
          ? Digest::from_hex(std::string_view(digest).substr(k_digest.size()))
          : std::nullopt;
  auto size = resource.find("size");
  if (!hash || size == resource.end() || !size->is_number_integer()
      || size->get<std::int64_t>() < 0) {
    return bad_entry(root, "has a file without digest or size");
  }
  file.digest = *hash;
  file.bytes = static_cast<std::uint64_t>(size->get<std::int64_t>());
  return file;
}

Result<void> take_files(ServerSkill& skill, const Json& resources, std::string_view root) {
  if (resources.size() > k_mcp_skill_resources) {
    return fail(ErrorCode::too_large,
                "the server's skill " + in_backticks(root) + " has more than 512 files");
  }
  std::uint64_t bytes = 0;
  for (const Json& resource : resources) {
    TRY_ASSIGN(ServerFile file, read_file_entry(resource, root));
    bytes += std::min<std::uint64_t>(file.bytes, k_mcp_skill_bytes + 1); // no sum overflows
    skill.files.push_back(std::move(file));
  }
  if (bytes > k_mcp_skill_bytes) {
    return fail(ErrorCode::too_large,
                "the server's skill " + in_backticks(root) + " has more than 16 MiB");
  }
  std::ranges::sort(skill.files, {}, &ServerFile::path);
  auto twin = std::ranges::adjacent_find(skill.files, {}, &ServerFile::path);
  if (twin != skill.files.end()) {
    return bad_entry(root, "has " + in_backticks(twin->path) + " twice");
  }
  if (std::ranges::find(skill.files, k_document, &ServerFile::path) == skill.files.end()) {
    return bad_entry(root, "lacks its SKILL.md");
  }
  Sha256 all;
  for (const ServerFile& file : skill.files) {
    all.update_framed(file.path);
    all.update_framed(file.digest.hex());
    all.update_number(file.bytes);
  }
  skill.digest = std::string(k_digest) + all.finish().hex();
  return {};
}

} // namespace

Result<ServerSkill> read_server_skill(const Json& entry) {
  if (!entry.is_object()) {
    return fail(ErrorCode::corrupt, "the server has an entry that is no skill");
  }
  ServerSkill skill;
  skill.uri = models::text_member(entry, "uri");
  std::optional<std::string_view> root = root_of(skill.uri);
  auto front_matter = entry.find("frontmatter");
  if (!root || front_matter == entry.end() || !front_matter->is_object()) {
    return bad_entry(skill.uri, "has no SKILL.md or no front matter");
  }
  skill.name = models::text_member(*front_matter, "name");
  skill.description = models::text_member(*front_matter, "description");
  auto resources = entry.find("resources");
  if (resources != entry.end() && *resources == "dynamic") {
    return skill;
  }
  if (resources == entry.end() || !resources->is_array()) {
    return bad_entry(skill.uri, "does not say what files it has");
  }
  TRY(take_files(skill, *resources, *root));
  return skill;
}

Result<ServerSkill> read_skill_resource(const Json& resource) {
  ServerSkill skill;
  skill.uri = resource.is_object() ? models::text_member(resource, "uri") : std::string();
  std::optional<std::string_view> root = root_of(skill.uri);
  if (!root || !skill.uri.starts_with("skill://")) {
    return bad_entry(skill.uri, "is no skill");
  }
  root->remove_suffix(1);
  // The last part of the path is the skill's name.
  skill.name = decoded(root->substr(root->rfind('/') + 1)).value_or("");
  skill.description = models::text_member(resource, "description");
  return skill;
}

Result<std::string> bytes_of(const Json& result, std::string_view uri) {
  auto contents = result.find("contents");
  if (contents == result.end() || !contents->is_array() || contents->size() != 1
      || !contents->front().is_object() || models::text_member(contents->front(), "uri") != uri) {
    return fail(ErrorCode::corrupt, "the server did not send " + in_backticks(uri) + " alone");
  }
  const Json& content = contents->front();
  if (auto text = content.find("text"); text != content.end() && text->is_string()) {
    return text->get<std::string>();
  }
  std::optional<std::string> bytes = mcp::from_base64(models::text_member(content, "blob"));
  if (!content.contains("blob") || !bytes) {
    return fail(ErrorCode::corrupt, "the server sent " + in_backticks(uri) + " as no bytes");
  }
  return std::move(*bytes);
}

} // namespace upskill::fetch
