#include "daemon/handlers/generate_evidence.h"

#include "daemon/handlers/trace_own.h"
#include "protocol/base/hash.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_held_out_tokens = 8000; // of all sessions together
constexpr std::size_t k_share = 3;              // one of so many beats is held out
constexpr std::size_t k_least_beats = 6;        // fewer are all the teacher's

bool is_quiet(const distill::Beat& beat) {
  auto has = [&](distill::Label label) { return beat.labels[static_cast<std::size_t>(label)]; };
  return beat.number > 0 && !has(distill::Label::error) && !has(distill::Label::interrupted)
         && !has(distill::Label::corrected) && !has(distill::Label::recovered)
         && !has(distill::Label::taken_back);
}

// The newest words of the person always stay with the teacher.
std::vector<std::uint32_t> beats_to_hold_out(const std::vector<distill::Beat>& beats) {
  std::vector<std::uint32_t> quiet;
  for (std::size_t i = 0; i + 1 < beats.size(); ++i) {
    if (is_quiet(beats[i])) {
      quiet.push_back(beats[i].number);
    }
  }
  if (beats.size() < k_least_beats) {
    return {};
  }
  std::vector<std::uint32_t> held;
  std::size_t most = beats.size() / k_share;
  for (std::size_t i = 0; i < quiet.size() && held.size() < most; i += 2) { // all over the session
    held.push_back(quiet[i]);
  }
  return held;
}

// Also of a long session the beginning, whose beats are forgotten and whose words are not.
std::vector<std::uint32_t> all_but(const std::vector<distill::Beat>& beats,
                                   const std::vector<std::uint32_t>& these) {
  std::vector<std::uint32_t> others;
  std::uint32_t last = beats.empty() ? 0 : beats.back().number;
  for (std::uint32_t number = 0; number <= last; ++number) {
    if (std::ranges::find(these, number) == these.end()) {
      others.push_back(number);
    }
  }
  return others;
}

Result<TraceSource> find(archive::Archive& archive,
                         const std::string& name,
                         const RequestContext& context,
                         std::int64_t now_ms) {
  if (name != k_last_session) {
    return find_source(archive, name, context.caller.cwd);
  }
  TraceSource source{name};
  // A teacher is not shown what somebody else did.
  if (!context.principal.empty()) {
    TRY_ASSIGN(source.row, find_own(archive, context, now_ms));
    return source;
  }
  store::SessionFilter filter;
  filter.project = context.caller.cwd;
  TRY_ASSIGN(std::vector<store::SessionRow> rows, archive.store().list(filter, std::nullopt, 1));
  if (rows.empty()) {
    TRY_ASSIGN(rows, archive.store().list({}, std::nullopt, 1));
  }
  if (rows.empty()) {
    return fail(ErrorCode::not_found,
                "no session is kept",
                "`upskill trace import` takes those of the agents here; or name its file");
  }
  source.row = std::move(rows.front());
  return source;
}

Result<void> check_flagged(std::string& text,
                           archive::Archive& archive,
                           const std::vector<std::string>& allowed,
                           const TraceSource& source) {
  std::vector<std::string> flagged = flagged_in(text, archive.rules(), allowed);
  if (flagged.empty()) {
    return {};
  }
  std::string rules;
  for (const std::string& rule : flagged) {
    rules += (rules.empty() ? "`" : ", `") + rule + "`";
  }
  return fail(ErrorCode::refused,
              "what may be a secret is in " + in_backticks(source.name) + " (" + rules
                  + "), and no model is shown it",
              source.path.empty()
                  ? "who has looked at it says `upskill trace allow " + source.row.session + "`"
                  : "`upskill trace import` it, look at it, and `upskill trace allow` its id");
}

} // namespace

Result<GatheredEvidence> gather_evidence(archive::Archive& archive,
                                         const std::vector<std::string>& sessions,
                                         std::size_t tokens,
                                         const RequestContext& context,
                                         std::int64_t now_ms) {
  GatheredEvidence all;
  trace::RecentIds seen;
  for (const std::string& name : sessions) {
    TRY_ASSIGN(TraceSource source, find(archive, name, context, now_ms));
    TRY_ASSIGN(
        Evidence evidence,
        gather(
            archive, std::move(source), sessions.size() > 1 ? &seen : nullptr, context.stopping));
    TRY_ASSIGN(std::vector<std::string> allowed, allowed_rules(archive, evidence.source));
    distill::DistillOptions options;
    options.tokens = tokens;
    std::vector<distill::Beat> beats = evidence.distiller->distilled(options).beats;
    options.held_out_beats = beats_to_hold_out(beats);
    distill::Distilled shown = evidence.distiller->distilled(options);
    TRY(check_flagged(shown.text, archive, allowed, evidence.source));

    const distill::Heading& heading = evidence.distiller->heading();
    GenerateEvidence& told = all.told.emplace_back();
    told.name = evidence.source.name;
    told.session = heading.session.empty() ? evidence.source.row.session : heading.session;
    told.path = evidence.source.path.empty() ? evidence.source.row.source : evidence.source.path;
    told.hash = sha256(shown.text).hex();
    told.tokens = static_cast<std::int64_t>(shown.tokens_after);
    told.counts = counts_of(shown, evidence);
    told.held_out_beats = static_cast<std::int64_t>(options.held_out_beats.size());
    all.texts.push_back(std::move(shown.text));
    for (const std::string& problem : evidence.problems) {
      all.warnings.push_back(in_backticks(name) + ": " + problem);
    }
    if (!options.held_out_beats.empty()) {
      options.held_out_beats = all_but(beats, options.held_out_beats);
      options.tokens = std::max(k_held_out_tokens / sessions.size(), distill::k_least_tokens);
      distill::Distilled held = evidence.distiller->distilled(options);
      TRY(check_flagged(held.text, archive, allowed, evidence.source));
      all.held_out += held.text;
    }
  }
  return all;
}

} // namespace upskill::daemon
