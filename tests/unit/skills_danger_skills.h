#pragma once
#include "skills/danger/scan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

// Skills as tests write them.
namespace upskill::tests {

// A SKILL.md; its body begins on line 5.
inline std::string document(std::string_view body, std::string_view fields = "") {
  return "---\nname: sample\ndescription: Builds and checks the sample project.\n"
         + std::string(fields) + "---\n" + std::string(body);
}

inline danger::DangerReport scan_document(const std::string& bytes) {
  return danger::scan({{"SKILL.md", bytes}});
}

inline danger::DangerReport scan_body(std::string_view body) {
  return scan_document(document(body));
}

inline danger::DangerReport scan_script(std::string_view script,
                                        const std::string& path = "scripts/run.sh") {
  std::string skill = document("Run the script to build the sample project.\n");
  return danger::scan({{"SKILL.md", skill}, {path, script, true}});
}

// The first finding of that id; nullptr where there is none.
inline const danger::Finding* find(const danger::DangerReport& report, std::string_view id) {
  auto at = std::ranges::find(report.findings, id, &danger::Finding::id);
  return at == report.findings.end() ? nullptr : &*at;
}

inline std::string told(const danger::DangerReport& report) {
  std::string text;
  for (const danger::Finding& one : report.findings) {
    text += std::string(enum_name(one.severity)) + " " + one.id + " " + one.path + ":"
            + std::to_string(one.line) + ":" + std::to_string(one.column) + " " + one.evidence
            + "\n";
  }
  return text;
}

struct Expected {
  std::string_view text;
  std::string_view id;
  danger::Severity severity;
  std::size_t line = 1; // within `text`
};

inline void check_found(const danger::DangerReport& report,
                        const Expected& expected,
                        std::size_t lines_before) {
  INFO(std::string(expected.text) << "\n-> " << told(report));
  const danger::Finding* found = find(report, expected.id);
  REQUIRE(found != nullptr);
  CHECK(enum_name(found->severity) == enum_name(expected.severity));
  CHECK(found->line == expected.line + lines_before);
}

} // namespace upskill::tests
