#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What a server says of its skills (SEP-2640, MCP facts, section 6), checked. Pure; every byte of
// it is a stranger's.
namespace upskill::fetch {

struct ServerFile {
  std::string uri = {};
  std::string path = {}; // within the skill
  Digest digest = {};
  std::uint64_t bytes = 0;

  friend bool operator==(const ServerFile&, const ServerFile&) = default;
};

struct ServerSkill {
  std::string uri = {}; // of its SKILL.md
  std::string name = {};
  std::string description = {};
  std::vector<ServerFile> files = {}; // by path; of one that is made as it is asked for, none
  std::string digest = {};            // `sha256:...` over paths, digests and sizes

  friend bool operator==(const ServerSkill&, const ServerSkill&) = default;
};

// One entry of `skills/list` and `skills/get`. Errors: corrupt for what is no entry, lacks its
// SKILL.md, or has two files of one path; refused for a file outside of the skill; too_large beyond
// 512 files or 16 MiB.
Result<ServerSkill> read_server_skill(const nlohmann::json& entry);

// A resource `skill://.../SKILL.md` of a server that has no skills otherwise; its document alone.
Result<ServerSkill> read_skill_resource(const nlohmann::json& resource);

// Bytes of the one content that `resources/read` of `uri` has answered. Errors: corrupt.
Result<std::string> bytes_of(const nlohmann::json& result, std::string_view uri);

} // namespace upskill::fetch
