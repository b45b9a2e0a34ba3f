#include "skills/install/well_known.h"

#include "protocol/base/hash.h"
#include "protocol/base/utf8.h"
#include "skills/install/archive_path.h"
#include "skills/install/json_tree.h"
#include "skills/install/skill_front.h"
#include "skills/install/web_address.h"
#include "skills/library/names.h"

#include <algorithm>
#include <set>

namespace upskill::install {
namespace {

constexpr std::size_t k_longest_index = 16u << 20;  // bytes
constexpr std::size_t k_longest_name = 64;          // bytes, the specification's
constexpr std::size_t k_longest_description = 4096; // bytes; the specification has 1024 characters
constexpr std::size_t k_most_files = 1000;          // of one skill of 0.1
constexpr std::size_t k_most_warnings = 100;

tl::unexpected<Error> bad(std::string message) {
  return fail(ErrorCode::corrupt, std::move(message));
}

const std::string* text_of(const JsonTree& entry, std::string_view field) {
  const JsonTree* value = entry.find(field);
  return value != nullptr && value->is_string() ? &value->text : nullptr;
}

// It becomes a part of addresses and of messages.
bool is_name(std::string_view name) {
  bool is_plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
           || c == '_' || c == '.';
  });
  return is_plain && name.size() <= k_longest_name && !library::refused_name(name);
}

Result<std::string> digest_of(const JsonTree& entry) {
  if (entry.find("digest") == nullptr) {
    return std::string();
  }
  constexpr std::string_view k_kind = "sha256:";
  const std::string* text = text_of(entry, "digest");
  std::optional<Digest> digest;
  if (text != nullptr && text->starts_with(k_kind)) {
    digest = Digest::from_hex(std::string_view(*text).substr(k_kind.size()));
  }
  if (!digest) {
    return bad("its digest is not `sha256:` with 64 hexadecimal digits");
  }
  return std::string(k_kind) + digest->hex();
}

Result<void> read_0_2(const JsonTree& entry, const WebAddress& index, IndexedSkill& skill) {
  const std::string* type = text_of(entry, "type");
  const std::string* url = text_of(entry, "url");
  if (type == nullptr || (*type != "skill-md" && *type != "archive")) {
    return bad("its type is neither `skill-md` nor `archive`");
  }
  if (url == nullptr) {
    return bad("it has no `url`");
  }
  skill.form = *type == "archive" ? IndexedSkill::Form::archive : IndexedSkill::Form::document;
  TRY_ASSIGN(WebAddress address, resolve_address(index, *url));
  skill.url = address.text();
  TRY_ASSIGN(skill.digest, digest_of(entry));
  return {};
}

// Its files lie in a folder of its name, beside the index.
Result<void> read_0_1(const JsonTree& files, const WebAddress& index, IndexedSkill& skill) {
  if (!files.is_array() || files.items.size() > k_most_files) {
    return bad("its `files` are no list, or over " + std::to_string(k_most_files));
  }
  skill.form = IndexedSkill::Form::files;
  std::set<std::string> taken;
  for (const JsonTree& file : files.items) {
    if (!file.is_string()) {
      return bad("one of its `files` is no text");
    }
    TRY_ASSIGN(std::string path, archive_path(file.text));
    if (path.empty() || !taken.insert(library::folded_key(path)).second) {
      return bad("its `files` have " + in_backticks(path) + " twice, or without a name");
    }
    TRY_ASSIGN(WebAddress address,
               resolve_address(index, "./" + encoded_path(skill.name + "/" + path)));
    skill.files.push_back(std::move(path));
    skill.urls.push_back(address.text());
  }
  if (std::ranges::find(skill.files, "SKILL.md") == skill.files.end()) {
    return bad("its `files` have no `SKILL.md`");
  }
  return {};
}

Result<IndexedSkill> read_entry(const JsonTree& entry, const WebAddress& index) {
  IndexedSkill skill;
  const std::string* name = text_of(entry, "name");
  if (name == nullptr || !is_name(*name)) {
    return bad("it has no name that a skill can have");
  }
  skill.name = *name;
  if (const std::string* description = text_of(entry, "description")) {
    skill.description = one_line(*description, k_longest_description);
  }
  const JsonTree* files = entry.find("files");
  if (files != nullptr && entry.find("url") == nullptr) {
    TRY(read_0_1(*files, index, skill));
  } else {
    TRY(read_0_2(entry, index, skill));
  }
  return skill;
}

void warn(SkillIndex& index, std::string text) {
  if (index.warnings.size() < k_most_warnings) {
    index.warnings.push_back(std::move(text));
  } else if (index.warnings.size() == k_most_warnings) {
    index.warnings.push_back("more entries of the index were left out");
  }
}

} // namespace

Result<SkillIndex> read_index(std::string_view text, std::string_view address) {
  TRY_ASSIGN(WebAddress from, read_web_address(address));
  std::string named = in_backticks(from.origin() + from.path);
  // What nests without end, or has a value in every other byte, takes a hundred times its size.
  Result<JsonTree> json = read_json(text, named, k_longest_index);
  if (!json && json.error().code == ErrorCode::too_large) {
    return tl::make_unexpected(std::move(json).error());
  }
  const JsonTree* skills = json ? json->find("skills") : nullptr;
  if (skills == nullptr || !skills->is_array()) {
    return bad(named + " is no index of skills");
  }
  SkillIndex index;
  std::set<std::string> taken;
  std::size_t number = 0;
  for (const JsonTree& entry : skills->items) {
    if (++number > k_most_indexed) {
      warn(index, "the index has more than 10,000 skills; the rest was left out");
      break;
    }
    Result<IndexedSkill> skill = read_entry(entry, from);
    if (skill && !taken.insert(library::folded_key(skill->name)).second) {
      skill = bad("another one has its name");
    }
    if (skill) {
      index.skills.push_back(*std::move(skill));
      continue;
    }
    const std::string* name = text_of(entry, "name");
    std::string shown =
        name != nullptr && is_name(*name) ? "`" + *name + "`" : "skill " + std::to_string(number);
    warn(index, shown + " of the index was left out: " + skill.error().message);
  }
  return index;
}

} // namespace upskill::install
