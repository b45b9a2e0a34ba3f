#include "skills/trace/summary.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <utility>

namespace upskill::trace {
namespace {

using Json = nlohmann::json;

constexpr int k_version = 2; // 1 knew neither what is repeated nor what is replayed

// Writes a value under a key, or reads it from there: one list of what is kept serves both ways, so
// that none is forgotten in one of them. A value of the wrong type throws, and restored() catches.
struct Writing {
  Json& json;

  template <class T> void value(const char* key, const T& value) { json[key] = value; }

  template <class T> void maybe(const char* key, const std::optional<T>& value) {
    if (value) {
      json[key] = *value;
    }
  }
};

struct Reading {
  const Json& json;

  template <class T> void value(const char* key, T& value) { json.at(key).get_to(value); }

  template <class T> void maybe(const char* key, std::optional<T>& value) {
    if (json.contains(key)) {
      value = json.at(key).get<T>();
    }
  }
};

template <class Way, class Tokens> void visit_usage(Way way, Tokens& usage) {
  way.maybe("input", usage.input);
  way.maybe("output", usage.output);
  way.maybe("cache_read", usage.cache_read);
  way.maybe("cache_write", usage.cache_write);
  way.maybe("cost", usage.cost);
}

template <class Way, class Seen> void visit_seen(Way way, Seen& seen) {
  way.value("harness", seen.harness);
  way.value("session", seen.session);
  way.value("agent", seen.agent);
  way.value("forked_from", seen.forked_from);
  way.value("first_record", seen.first_record);
  way.value("cwd", seen.cwd);
  way.value("branch", seen.branch);
  way.value("version", seen.version);
  way.value("models", seen.models);
  way.maybe("first_ms", seen.first_ms);
  way.maybe("last_ms", seen.last_ms);
  way.value("records", seen.counts.records);
  way.value("prompts", seen.counts.prompts);
  way.value("answers", seen.counts.answers);
  way.value("calls", seen.counts.calls);
  way.value("errors", seen.counts.errors);
  way.value("interrupts", seen.counts.interrupts);
  way.value("corrections", seen.counts.corrections);
  way.value("approvals", seen.counts.approvals);
  way.value("unknown_count", seen.counts.unknown);
  way.value("unreadable", seen.counts.unreadable);
  way.value("skills", seen.skills);
  way.value("unknown", seen.unknown);
  way.value("is_helper", seen.is_helper);
  way.value("replayed", seen.counts.replayed);
}

template <class Way, class Stretch>
void visit_course(Way way,
                  const char* acted,
                  const char* answered,
                  const char* failing,
                  const char* interrupted,
                  Stretch& course) {
  way.value(acted, course.has_acted);
  way.value(answered, course.is_answered);
  way.value(failing, course.is_failing);
  way.value(interrupted, course.is_interrupted);
}

// Hashes as one string of 16 digits each, which is the shortest that JSON has.
std::string packed(const std::vector<std::uint64_t>& hashes) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  std::string text;
  for (std::uint64_t hash : hashes) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      text += k_digits[(hash >> shift) & 15];
    }
  }
  return text;
}

std::vector<std::uint64_t> unpacked(const std::string& text) {
  std::vector<std::uint64_t> hashes;
  for (std::size_t at = 0; at + 16 <= text.size(); at += 16) {
    std::uint64_t hash = 0;
    std::from_chars(text.data() + at, text.data() + at + 16, hash, 16);
    hashes.push_back(hash);
  }
  return hashes;
}

} // namespace

struct IndexedWordsState {
  template <class Way, class Of> static void visit(Way way, Of& words) {
    way.value("first", words.m_first);
    way.value("last", words.m_last);
    way.value("is_full", words.m_is_full);
    way.value("is_cut", words.m_is_cut);
  }

  static IndexedWords settled(IndexedWords words) {
    words.trim();
    return words;
  }

  static bool is_bounded(const IndexedWords& words) {
    return words.m_first.size() <= words.m_limit / 2 && words.m_last.size() <= words.m_limit / 2;
  }
};

struct NoveltyState {
  template <class Way, class Of> static void visit(Way way, Of& novelties) {
    way.value("own_session", novelties.m_session);
    way.maybe("made_ms", novelties.m_made_ms);
    way.value("is_forked", novelties.m_is_forked);
    way.value("is_replaying", novelties.m_is_replaying);
    way.value("has_turns", novelties.m_has_turns);
  }

  static void write(const Novelties& novelties, Json& json) {
    visit(Writing{json}, novelties);
    json["said"] = packed(novelties.m_ids.young());
    json["said_before"] = packed(novelties.m_ids.old());
  }

  static void read(const Json& json, Novelties& novelties) {
    visit(Reading{json}, novelties);
    novelties.m_ids.restore(unpacked(json.at("said_before").get<std::string>()),
                            unpacked(json.at("said").get<std::string>()));
  }
};

struct Summary::State {
  // Each part of the index, under its name.
  template <class Of, class Do> static void each_words(Of& summary, Do work) {
    work("prompts", summary.m_prompts);
    work("answers", summary.m_answers);
    work("work", summary.m_work);
  }

  template <class Way, class Of> static void visit(Way way, Of& summary) {
    visit_seen(way, summary.m_seen);
    way.value("title", summary.m_title);
    way.value("beginning", summary.m_beginning);
    way.maybe("record", summary.m_record);
    way.maybe("prompt", summary.m_prompt);
    way.value("is_remarked", summary.m_is_remarked);
    way.value("is_decided", summary.m_is_decided);
    visit_course(way, "acted", "answered", "failing", "interrupted", summary.m_course);
    visit_course(way,
                 "acted_before",
                 "answered_before",
                 "failing_before",
                 "interrupted_before",
                 summary.m_before);
  }

  static void read(const Json& json, Summary& summary) {
    visit(Reading{json}, summary);
    State::each_words(summary, [&](const char* name, IndexedWords& words) {
      IndexedWordsState::visit(Reading{json.at("index").at(name)}, words);
    });
    NoveltyState::read(json.at("novelty"), summary.m_novelties);
    if (json.contains("inherited")) {
      visit_usage(Reading{json.at("inherited")}, summary.m_inherited.emplace());
    }
    visit_usage(Reading{json.at("tokens")}, summary.m_seen.tokens);
    int remark = json.at("remark").get<int>();
    summary.m_remark = remark == 1   ? Remark::correction
                       : remark == 2 ? Remark::approval
                                     : Remark::none;
    for (const auto& [name, usage] : json.at("by_model").items()) {
      visit_usage(Reading{usage}, summary.m_seen.by_model[name]);
    }
    for (const auto& [name, counts] : json.at("tools").items()) {
      summary.m_seen.tools[name] = {counts.at(0).get<std::uint64_t>(),
                                    counts.at(1).get<std::uint64_t>()};
    }
    for (const Json& one : json.at("pending")) {
      summary.m_pending.push_back({one.at(0).get<std::uint64_t>(),
                                   one.at(1).get<std::string>(),
                                   one.at(2).get<std::string>()});
    }
    for (const Json& one : json.at("counted")) {
      Counted counted;
      one.at("message").get_to(counted.message);
      visit_usage(Reading{one}, counted.usage);
      summary.m_counted.push_back(counted);
    }
  }

  // Whether it holds no more than a summary ever does.
  static bool is_bounded(const Summary& summary) {
    return summary.m_seen.models.size() <= k_models && summary.m_seen.by_model.size() <= k_models
           && summary.m_seen.tools.size() <= k_tools && summary.m_seen.skills.size() <= k_skills
           && summary.m_seen.unknown.size() <= k_unknown && summary.m_pending.size() <= k_pending
           && summary.m_counted.size() <= k_messages
           && IndexedWordsState::is_bounded(summary.m_prompts)
           && IndexedWordsState::is_bounded(summary.m_answers)
           && IndexedWordsState::is_bounded(summary.m_work);
  }
};

std::string Summary::saved() const {
  Json json = Json::object();
  State::visit(Writing{json}, *this);
  json["summary"] = k_version;
  json["index"] = Json::object();
  State::each_words(*this, [&](const char* name, const IndexedWords& words) {
    json["index"][name] = Json::object();
    IndexedWords settled = IndexedWordsState::settled(words);
    IndexedWordsState::visit(Writing{json["index"][name]}, settled);
  });
  json["novelty"] = Json::object();
  NoveltyState::write(m_novelties, json["novelty"]);
  if (m_inherited) {
    json["inherited"] = Json::object();
    visit_usage(Writing{json["inherited"]}, *m_inherited);
  }
  json["remark"] = static_cast<int>(m_remark);
  json["tokens"] = Json::object();
  visit_usage(Writing{json["tokens"]}, m_seen.tokens);
  json["by_model"] = Json::object();
  for (const auto& [name, usage] : m_seen.by_model) {
    json["by_model"][name] = Json::object();
    visit_usage(Writing{json["by_model"][name]}, usage);
  }
  json["tools"] = Json::object();
  for (const auto& [name, count] : m_seen.tools) {
    json["tools"][name] = {count.calls, count.errors};
  }
  json["pending"] = Json::array();
  for (const Pending& one : m_pending) {
    json["pending"].push_back({one.call, one.tool, one.skill});
  }
  json["counted"] = Json::array();
  for (const Counted& one : m_counted) {
    Json counted = {{"message", one.message}};
    visit_usage(Writing{counted}, one.usage);
    json["counted"].push_back(std::move(counted));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Summary> Summary::restored(std::string_view state, Format format, TextFilter* filter) {
  constexpr std::size_t k_largest = 4u << 20;
  Summary summary(format, filter);
  try {
    Json json = state.size() > k_largest ? Json() : Json::parse(state, nullptr, false);
    if (json.is_object() && json.value("summary", 0) == k_version) {
      State::read(json, summary);
      if (State::is_bounded(summary)) {
        return summary;
      }
    }
  } catch (const Json::exception&) {
    // Told below, as any other state that is none.
  }
  return fail(ErrorCode::corrupt,
              "the kept state of a session's summary cannot be read",
              "the session is read from its beginning again");
}

} // namespace upskill::trace
