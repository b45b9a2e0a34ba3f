#include "skills/eval/html_page.h"

#include "protocol/base/utf8.h"
#include "skills/eval/markup.h"

#include <algorithm>

namespace upskill::eval {
namespace {

constexpr std::size_t k_longest_reference = 6; // bytes that one byte may become: `&quot;`
// For what is written whatever the size: the ends of what has begun, and a few short lines.
constexpr std::size_t k_reserve = std::size_t{64} * 1024;

constexpr std::string_view k_style = R"css(
:root { color-scheme: light dark; --ink: #1c2128; --paper: #fff; --faint: #59636e; --line: #d1d9e0;
  --panel: #f6f8fa; --better: #136c2e; --worse: #b3261e; --undecided: #7a5600; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --faint: #9198a1;
  --line: #3d444d; --panel: #151b23; --better: #56d364; --worse: #ff7b72; --undecided: #e3b341; } }
body { color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 64rem;
  padding: 1rem 1.5rem; font: 15px/1.5 system-ui, sans-serif; }
h1, h2, h3, h4 { line-height: 1.25; }
h2 { border-top: 1px solid var(--line); padding-top: 1rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left;
  vertical-align: top; overflow-wrap: anywhere; unicode-bidi: isolate; }
.n { text-align: right; white-space: nowrap; }
pre, code { font: 13px/1.4 ui-monospace, monospace; unicode-bidi: isolate; }
pre { background: var(--panel); border: 1px solid var(--line); padding: .6rem; margin: .3rem 0;
  overflow: auto; max-height: 32rem; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.bars { line-height: 1.7; white-space: pre; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .5rem 0; }
dt, .faint { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
summary { cursor: pointer; } details { margin: .2rem 0; }
.better, .passed { color: var(--better); } .worse, .failed { color: var(--worse); }
.undecided, .error { color: var(--undecided); }
.verdict { font-weight: 700; font-size: 1.15rem; }
.notice { border: 2px solid var(--undecided); padding: .5rem .8rem; margin: .6rem 0; }
.notice.worse { border-color: var(--worse); }
.sample { border-left: 3px solid currentColor; margin: .6rem 0; padding-left: .8rem; }
.sample > * { color: var(--ink); } .sample > h4 { color: inherit; margin: 0; }
.sample .faint { color: var(--faint); } ul { margin: .2rem 0; padding-left: 1.2rem; }
svg.forest { width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .tick { stroke: var(--line); }
svg .zero { stroke: var(--ink); stroke-dasharray: 4 3; }
svg .interval { stroke: currentColor; stroke-width: 2.5; } svg circle { fill: currentColor; }
@media print { :root { color-scheme: light; --ink: #000; --paper: #fff; --faint: #444; --line: #999;
  --panel: #fff; --better: #136c2e; --worse: #b3261e; --undecided: #7a5600; }
  body { max-width: none; padding: 0; font-size: 11px; } pre { max-height: none; }
  tr, .sample, svg { break-inside: avoid; } }
)css";

} // namespace

HtmlPage& HtmlPage::text(std::string_view text, std::size_t most_bytes) {
  std::string_view kept = utf8_prefix(text, most_bytes);
  append_text(m_html, kept);
  return kept.size() < text.size() ? raw("...") : *this;
}

HtmlPage&
HtmlPage::element(std::string_view name, std::string_view text, std::string_view classes) {
  raw("<").raw(name);
  if (!classes.empty()) {
    raw(" class=\"").raw(classes).raw("\"");
  }
  return raw(">").text(text).raw("</").raw(name).raw(">");
}

void HtmlPage::long_text(std::string_view summary, std::string_view text, bool is_open) {
  if (text.empty()) {
    return;
  }
  if (!has_room(text.size())) {
    ++m_texts_left_out;
    raw("<p class=\"faint\">").text(summary).raw(": left out, the file would be too large</p>\n");
    return;
  }
  raw(is_open ? "<details open=\"open\"><summary>" : "<details><summary>");
  this->text(summary).raw("</summary><pre>");
  // A parser drops the first line feed of a <pre>.
  raw(text.front() == '\n' || text.front() == '\r' ? "\n" : "");
  this->text(text, text.size()).raw("</pre></details>\n");
}

void HtmlPage::share_among(std::size_t parts) {
  const std::size_t end = m_end - std::min(m_end, k_reserve);
  const std::size_t left = end - std::min(end, size());
  m_part_end = size() + left / std::max<std::size_t>(parts, 1);
}

bool HtmlPage::has_room(std::size_t bytes) const {
  const std::size_t end = m_part_end.value_or(m_end);
  return size() < end && bytes < (end - size()) / k_longest_reference;
}

std::string html_head(std::string_view title) {
  std::string head = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<meta name=\"referrer\" content=\"no-referrer\"/>\n<title>";
  append_text(head, title);
  head += "</title>\n<style>";
  head += k_style;
  return head + "</style>\n</head>\n<body>\n";
}

} // namespace upskill::eval
