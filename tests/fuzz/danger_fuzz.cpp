#include "protocol/base/utf8.h"
#include "skills/danger/characters.h"
#include "skills/danger/sarif.h"
#include "skills/danger/scan.h"
#include "skills/danger/widening.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace upskill;
using namespace upskill::danger;

namespace {

// A broken promise must stop the fuzzer.
void promise(bool kept) {
  if (!kept) {
    std::abort();
  }
}

bool is_showable(std::string_view text) {
  return is_utf8(text) && text.size() <= k_most_evidence && cleaned(text) == text;
}

} // namespace

// Up to the first NUL a SKILL.md, then a program, which has the name that its first line says.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::string_view document = bytes.substr(0, bytes.find('\0'));
  std::string_view program = bytes.substr(document.size() < size ? document.size() + 1 : size);
  SkillFiles files{{"SKILL.md", document},
                   {"scripts/" + std::string(program.substr(0, program.find('\n'))), program}};

  DangerReport report = scan(files);
  promise(report.findings.size() <= k_most_findings);
  promise(std::ranges::is_sorted(report.findings, {}, &Finding::severity));
  auto lines = static_cast<std::size_t>(std::ranges::count(bytes, '\n')) + 1;
  for (const Finding& one : report.findings) {
    promise(is_showable(one.evidence) && is_showable(one.path));
    promise(one.line <= lines && (one.line == 0) == (one.column == 0));
    promise(!one.id.empty() && !one.message.empty() && !one.hint.empty());
  }
  promise(scan(files).findings == report.findings);
  promise(is_utf8(to_sarif(report, document)));

  auto nothing = widening(files, files);
  promise(nothing && nothing->is_empty());
  auto all = widening({}, files);
  promise(all && all->gains.size() <= k_most_gains);
  for (const Gain& one : all->gains) {
    promise(is_showable(one.what) && is_showable(one.path));
  }
  return 0;
}
