#include "daemon/handlers/propose.h"

#include "daemon/await.h"
#include "daemon/handlers/configuration.h"
#include "daemon/handlers/inbox.h"
#include "daemon/handlers/plain_line.h"
#include "daemon/handlers/prompt_digests.h"
#include "daemon/handlers/trace_answers.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/utf8.h"
#include "protocol/methods.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_in_one_turn = 10; // sessions: others wait for the archive as well
constexpr std::size_t k_most_warnings = 20;
constexpr std::size_t k_most_settled = 5; // that are told

struct ProposeRoom {
  SkillLibrary& library;
  capture::Desk& desk;
};

// What was read of all sessions.
struct Gathered {
  std::vector<generate::SessionDigest> sessions = {};
  std::size_t flagged = 0;
  std::vector<std::string> warnings = {};
};

void add(Gathered& gathered, PromptReading reading) {
  if (!reading.problem.empty() && gathered.warnings.size() < k_most_warnings) {
    gathered.warnings.push_back(in_backticks(reading.digest.id) + ": " + reading.problem);
  }
  gathered.flagged += reading.flagged;
  gathered.sessions.push_back(std::move(reading.digest));
}

Result<void> read_some(archive::Archive& archive,
                       std::span<const store::SessionRow> rows,
                       trace::RecentIds& seen,
                       const std::stop_token& stop,
                       Gathered& gathered) {
  for (const store::SessionRow& row : rows) {
    if (stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "the call was cancelled");
    }
    Result<PromptReading> reading = read_prompts(archive, row, seen, stop);
    if (!reading && reading.error().code == ErrorCode::cancelled) {
      return fail(std::move(reading).error());
    }
    if (!reading) { // one that cannot be read says nothing of the others
      PromptReading unread;
      unread.digest.id = row.harness + "/" + row.session;
      unread.problem = reading.error().message;
      reading = std::move(unread);
    }
    add(gathered, *std::move(reading));
  }
  return {};
}

Awaitable<Gathered>
gather_prompts(ProposeRoom room, store::SessionFilter filter, RequestContext context) {
  auto list = [&](archive::Archive& archive) { return sessions_to_digest(archive, filter); };
  AWAIT(Result<std::vector<store::SessionRow>> rows, room.desk.with(std::move(list)));
  CO_TRY(rows);
  Gathered gathered;
  trace::RecentIds seen;
  auto total = static_cast<double>(rows->size());
  for (std::size_t from = 0; from < rows->size(); from += k_in_one_turn) {
    context.progress(static_cast<double>(from), total, "sessions read");
    auto some = std::span(*rows).subspan(from, std::min(k_in_one_turn, rows->size() - from));
    auto read = [&](archive::Archive& archive) {
      return read_some(archive, some, seen, context.stopping, gathered);
    };
    AWAIT(Result<void> done, room.desk.with(std::move(read)));
    CO_TRY(done);
  }
  co_return gathered;
}

std::vector<generate::KnownSkill> known_skills(const Catalogue& catalogue) {
  std::vector<generate::KnownSkill> known;
  for (std::uint32_t i = 0; i < catalogue.size(); ++i) {
    const Catalogue::Row& row = catalogue.row(i);
    known.push_back({std::string(catalogue.name(row)), std::string(catalogue.description(row))});
  }
  return known;
}

// Settled before, or waiting for a person already.
struct KnownTopics {
  store::SettledTopics settled = {};
  std::vector<store::InboxEntry> waiting = {};

  // What became of it; empty: nothing yet.
  std::string became(std::string_view fingerprint) const {
    for (const store::InboxEntry& entry : waiting) {
      if (store::is_same_topic(entry.origin.fingerprint, fingerprint)) {
        return "waits in the inbox: " + in_backticks(plain_line(entry.origin.skill));
      }
    }
    // The newest decision is the one that holds.
    for (const store::SettledTopic& topic : std::views::reverse(settled.topics)) {
      if (store::is_same_topic(topic.fingerprint, fingerprint)) {
        bool is_accepted = topic.settled == store::Settled::accepted;
        return (is_accepted ? "accepted before: " : "declined before: ")
               + in_backticks(plain_line(topic.skill));
      }
    }
    return {};
  }
};

Result<KnownTopics> known_topics(const Places& places) {
  store::Inbox inbox(inbox_folder(places));
  KnownTopics known;
  TRY_ASSIGN(known.settled, inbox.settled());
  TRY_ASSIGN(known.waiting, inbox.list());
  return known;
}

ProposeTopic told(const generate::Topic& topic) {
  ProposeTopic told;
  told.intent = plain_line(topic.intent);
  for (const std::string& session : topic.sessions) {
    told.sessions.push_back(to_valid_utf8(session));
  }
  told.prompts = static_cast<std::int64_t>(topic.prompts);
  told.corrections = static_cast<std::int64_t>(topic.corrections);
  return told;
}

std::string times(std::size_t count) {
  return count == 1 ? "once" : std::to_string(count) + " times";
}

std::string reason_of(const generate::Topic& topic) {
  std::string reason = "asked for " + times(topic.prompts) + " in "
                       + std::to_string(topic.sessions.size()) + " sessions";
  if (topic.corrections > 0) {
    reason += ", and corrected " + times(topic.corrections);
  }
  return reason + ": " + plain_line(topic.intent);
}

Result<InboxItem> put_into_inbox(const Places& places,
                                 const generate::Topic& topic,
                                 DraftedSkill drafted,
                                 std::int64_t now_ms) {
  store::Inbox inbox(inbox_folder(places));
  store::InboxOrigin origin{.skill = std::move(drafted.name)};
  origin.reason = reason_of(topic);
  origin.sessions = topic.sessions;
  origin.model = std::move(drafted.model);
  origin.created_ms = now_ms;
  origin.fingerprint = topic.fingerprint;
  origin.warnings = std::move(drafted.warnings);
  TRY_ASSIGN(store::InboxEntry entry, inbox.add(std::move(origin), drafted.files));
  return item_of(inbox, entry, Documents::left_out);
}

// What became of one topic.
struct TopicOutcome {
  ProposeTopic line = {};
  std::optional<InboxItem> item = {};
  std::optional<double> cost = {};
  std::string warning = {};
};

TopicOutcome failed(TopicOutcome outcome, const Error& error) {
  outcome.line.became = error.message;
  outcome.warning = in_backticks(outcome.line.intent) + ": " + error.message;
  return outcome;
}

// Asks for it, and puts it where it waits.
Awaitable<TopicOutcome> draft_one(ProposeRoom room,
                                  std::shared_ptr<const DraftTopic> draft,
                                  TopicToDraft topic,
                                  RequestContext context) {
  TopicOutcome outcome;
  generate::Topic of = topic.topic;
  outcome.line = told(of);
  AWAIT(Result<DraftedTopic> drafted, (*draft)(std::move(topic), context));
  if (!drafted) {
    bool is_over =
        drafted.error().code == ErrorCode::cancelled || drafted.error().code == ErrorCode::refused;
    if (is_over) {
      co_return fail(std::move(drafted).error());
    }
    co_return failed(std::move(outcome), drafted.error());
  }
  outcome.cost = drafted->cost;
  if (const auto* none = std::get_if<generate::NotWarranted>(&drafted->reply)) {
    outcome.line.became = "no skill is warranted: " + plain_line(none->reason);
    co_return outcome;
  }
  auto put = [&] {
    return put_into_inbox(room.library.service().context().places,
                          of,
                          std::get<DraftedSkill>(std::move(drafted->reply)),
                          room.desk.now_ms());
  };
  AWAIT(Result<InboxItem> item, runtime::offload(room.library.pool(context), std::move(put)));
  if (!item) {
    co_return failed(std::move(outcome), item.error());
  }
  outcome.line.became = item->id;
  outcome.item = *std::move(item);
  co_return outcome;
}

void add(ProposeResult& result, TopicOutcome outcome) {
  result.topics.push_back(std::move(outcome.line));
  if (outcome.item) {
    result.proposed.push_back(*std::move(outcome.item));
  }
  if (outcome.cost) {
    result.cost = result.cost.value_or(0) + *outcome.cost;
  }
  if (!outcome.warning.empty()) {
    result.warnings.push_back(std::move(outcome.warning));
  }
}

Result<void> check(const ProposeParams& params, bool can_draft, bool is_agent) {
  if (is_agent) {
    return fail(ErrorCode::refused,
                "only a person may look through all sessions",
                "`upskill propose` on the command line");
  }
  if (params.limit < 1 || params.limit > static_cast<std::int64_t>(generate::k_most_topics)) {
    return fail(ErrorCode::invalid_argument, "params.limit: must be from 1 to 5");
  }
  if (params.budget && !(*params.budget > 0)) {
    return fail(ErrorCode::invalid_argument, "params.budget: must be over 0");
  }
  return params.dry_run || can_draft ? Result<void>{}
                                     : fail(ErrorCode::unavailable,
                                            "this daemon can ask no model for a draft",
                                            "`upskill propose --dry-run` tells what comes up");
}

Awaitable<ProposeResult> propose(ProposeRoom room,
                                 std::shared_ptr<const DraftTopic> draft,
                                 ProposeParams params,
                                 RequestContext context) {
  CO_TRY(check(params, static_cast<bool>(*draft), !context.principal.empty()));
  TraceListParams narrowed;
  narrowed.agent = params.agent;
  narrowed.project = params.project;
  narrowed.since = params.since;
  CO_TRY_ASSIGN(store::SessionFilter filter,
                filter_of(narrowed, context.caller.cwd, room.desk.now_ms()));
  context.release();
  AWAIT(Result<Gathered> gathered, gather_prompts(room, std::move(filter), context));
  CO_TRY(gathered);
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue,
        room.library.catalogue(context.stopping));
  CO_TRY(catalogue);

  ProposeResult result;
  result.sessions = static_cast<std::int64_t>(gathered->sessions.size());
  result.warnings = std::move(gathered->warnings);
  if (gathered->flagged > 0) {
    result.warnings.push_back(std::to_string(gathered->flagged)
                              + " prompts may hold a secret and were left out; `upskill trace "
                                "allow` lets those of a session in");
  }
  generate::TopicsWanted wanted;
  wanted.limit = static_cast<std::size_t>(params.limit);
  wanted.known = known_skills(**catalogue);
  const Places& places = room.library.service().context().places;
  auto find = [&]() -> Result<std::vector<generate::Topic>> {
    TRY_ASSIGN(FoundConfig config, find_config(context.caller, places));
    result.config = config.source;
    TRY_ASSIGN(KnownTopics known, known_topics(places));
    std::ranges::copy(known.settled.problems, std::back_inserter(result.warnings));
    wanted.is_settled = [&](const generate::Topic& topic) {
      std::string became = known.became(topic.fingerprint);
      if (!became.empty() && result.settled.size() < k_most_settled) {
        result.settled.push_back(told(topic));
        result.settled.back().became = became;
      }
      return !became.empty();
    };
    return generate::find_topics(gathered->sessions, wanted);
  };
  AWAIT(Result<std::vector<generate::Topic>> topics,
        runtime::offload(room.library.pool(context), std::move(find)));
  CO_TRY(topics);
  for (generate::Topic& topic : *topics) {
    std::optional<double> left = params.budget;
    if (left) {
      *left -= result.cost.value_or(0);
    }
    if (params.dry_run || (left && *left <= 0)) {
      result.topics.push_back(told(topic));
      result.topics.back().became = params.dry_run ? "" : "the budget is spent";
      continue;
    }
    TopicToDraft request{std::move(topic), wanted.known, params, left};
    AWAIT(Result<TopicOutcome> outcome, draft_one(room, draft, std::move(request), context));
    CO_TRY(outcome);
    add(result, *std::move(outcome));
  }
  co_return result;
}

} // namespace

void bind_propose_handlers(Binder& binder,
                           SkillLibrary& library,
                           capture::Desk& desk,
                           DraftTopic draft) {
  ProposeRoom room{library, desk};
  auto shared = std::make_shared<const DraftTopic>(std::move(draft));
  binder.on(k_generate_propose, [room, shared](ProposeParams params, RequestContext context) {
    return propose(room, shared, std::move(params), std::move(context));
  });
}

} // namespace upskill::daemon
