#include "skills/danger/findings.h"

#include "skills/danger/characters.h"

#include <algorithm>
#include <tuple>

namespace upskill::danger {

void Findings::begin_file() {
  m_of_a_kind.clear();
}

bool Findings::has_room(const Danger& danger) {
  bool has = ++m_of_a_kind[{danger.id, danger.severity}] <= k_most_of_a_kind
             && m_found[static_cast<std::size_t>(danger.severity)].size() < k_most_findings;
  m_left_out += has ? 0 : 1;
  return has;
}

void Findings::keep(const Danger& danger,
                    std::string_view path,
                    LineAndColumn place,
                    std::string evidence) {
  m_found[static_cast<std::size_t>(danger.severity)].push_back(
      {std::string(danger.id),
       danger.severity,
       shortened(cleaned(path), k_most_evidence),
       place.line,
       place.column,
       std::move(evidence),
       std::string(danger.message),
       std::string(danger.hint)});
}

void Findings::add(const FileView& view, const Danger& danger, std::size_t begin, std::size_t end) {
  // A match may begin with what stands before the thing itself.
  std::string_view text = view.text();
  while (begin < end
         && (text[begin] == ' ' || text[begin] == '\t' || text[begin] == '\n'
             || text[begin] == '\r')) {
    ++begin;
  }
  if (has_room(danger)) {
    keep(danger, view.file().path, view.place_of(begin), view.evidence(begin, end));
  }
}

void Findings::add_quoting(const FileView& view,
                           const Danger& danger,
                           std::size_t at,
                           std::string evidence) {
  if (has_room(danger)) {
    keep(danger, view.file().path, view.place_of(at), view.evidence_of(std::move(evidence)));
  }
}

void Findings::add_file(std::string_view path, const Danger& danger, std::string_view evidence) {
  if (has_room(danger)) {
    keep(danger, path, {}, shortened(cleaned(evidence.substr(0, 1024)), k_most_evidence));
  }
}

DangerReport Findings::report() {
  DangerReport report;
  report.left_out = m_left_out;
  for (std::vector<Finding>& found : m_found) {
    std::ranges::sort(found, {}, [](const Finding& one) {
      return std::tie(one.path, one.line, one.column, one.id, one.evidence);
    });
    for (Finding& one : found) {
      bool is_twice = !report.findings.empty() && report.findings.back() == one;
      if (is_twice) {
        continue;
      }
      if (report.findings.size() < k_most_findings) {
        report.findings.push_back(std::move(one));
      } else {
        ++report.left_out;
      }
    }
  }
  return report;
}

} // namespace upskill::danger
