#include "daemon/models/scripted.h"

#include "daemon/runtime/timers.h"
#include "protocol/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace upskill::models {
namespace {

// FNV-1a, and the finalizer of splitmix64 for bits that differ everywhere.
class Hash {
public:
  void add(std::string_view text) {
    for (char c : text) {
      add_byte(static_cast<unsigned char>(c));
    }
    add_byte(0xff); // no byte of UTF-8: "ab" and "c" are not "a" and "bc"
  }

  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      add_byte(static_cast<unsigned char>(number >> shift));
    }
  }

  // In [0, 1).
  double share() const {
    std::uint64_t bits = m_value;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    bits ^= bits >> 31;
    return static_cast<double>(bits >> 11) * 0x1p-53;
  }

private:
  void add_byte(unsigned char byte) { m_value = (m_value ^ byte) * 0x100000001b3U; }

  std::uint64_t m_value = 0xcbf29ce484222325U;
};

std::string text_of(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) {
    if (message.role == Role::user) {
      text += message.text + "\n";
      for (const ToolResult& result : message.results) {
        text += result.text + "\n";
      }
    }
  }
  return text;
}

bool has_all(std::string_view text, const std::vector<std::string>& parts) {
  return std::ranges::all_of(
      parts, [&](const std::string& part) { return text.find(part) != std::string_view::npos; });
}

bool has_sample(const SampleRule& rule, std::uint32_t sample) {
  if (rule.every != 0) {
    return sample % rule.every == rule.rest;
  }
  return rule.listed.empty() || std::ranges::find(rule.listed, sample) != rule.listed.end();
}

bool is_lucky(const ScriptRule& rule, const Request& request, std::string_view user) {
  if (!rule.chance) {
    return true;
  }
  Hash hash;
  hash.add(rule.seed);
  hash.add(request.model);
  hash.add(request.system);
  hash.add(user);
  hash.add(std::uint64_t{request.sample});
  return hash.share() < *rule.chance;
}

} // namespace

const ScriptRule* rule_for(const Script& script, const Request& request) {
  std::string user = text_of(request.messages);
  auto turn = static_cast<std::size_t>(
      std::ranges::count(request.messages, Role::assistant, &Message::role));
  auto fits = [&](const ScriptRule& rule) {
    bool is_model =
        rule.model.empty() || std::ranges::find(rule.model, request.model) != rule.model.end();
    return is_model && has_all(request.system, rule.system) && has_all(user, rule.user)
           && has_sample(rule.samples, request.sample) && (!rule.turn || *rule.turn == turn)
           && is_lucky(rule, request, user);
  };
  auto at = std::ranges::find_if(script.rules, fits);
  return at == script.rules.end() ? nullptr : &*at;
}

ScriptedModel::ScriptedModel(Script script)
    : m_script(std::move(script)) {}

asio::awaitable<Result<Answer>> ScriptedModel::answer(Request request) {
  const ScriptRule* rule = rule_for(m_script, request);
  if (rule == nullptr) {
    std::string user = text_of(request.messages);
    co_return fail(ErrorCode::not_found,
                   fmt::format("`{}`: no rule fits sample {} of {}",
                               m_script.name,
                               request.sample,
                               in_backticks(utf8_prefix(user, 80))),
                   "add a rule for it; one without conditions fits everything");
  }
  if (rule->delay.count() > 0) {
    co_await runtime::wait_for(rule->delay);
  }
  if (rule->fault) {
    co_return fail(*rule->fault);
  }
  Answer answer = rule->answer;
  answer.milliseconds = rule->delay.count();
  co_return answer;
}

} // namespace upskill::models
