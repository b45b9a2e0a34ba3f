#include "daemon/fetch/well_known_fetch.h"

#include "daemon/await.h"
#include "daemon/fetch/found.h"
#include "daemon/fetch/http_fetch.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/hash.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/install/unpack.h"
#include "skills/install/web_address.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace upskill::fetch {
namespace {

constexpr std::size_t k_most_index = 8u << 20; // bytes
constexpr install::UnpackLimits k_limits;
constexpr const char* k_archive = ".archive"; // beside the folder that it is unpacked into

// Where an index may be, the likeliest first.
Result<std::vector<std::string>> index_addresses(std::string_view named) {
  TRY_ASSIGN(install::WebAddress at, install::read_web_address(named));
  std::vector<std::string> addresses;
  for (std::string_view path : install::k_index_paths) {
    if (at.path.ends_with(path)) {
      return std::vector<std::string>{at.text()};
    }
  }
  std::string below = at.path;
  while (below.ends_with('/')) {
    below.pop_back();
  }
  for (const std::string& base : {below, std::string()}) {
    for (std::string_view path : install::k_index_paths) {
      std::string address = at.origin() + base + std::string(path);
      if (addresses.empty() || addresses.front() != address) {
        addresses.push_back(std::move(address));
      }
    }
    if (below.empty()) {
      break;
    }
  }
  return addresses;
}

void offer_all(Offer& offer, install::SkillIndex index) {
  for (const install::IndexedSkill& skill : index.skills) {
    offer.skills.push_back({.name = skill.name,
                            .description = skill.description,
                            .from = skill.name,
                            .digest = skill.digest});
  }
  offer.indexed = std::move(index.skills);
  offer.warnings = std::move(index.warnings);
}

Result<void>
check_digest(const install::IndexedSkill& skill, const std::string& where, const Digest& found) {
  if (skill.digest.empty() || skill.digest == "sha256:" + found.hex()) {
    return {};
  }
  return fail(ErrorCode::corrupt,
              in_backticks(where)
                  + " is not what the index says: its digest is `sha256:" + found.brief() + "...`",
              "it was changed on the way, or the index is old; nothing of it is kept");
}

// An address as a message may have it: signed ones are somebody's own.
std::string shown(const std::string& url) {
  return url.substr(0, url.find('?'));
}

Result<void> write_within(const std::string& folder, const std::string& path, std::string bytes) {
  std::string file = join_path(folder, path);
  TRY(make_directories(parent_path(file), 0755));
  return write_file_atomically(file, bytes, 0644, Durability::process_crash);
}

// The folder of the skill in an archive that was unpacked: with its SKILL.md.
Result<std::string> skill_within(const std::string& unpacked) {
  struct stat status {};

  std::string folder = content_of(unpacked);
  std::string file = join_path(folder, "SKILL.md");
  if (::lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
    return folder;
  }
  return fail(ErrorCode::corrupt,
              "the archive has no `SKILL.md` in it, neither at its top nor in its only folder");
}

// What an earlier try may have left there.
void clear(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  std::filesystem::remove(folder + k_archive, ignored);
}

// The bytes of one file, all of them, or an error.
asio::awaitable<Result<std::string>>
get_file(models::Http& http, std::string url, std::size_t most_bytes, FetchSetting setting) {
  AWAIT(Result<FetchReply> reply, http_get(http, url, {}, most_bytes, std::move(setting)));
  CO_TRY(reply);
  if (reply->status != 200) {
    CO_TRY_ASSIGN(install::WebAddress address, install::read_web_address(url));
    co_return fail(error_of_status(reply->status, address));
  }
  co_return std::move(reply->body);
}

// What one skill of an index is brought by.
struct Bringing {
  install::IndexedSkill skill = {};
  std::string folder = {}; // that it comes into
  FetchSetting setting = {};
  std::string index = {}; // its address
};

asio::awaitable<Result<std::string>>
bring_document(models::Http& http, Bringing what, runtime::Pool::Share pool) {
  FetchSetting setting = setting_within(what.setting, what.skill.url, what.index);
  AWAIT(Result<std::string> bytes,
        get_file(http, what.skill.url, k_most_document, std::move(setting)));
  CO_TRY(bytes);
  CO_TRY(check_digest(what.skill, shown(what.skill.url), sha256(*bytes)));
  CO_TRY(check_document(*bytes, shown(what.skill.url)));
  auto write = [&] { return write_within(what.folder, "SKILL.md", std::move(*bytes)); };
  AWAIT(Result<void> written, runtime::offload(pool, std::move(write)));
  CO_TRY(written);
  co_return what.folder;
}

asio::awaitable<Result<std::string>>
bring_archive(models::Http& http, Bringing what, runtime::Pool::Share pool) {
  FetchSetting setting = setting_within(what.setting, what.skill.url, what.index);
  std::string file = what.folder + k_archive;
  AWAIT(Result<Downloaded> got,
        http_download(http, what.skill.url, file, k_limits.packed_bytes, std::move(setting)));
  CO_TRY(got);
  CO_TRY(check_digest(what.skill, shown(what.skill.url), got->digest));
  auto unpack = [&]() -> Result<std::string> {
    TRY(make_directories(what.folder, 0755));
    TRY(install::unpack(file, what.folder));
    (void)::unlink(file.c_str()); // else both forms of it stay until the offer goes
    return skill_within(what.folder);
  };
  AWAIT(Result<std::string> unpacked, runtime::offload(pool, std::move(unpack)));
  co_return unpacked;
}

asio::awaitable<Result<std::string>>
bring_files(models::Http& http, Bringing what, runtime::Pool::Share pool) {
  std::uint64_t left = k_limits.bytes;
  for (std::size_t i = 0; i < what.skill.files.size(); ++i) {
    const std::string& url = what.skill.urls[i];
    std::string file = join_path(what.folder, what.skill.files[i]);
    auto prepare = [&file] { return make_directories(parent_path(file), 0755); };
    AWAIT(Result<void> prepared, runtime::offload(pool, std::move(prepare)));
    CO_TRY(prepared);
    std::size_t most = std::min<std::size_t>(left, k_limits.file_bytes);
    FetchSetting setting = setting_within(what.setting, url, what.index);
    AWAIT(Result<Downloaded> got, http_download(http, url, file, most, std::move(setting)));
    CO_TRY(got);
    left -= got->bytes;
  }
  co_return what.folder;
}

} // namespace

asio::awaitable<Result<Offer>>
look_at_host(models::Http& http, install::Source source, FetchSetting setting) {
  CO_TRY_ASSIGN(std::vector<std::string> addresses, index_addresses(source.address));
  for (const std::string& address : addresses) {
    AWAIT(Result<FetchReply> reply, http_get(http, address, {}, k_most_index, setting));
    CO_TRY(reply);
    if (reply->status == 429 || reply->status >= 500) {
      co_return fail(ErrorCode::unavailable,
                     in_backticks(source.name) + " answers with status "
                         + std::to_string(reply->status),
                     "try again later");
    }
    if (reply->status != 200) {
      continue;
    }
    Result<install::SkillIndex> index = install::read_index(reply->body, reply->url);
    if (!index && address != addresses.back()) {
      continue; // many a host has a page for every address
    }
    CO_TRY(index);
    if (index->skills.empty()) {
      co_return fail(ErrorCode::not_found,
                     "the index of " + in_backticks(source.name) + " has no skill",
                     index->warnings.empty() ? "" : index->warnings.front());
    }
    Offer offer;
    offer.source = std::move(source);
    offer.index = std::move(reply->url);
    offer_all(offer, *std::move(index));
    co_return offer;
  }
  co_return fail(ErrorCode::not_found,
                 in_backticks(source.name) + " publishes no index of skills",
                 "name a repository, an archive or a `SKILL.md`; an index is at `"
                     + std::string(install::k_index_paths.front()) + "`");
}

asio::awaitable<Result<void>> bring_from_host(models::Http& http,
                                              Offer& offer,
                                              std::size_t which,
                                              FetchSetting setting,
                                              runtime::Pool::Share pool) {
  Bringing what{.skill = offer.indexed.at(which),
                .folder = join_path(offer.fetched->path(), std::to_string(which)),
                .setting = std::move(setting),
                .index = offer.index};
  // What the index says was somebody else's word wherever a redirect had led to it.
  what.setting = setting_within(std::move(what.setting), offer.index, offer.source.address);
  auto prepare = [&] { clear(what.folder); };
  AWAIT_DONE(runtime::offload(pool, std::move(prepare)));
  Result<std::string> folder;
  if (what.skill.form == install::IndexedSkill::Form::document) {
    AWAIT(folder, bring_document(http, std::move(what), pool));
  } else if (what.skill.form == install::IndexedSkill::Form::archive) {
    AWAIT(folder, bring_archive(http, std::move(what), pool));
  } else {
    AWAIT(folder, bring_files(http, std::move(what), pool));
  }
  CO_TRY(folder);
  offer.skills[which].folder = *std::move(folder);
  co_return Result<void>();
}

} // namespace upskill::fetch
