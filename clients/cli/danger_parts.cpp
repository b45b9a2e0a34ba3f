#include "clients/cli/danger_parts.h"

#include "clients/cli/text.h"

#include <algorithm>
#include <string_view>

namespace upskill::cli {
namespace {

constexpr std::size_t k_most = 20;    // findings or gains of one skill
constexpr std::size_t k_digits = 8;   // of a hash
constexpr std::size_t k_quoted = 300; // columns of what is quoted, at most

Tint tint_of(DangerSeverity severity) {
  switch (severity) {
  case DangerSeverity::severe:
    return Tint::red;
  case DangerSeverity::warning:
    return Tint::yellow;
  case DangerSeverity::note:
  case DangerSeverity::none:
    break;
  }
  return Tint::dim;
}

std::string place_of(const std::string& path, std::int64_t line) {
  std::string place = clean_line(path);
  return line > 0 ? place + ":" + std::to_string(line) : place;
}

void print_finding(Page& page, const DangerFinding& finding, std::size_t indent) {
  const std::string space(indent, ' ');
  std::string head = space + page.tint(tint_of(finding.severity), enum_name(finding.severity));
  std::string place = place_of(finding.path, finding.line);
  head += place.empty() ? "" : "  " + place;
  page.line(head + page.tint(Tint::dim, "  " + clean_line(finding.id)));
  page.paragraph(finding.message, indent + 2);
  if (!finding.evidence.empty()) {
    std::size_t columns = page.screen().columns;
    std::size_t taken = indent + 4;
    std::string quoted = cut(clean_line(finding.evidence),
                             std::min(columns > taken ? columns - taken : columns, k_quoted),
                             page.ellipsis());
    page.line(space + "  " + page.tint(Tint::dim, page.sign("│", "|")) + " " + quoted);
  }
  if (!finding.hint.empty()) {
    page.paragraph(finding.hint, indent + 2, Tint::dim);
  }
}

// How a kind of gain is said before what it is.
std::string_view words_of(const std::string& kind) {
  return kind == "hook"           ? "a hook"
         : kind == "load_command" ? "runs as it is loaded:"
         : kind == "tool"         ? "the tool"
         : kind == "script"       ? "the script"
         : kind == "host"         ? "the address"
         : kind == "command"      ? "runs"
                                  : "";
}

} // namespace

Cell danger_cell(DangerSeverity danger) {
  return danger == DangerSeverity::none ? Cell{"clean", Tint::green}
                                        : Cell{std::string(enum_name(danger)), tint_of(danger)};
}

void print_findings(Page& page,
                    const std::vector<DangerFinding>& findings,
                    Notes notes,
                    std::size_t indent) {
  std::vector<const DangerFinding*> shown;
  std::size_t hidden = 0; // notes
  for (const DangerFinding& finding : findings) {
    bool is_note = finding.severity <= DangerSeverity::note;
    if (is_note && notes == Notes::counted) {
      ++hidden;
    } else {
      shown.push_back(&finding);
    }
  }
  for (std::size_t i = 0; i < shown.size() && i < k_most; ++i) {
    print_finding(page, *shown[i], indent);
  }
  const std::string space(indent, ' ');
  if (shown.size() > k_most) {
    page.line(page.tint(Tint::dim,
                        space + "and " + grouped(static_cast<long long>(shown.size() - k_most))
                            + " more; --json lists all"));
  }
  if (hidden > 0) {
    page.line(page.tint(Tint::dim,
                        space + count(static_cast<long long>(hidden), "note", "notes")
                            + "; --verbose shows " + (hidden == 1 ? "it" : "them")));
  }
}

void print_gains(Page& page, const std::vector<DangerGain>& gains, std::size_t indent) {
  if (gains.empty()) {
    return;
  }
  std::vector<const DangerGain*> sorted;
  for (bool acts_unasked : {true, false}) {
    for (const DangerGain& gain : gains) {
      if (gain.acts_unasked == acts_unasked) {
        sorted.push_back(&gain);
      }
    }
  }
  page.line(std::string(indent, ' ')
            + page.tint(Tint::yellow, "It may do what the version before did not:"));
  for (std::size_t i = 0; i < sorted.size() && i < k_most; ++i) {
    const DangerGain& gain = *sorted[i];
    std::string_view kind = words_of(gain.kind);
    std::string text = "+ ";
    text += kind.empty() ? clean_line(gain.kind) : std::string(kind);
    text += " `" + clean_line(gain.what) + "`";
    std::string place = place_of(gain.path, gain.line);
    text += place.empty() ? "" : " (" + place + ")";
    text += gain.acts_unasked ? ", without anybody being asked" : "";
    page.paragraph(text, indent + 2, gain.acts_unasked ? Tint::red : Tint::plain);
  }
  if (sorted.size() > k_most) {
    page.line(page.tint(Tint::dim,
                        std::string(indent + 2, ' ') + "and "
                            + grouped(static_cast<long long>(sorted.size() - k_most))
                            + " more; --json lists all"));
  }
}

std::string brief_hash(const std::string& hash) {
  std::size_t colon = hash.find(':'); // `sha256:`
  std::string digits = clean_line(colon == std::string::npos ? hash : hash.substr(colon + 1));
  return digits.substr(0, k_digits);
}

} // namespace upskill::cli
