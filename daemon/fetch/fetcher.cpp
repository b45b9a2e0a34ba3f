#include "daemon/fetch/fetcher.h"

#include "daemon/await.h"
#include "daemon/fetch/found.h"
#include "daemon/fetch/git_fetch.h"
#include "daemon/fetch/http_fetch.h"
#include "daemon/fetch/mcp_fetch.h"
#include "daemon/fetch/well_known_fetch.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/task_group.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/install/unpack.h"
#include "skills/install/web_address.h"
#include "skills/library/folder.h"

#include <fcntl.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

namespace upskill::fetch {
namespace {

// Whether nothing lies beside a file.
bool is_alone(const std::string& path) {
  UniqueFd folder = library::open_folder(AT_FDCWD, parent_path(path).c_str());
  int count = 0;
  library::for_each_name(folder.get(), [&](const library::FolderEntry&) { return ++count < 2; });
  return count < 2;
}

// What lies on this machine. A folder is read where it is.
Result<Offer> look_here(install::Source source, install::Depth depth, const std::string& scratch) {
  Offer offer;
  offer.source = std::move(source);
  const std::string& path = offer.source.address;
  if (offer.source.kind == install::SourceKind::folder) {
    TRY(find_skills(offer, path, base_name(path), depth));
    return offer;
  }
  TRY(folder_of(offer, scratch));
  if (offer.source.kind == install::SourceKind::archive) {
    TRY(find_in_archive(offer, path, name_of_file(path), depth));
    return offer;
  }
  TRY_ASSIGN(std::string bytes, read_file(path, k_most_document));
  TRY(find_in_document(offer, bytes, name_of_file(path), depth));
  if (!is_alone(path)) {
    offer.warnings.push_back("only `" + std::string(base_name(path))
                             + "` is taken; name its folder to take what lies beside it");
  }
  return offer;
}

asio::awaitable<Result<Offer>> look_at_file(models::Http& http,
                                            std::string scratch,
                                            install::Source source,
                                            FetchSetting setting,
                                            runtime::Pool::Share pool) {
  CO_TRY_ASSIGN(install::WebAddress address, install::read_web_address(source.address));
  bool is_archive = source.kind == install::SourceKind::archive_at;
  Offer offer;
  RemovedUnlessOffered guard(offer, pool);
  offer.source = std::move(source);
  auto make = [&] { return folder_of(offer, scratch); };
  AWAIT(Result<std::string> folder, runtime::offload(pool, std::move(make)));
  CO_TRY(folder);
  std::string file = join_path(*folder, "fetched");
  std::size_t most = is_archive ? install::UnpackLimits{}.packed_bytes : k_most_document;
  install::Depth depth = setting.depth;
  AWAIT(Result<Downloaded> got,
        http_download(http, install::address_of(offer.source), file, most, std::move(setting)));
  CO_TRY(got);
  auto find = [&]() -> Result<void> {
    if (is_archive) {
      return find_in_archive(offer, file, name_of_file(address.path), depth);
    }
    TRY_ASSIGN(std::string bytes, read_file(file, k_most_document));
    return find_in_document(offer, bytes, name_of_file(address.path), depth);
  };
  AWAIT(Result<void> found, runtime::offload(pool, std::move(find)));
  CO_TRY(found);
  co_return offer;
}

} // namespace

Fetcher::Fetcher(models::Http& http, std::string scratch)
    : m_http(http)
    , m_scratch(std::move(scratch)) {}

asio::awaitable<Result<Offer>>
Fetcher::look(install::Source source, FetchSetting setting, runtime::Pool::Share pool) {
  switch (source.kind) {
  case install::SourceKind::git:
    return look_at_git(m_http, m_scratch, std::move(source), std::move(setting), pool);
  case install::SourceKind::mcp:
    return look_at_server(m_http, m_scratch, std::move(source), std::move(setting), pool);
  case install::SourceKind::well_known:
    return look_at_host(m_http, std::move(source), std::move(setting));
  case install::SourceKind::archive_at:
  case install::SourceKind::document_at:
    return look_at_file(m_http, m_scratch, std::move(source), std::move(setting), pool);
  case install::SourceKind::folder:
  case install::SourceKind::archive:
  case install::SourceKind::document:
    break;
  }
  auto look = [source = std::move(source), depth = setting.depth, scratch = m_scratch] {
    return look_here(source, depth, scratch);
  };
  return runtime::offload(pool, std::move(look));
}

namespace {

constexpr int k_most_at_once = 8; // skills of a host or server that are on their way

// Skills of one offer that are brought. Owner, thread and lifetime: a call of bring().
struct Bringing {
  models::Http& http;
  Offer& offer;
  FetchSetting setting;
  runtime::Pool::Share pool;
  std::vector<std::size_t> which = {}; // each once
  std::vector<Result<void>> results = {};
  std::size_t next = 0;
  std::uint64_t left = 0; // bytes that may still come
  std::exception_ptr failure = {};
};

std::uint64_t bytes_below(const std::string& folder) {
  std::error_code problem;
  std::uint64_t bytes = 0;
  for (std::filesystem::recursive_directory_iterator at(folder, problem), end;
       !problem && at != end;
       at.increment(problem)) {
    std::error_code unknown;
    if (at->symlink_status(unknown).type() == std::filesystem::file_type::regular) {
      std::uintmax_t size = at->file_size(unknown);
      bytes += unknown ? 0 : size;
    }
  }
  return bytes;
}

// Counts what came, so that an index of 10,000 skills fills no disk; takes away what came of one
// that failed.
asio::awaitable<void> account_for(Bringing& all, std::size_t place) {
  const bool is_there = all.results[place].has_value();
  std::string folder = join_path(all.offer.fetched->path(), std::to_string(all.which[place]));
  auto count = [&]() -> std::uint64_t {
    std::error_code ignored;
    if (!is_there) {
      std::filesystem::remove_all(folder, ignored);
    }
    return is_there ? bytes_below(folder) : 0;
  };
  AWAIT(std::uint64_t bytes, runtime::offload(all.pool, std::move(count)));
  all.left -= std::min(all.left, bytes);
}

asio::awaitable<void> bring_next(Bringing& all) {
  while (all.next < all.which.size()) {
    const std::size_t place = all.next++;
    const std::size_t index = all.which[place];
    if (all.left == 0) {
      all.results[place] =
          fail(ErrorCode::too_large,
               "the skills of " + in_backticks(all.offer.source.name) + " have more than "
                   + std::to_string(all.setting.most_brought >> 20) + " MiB",
               "`--skill` names those that are meant");
      continue;
    }
    all.setting.progress("fetching `" + all.offer.skills[index].name + "`");
    if (all.offer.source.kind == install::SourceKind::mcp) {
      AWAIT(all.results[place],
            bring_from_server(all.http, all.offer, index, all.setting, all.pool));
    } else {
      AWAIT(all.results[place], bring_from_host(all.http, all.offer, index, all.setting, all.pool));
    }
    AWAIT_DONE(account_for(all, place));
  }
}

} // namespace

asio::awaitable<Result<std::vector<Result<void>>>> Fetcher::bring(Offer& offer,
                                                                  std::vector<std::size_t> which,
                                                                  FetchSetting setting,
                                                                  runtime::Pool::Share pool) {
  Bringing all{m_http, offer, std::move(setting), pool};
  all.left = all.setting.most_brought;
  for (std::size_t index : which) {
    if (index >= offer.skills.size()) {
      co_return fail(ErrorCode::internal, "the source does not offer so many skills");
    }
    if (offer.skills[index].folder.empty()) {
      all.which.push_back(index);
    }
  }
  std::ranges::sort(all.which);
  all.which.erase(std::ranges::unique(all.which).begin(), all.which.end());
  all.results.resize(all.which.size());
  if (!all.which.empty()) {
    auto make = [&] { return folder_of(offer, m_scratch); };
    AWAIT(Result<std::string> folder, runtime::offload(pool, std::move(make)));
    CO_TRY(folder);
  }
  runtime::TaskGroup workers(co_await asio::this_coro::executor,
                             [&all](std::exception_ptr thrown) { all.failure = thrown; });
  for (int i = 0; i < k_most_at_once; ++i) {
    workers.start(bring_next(all));
  }
  AWAIT_DONE(workers.see_through());
  if (all.failure) {
    std::rethrow_exception(all.failure);
  }
  std::vector<Result<void>> brought;
  for (std::size_t index : which) {
    auto at = std::ranges::lower_bound(all.which, index);
    bool was_asked = at != all.which.end() && *at == index;
    brought.push_back(was_asked ? all.results[static_cast<std::size_t>(at - all.which.begin())]
                                : Result<void>());
  }
  co_return brought;
}

} // namespace upskill::fetch
