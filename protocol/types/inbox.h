#pragma once
#include "protocol/types/generate.h"

namespace upskill {

// A skill that was drafted without being asked for, and waits for a person.
struct InboxItem {
  std::string id;
  std::string skill;
  std::string description = {};
  std::string reason = {};
  std::vector<std::string> sessions = {};
  std::string created_at = {};
  std::string model = {};
  std::string folder = {};
  std::vector<GeneratedFile> files = {};
  std::string document = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&InboxItem::id, "id", "Names it for accept and decline.");
    f.required(&InboxItem::skill, "skill", "The skill's name.");
    f.optional(&InboxItem::description, "description", "Its description.");
    f.optional(&InboxItem::reason, "reason", "Why it was drafted.");
    f.optional(&InboxItem::sessions, "sessions", "Sessions that it was made of.");
    f.optional(&InboxItem::created_at, "created_at", "RFC 3339 in UTC.");
    f.optional(&InboxItem::model, "model", "Who wrote it.");
    f.optional(&InboxItem::folder, "folder", "Where it lies, in no agent's folder.");
    f.optional(&InboxItem::files, "files", "What it consists of.");
    f.optional(&InboxItem::document, "document", "Its SKILL.md, with `verbose`.");
    f.optional(&InboxItem::warnings, "warnings", "What to look at before it is accepted.");
  }
};

struct InboxListParams {
  std::string id = {};
  bool verbose = false;

  static void describe(auto& f) {
    f.optional(&InboxListParams::id, "id", "Only this one.");
    f.optional(&InboxListParams::verbose, "verbose", "Also return each SKILL.md.");
  }
};

struct InboxListResult {
  std::vector<InboxItem> items = {};
  std::int64_t declined = 0;
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&InboxListResult::items, "items", "Newest first.");
    f.optional(&InboxListResult::declined, "declined", "That will not be proposed again.");
    f.optional(&InboxListResult::warnings, "warnings", "What of it could not be understood.");
  }
};

struct InboxAcceptParams {
  std::string id;
  std::string output = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&InboxAcceptParams::id, "id", "Of the item, or its skill's name.");
    f.optional(&InboxAcceptParams::output, "output", "The skill's own folder.");
    f.optional(&InboxAcceptParams::dry_run, "dry_run", "Only tell where it would go.");
  }
};

struct InboxAcceptResult {
  std::string id;
  std::string skill;
  std::string saved = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&InboxAcceptResult::id, "id", "Of the item.");
    f.required(&InboxAcceptResult::skill, "skill", "The skill's name.");
    f.required(&InboxAcceptResult::saved, "saved", "Its folder now.");
    f.optional(&InboxAcceptResult::dry_run, "dry_run", "Nothing was done.");
  }
};

struct InboxDeclineParams {
  std::string id;
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&InboxDeclineParams::id, "id", "Of the item, or its skill's name.");
    f.optional(&InboxDeclineParams::dry_run, "dry_run", "Only tell what would be declined.");
  }
};

struct InboxDeclineResult {
  std::string id;
  std::string skill;
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&InboxDeclineResult::id, "id", "Of the item.");
    f.required(&InboxDeclineResult::skill, "skill", "The skill's name; it does not come back.");
    f.optional(&InboxDeclineResult::dry_run, "dry_run", "Nothing was done.");
  }
};

// Looks through kept sessions for what comes up again and again.
struct ProposeParams {
  std::string model = {};
  std::string base_url = {};
  std::string agent = {};
  std::string project = {};
  std::string since = "30d";
  std::int64_t limit = 5;
  bool dry_run = false;
  bool fresh = false;
  std::optional<double> budget = {};

  static void describe(auto& f) {
    f.optional(&ProposeParams::model, "model", "The teacher.");
    f.optional(&ProposeParams::base_url, "base_url", "Server of its model.");
    f.optional(&ProposeParams::agent, "agent", "Only sessions of this agent.");
    f.optional(&ProposeParams::project, "project", "Only sessions in this folder or below it.");
    f.optional(&ProposeParams::since, "since", "Only since: a date, a time, or `7d` ago; 30d.");
    f.optional(&ProposeParams::limit, "limit", "At most this many, up to 5.");
    f.optional(&ProposeParams::dry_run, "dry_run", "Tell what comes up; ask no model.");
    f.optional(&ProposeParams::fresh, "fresh", "Ask again what was answered before.");
    f.optional(&ProposeParams::budget, "budget", "US dollars that may be spent.");
  }
};

// Something that several sessions have in common.
struct ProposeTopic {
  std::string intent;
  std::vector<std::string> sessions = {};
  std::int64_t prompts = 0;
  std::int64_t corrections = 0;
  std::string became = {};

  static void describe(auto& f) {
    f.required(&ProposeTopic::intent, "intent", "A prompt that stands for all of them.");
    f.required(&ProposeTopic::sessions, "sessions", "Where it came up.");
    f.required(&ProposeTopic::prompts, "prompts", "Times.");
    f.optional(&ProposeTopic::corrections, "corrections", "Times that a person had to correct.");
    f.optional(&ProposeTopic::became, "became", "The item of the inbox, or why there is none.");
  }
};

struct ProposeResult {
  std::int64_t sessions = 0;
  std::vector<ProposeTopic> topics = {};
  std::vector<ProposeTopic> settled = {};
  std::vector<InboxItem> proposed = {};
  std::optional<double> cost = {};
  std::string config = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&ProposeResult::sessions, "sessions", "That were looked at.");
    f.required(&ProposeResult::topics, "topics", "What comes up again and again.");
    f.optional(&ProposeResult::settled,
               "settled",
               "What comes up too, and was accepted or declined before, or waits already.");
    f.required(&ProposeResult::proposed, "proposed", "What is new in the inbox.");
    f.optional(&ProposeResult::cost, "cost", "US dollars that were spent.");
    f.optional(&ProposeResult::config, "config", "Where the configuration is from.");
    f.optional(&ProposeResult::warnings, "warnings", "What went wrong.");
  }
};

} // namespace upskill
