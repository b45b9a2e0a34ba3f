#include "daemon/handlers/inbox.h"

#include "daemon/await.h"
#include "daemon/handlers/configuration.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/paths.h"
#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"
#include "protocol/methods.h"
#include "skills/document/document.h"
#include "skills/document/inspect.h"
#include "skills/document/tokens.h"
#include "skills/sync/put_skill.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::string_view k_document = "SKILL.md";

// What a person is to look at before it is in a folder that agents read.
void warn(InboxItem& item, const store::InboxFiles& files) {
  auto document = files.find(std::string(k_document));
  if (document == files.end()) {
    item.warnings.push_back("there is no `SKILL.md` in it any more");
    return;
  }
  document::SkillFolder folder;
  folder.name = item.skill;
  folder.files = files.size();
  for (const auto& [path, file] : files) {
    folder.bytes += file.bytes.size();
  }
  SkillValidation validation = document::inspect(document->second.bytes, folder);
  std::ranges::move(validation.errors, std::back_inserter(item.warnings));
  for (const auto& [path, file] : files) {
    if (file.is_program || path.starts_with("scripts/")) {
      item.warnings.push_back(in_backticks(path) + " is a program that agents may run: read it");
    }
  }
}

Result<InboxListResult> list(const InboxListParams& params, const Places& places) {
  store::Inbox inbox(inbox_folder(places));
  std::vector<store::InboxEntry> entries;
  if (params.id.empty()) {
    TRY_ASSIGN(entries, inbox.list());
  } else {
    TRY_ASSIGN(store::InboxEntry entry, inbox.find(params.id));
    entries.push_back(std::move(entry));
  }
  InboxListResult result;
  for (const store::InboxEntry& entry : entries) {
    result.items.push_back(
        item_of(inbox, entry, params.verbose ? Documents::returned : Documents::left_out));
  }
  TRY_ASSIGN(store::SettledTopics settled, inbox.settled());
  result.declined =
      std::ranges::count(settled.topics, store::Settled::declined, &store::SettledTopic::settled);
  result.warnings = std::move(settled.problems);
  return result;
}

Result<std::string> target_of(const InboxAcceptParams& params,
                              const std::string& skill,
                              const CallContext& caller,
                              const Places& places) {
  if (!params.output.empty()) {
    std::string output = expand_home(params.output, places.home);
    if (!output.starts_with('/') && caller.cwd.empty()) {
      return fail(ErrorCode::invalid_argument, "params.output: must be an absolute path");
    }
    std::string target = normalized_path(output, caller.cwd);
    if (base_name(target) != skill) { // else it is no skill that every agent reads
      return fail(ErrorCode::invalid_argument,
                  "params.output: the folder of `" + skill + "` must have its name",
                  "`--output " + join_path(target, skill) + "`");
    }
    return target;
  }
  TRY_ASSIGN(FoundConfig found, find_config(caller, places));
  if (found.skills_dir.empty()) {
    return fail(ErrorCode::invalid_argument,
                "params.output: no folder is named",
                "name one, or say an absolute `skills_dir` in the configuration");
  }
  return join_path(found.skills_dir, skill);
}

// Whether it may go there; false: it is there already, as where an accept was interrupted.
Result<bool> is_free(const std::string& target, const sync::NewFiles& files) {
  Result<std::optional<sync::PlacedSkill>> placed = sync::read_placed(target);
  bool is_taken = placed ? placed->has_value() && (*placed)->files != files
                         : placed.error().code == ErrorCode::already_exists;
  if (is_taken) {
    return fail(ErrorCode::already_exists,
                in_backticks(target) + " is there already",
                "`--output FOLDER` names another place");
  }
  TRY(placed);
  return !*placed;
}

Result<InboxAcceptResult> accept(const InboxAcceptParams& params,
                                 const CallContext& caller,
                                 const Places& places,
                                 std::int64_t now_ms) {
  store::Inbox inbox(inbox_folder(places));
  TRY_ASSIGN(store::InboxEntry entry, inbox.find(params.id));
  TRY_ASSIGN(store::InboxFiles files, inbox.files(entry));
  TRY_ASSIGN(std::string target, target_of(params, entry.origin.skill, caller, places));
  sync::NewFiles content;
  for (auto& [path, file] : files) {
    content[path] = {std::move(file.bytes), file.is_program};
  }
  InboxAcceptResult result{entry.id, entry.origin.skill, target, params.dry_run};
  TRY_ASSIGN(bool is_missing, is_free(target, content));
  if (params.dry_run) {
    return result;
  }
  if (is_missing) {
    sync::Filesystem system;
    store::Trash trash(places.data + "/trash");
    TRY(sync::put_skill(system, trash, target, content, std::nullopt, now_ms));
  }
  Result<void> settled = inbox.settle(entry, store::Settled::accepted, now_ms);
  if (!settled) {
    Error error = std::move(settled).error();
    error.message = in_backticks(target) + " is saved, and stays in the inbox: " + error.message;
    return fail(std::move(error));
  }
  return result;
}

Result<InboxDeclineResult>
decline(const InboxDeclineParams& params, const Places& places, std::int64_t now_ms) {
  store::Inbox inbox(inbox_folder(places));
  TRY_ASSIGN(store::InboxEntry entry, inbox.find(params.id));
  if (!params.dry_run) {
    TRY(inbox.settle(entry, store::Settled::declined, now_ms));
  }
  return InboxDeclineResult{entry.id, entry.origin.skill, params.dry_run};
}

// Whoever drafts skills must not be the one who lets them in.
template <class P, class R, class Work>
void on_person(Binder& binder, SkillLibrary& library, const Method<P, R>& method, Work work) {
  binder.on(method, [&library, &method, work](P params, RequestContext context) -> Awaitable<R> {
    if (!context.principal.empty()) {
      co_return fail(ErrorCode::refused,
                     "only a person may look into the inbox",
                     "`upskill " + std::string(method.command) + "` on the command line");
    }
    auto job = [&] { return work(params, context.caller); };
    AWAIT(Result<R> result, runtime::offload(library.pool(context), std::move(job)));
    co_return result;
  });
}

} // namespace

std::string inbox_folder(const Places& places) {
  return places.data + "/inbox";
}

InboxItem item_of(const store::Inbox& inbox, const store::InboxEntry& entry, Documents documents) {
  InboxItem item{entry.id, to_valid_utf8(entry.origin.skill)};
  item.reason = entry.origin.reason;
  item.sessions = entry.origin.sessions;
  item.created_at = entry.problem.empty() ? rfc3339(entry.origin.created_ms) : std::string();
  item.model = entry.origin.model;
  item.folder = to_valid_utf8(entry.folder);
  item.warnings = entry.origin.warnings;
  if (!entry.problem.empty()) {
    item.warnings.push_back(entry.problem);
  }
  Result<store::InboxFiles> files = inbox.files(entry);
  if (!files) {
    item.warnings.push_back(files.error().message);
    return item;
  }
  for (const auto& [path, file] : *files) {
    item.files.push_back({to_valid_utf8(path), document::estimate_tokens(file.bytes)});
    if (path == k_document) {
      std::swap(item.files.front(), item.files.back());
      item.description = to_valid_utf8(document::read_document(file.bytes).description);
      item.document = documents == Documents::returned ? to_valid_utf8(file.bytes) : std::string();
    }
  }
  warn(item, *files);
  return item;
}

void bind_inbox_handlers(Binder& binder, SkillLibrary& library) {
  const Places& places = library.service().context().places;
  auto now_ms = [&library] { return library.service().now().wall_ms; };
  on_person(binder, library, k_inbox_list, [&places](const InboxListParams& params, const auto&) {
    return list(params, places);
  });
  on_person(binder,
            library,
            k_inbox_accept,
            [&places, now_ms](const InboxAcceptParams& params, const CallContext& caller) {
              return accept(params, caller, places, now_ms());
            });
  on_person(binder,
            library,
            k_inbox_decline,
            [&places, now_ms](const InboxDeclineParams& params, const auto&) {
              return decline(params, places, now_ms());
            });
}

} // namespace upskill::daemon
