#include "skills/danger/widening.h"

#include "skills/danger/capabilities.h"
#include "skills/danger/characters.h"
#include "skills/danger/hosts.h"
#include "skills/danger/scan.h"
#include "skills/danger/secret_rules.h"

#include <algorithm>
#include <map>

namespace upskill::danger {
namespace {

constexpr std::size_t k_most_hosts = 1000; // of one file

struct Origin {
  std::string path;
  std::size_t line = 0;
};

// By kind and what: where it was met first.
using Capabilities = std::map<std::pair<CapabilityKind, std::string>, Origin>;

class Gatherer {
public:
  explicit Gatherer(redact::Redactor& redactor)
      : m_redactor(redactor) {}

  Capabilities gather(const SkillFiles& files) {
    m_found.clear();
    std::size_t left = k_most_in_all;
    for (const SkillFile& file : files) {
      std::size_t looked_at = std::min({file.bytes.size(), k_most_looked_at, left});
      left -= looked_at;
      gather_file(FileView(file, looked_at, m_redactor));
    }
    return std::move(m_found);
  }

private:
  void gather_file(const FileView& view) {
    if (view.kind() == FileKind::document) {
      add(view, CapabilityKind::hook, hook_commands(view));
      add(view, CapabilityKind::load_command, load_commands(view));
      add(view, CapabilityKind::tool, allowed_tools(view));
    }
    if (view.kind() == FileKind::script || view.file().is_program) {
      std::string path = shortened(cleaned(view.file().path), k_most_evidence);
      m_found.try_emplace({CapabilityKind::script, path}, Origin{path, 0});
    }
    for (const HostPlace& one : find_hosts(view.text(), k_most_hosts)) {
      add(view, CapabilityKind::host, {Capability{cleaned(one.host), one.at}});
    }
    add(view, CapabilityKind::command, shell_commands(view));
  }

  void add(const FileView& view, CapabilityKind kind, const std::vector<Capability>& found) {
    for (const Capability& one : found) {
      std::string what = view.evidence_of(one.what);
      auto [at, is_new] = m_found.try_emplace({kind, std::move(what)});
      if (is_new) {
        at->second = {shortened(cleaned(view.file().path), k_most_evidence),
                      view.place_of(one.at).line};
      }
    }
  }

  redact::Redactor& m_redactor;
  Capabilities m_found = {};
};

bool had(const Capabilities& before, CapabilityKind kind, const std::string& what) {
  if (before.contains({kind, what})) {
    return true;
  }
  return kind == CapabilityKind::tool && std::ranges::any_of(before, [&](const auto& one) {
           return one.first.first == kind && covers(one.first.second, what);
         });
}

Severity severity_of(CapabilityKind kind, std::string_view what) {
  bool acts_alone = kind == CapabilityKind::hook || kind == CapabilityKind::load_command
                    || (kind == CapabilityKind::tool && is_unlimited(what));
  return acts_alone ? Severity::warning : Severity::note;
}

Widening gains_over(const Capabilities& old, const Capabilities& now) {
  Widening widened;
  for (const auto& [key, origin] : now) {
    const auto& [kind, what] = key;
    if (had(old, kind, what)) {
      continue;
    }
    if (widened.gains.size() < k_most_gains) {
      widened.gains.push_back({kind, severity_of(kind, what), what, origin.path, origin.line});
    } else {
      ++widened.left_out;
    }
  }
  return widened;
}

} // namespace

Result<Widening> widening(const SkillFiles& before, const SkillFiles& after) {
  TRY(secret_rules());
  redact::Redactor redactor(*secret_rules());
  Gatherer gatherer(redactor);
  Capabilities old = gatherer.gather(before);
  return gains_over(old, gatherer.gather(after));
}

Result<Widening> widening_of(const std::vector<HeldCapability>& before, const SkillFiles& after) {
  TRY(secret_rules());
  redact::Redactor redactor(*secret_rules());
  Capabilities old;
  for (const HeldCapability& one : before) {
    old.try_emplace({one.kind, one.what});
  }
  return gains_over(old, Gatherer(redactor).gather(after));
}

Result<std::vector<HeldCapability>> held_capabilities(const SkillFiles& files) {
  TRY(secret_rules());
  redact::Redactor redactor(*secret_rules());
  std::vector<HeldCapability> held;
  for (const auto& [key, origin] : Gatherer(redactor).gather(files)) {
    if (held.size() == k_most_held) {
      return fail(ErrorCode::too_large,
                  "it may do more than " + std::to_string(k_most_held) + " different things");
    }
    held.push_back({key.first, key.second});
  }
  return held;
}

} // namespace upskill::danger
