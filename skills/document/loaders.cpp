#include "skills/document/loaders.h"

#include "skills/document/document.h"
#include "skills/document/front_matter.h"
#include "skills/document/quick_validate.h"
#include "skills/document/reference.h"
#include "skills/document/repair.h"
#include "skills/document/rescue.h"
#include "skills/document/unicode.h"
#include "skills/document/yaml.h"
#include "skills/document/yaml_json.h"

#include <array>

namespace upskill::document {
namespace {

enum class Closing { whole_line, prefix }; // which line that begins with `---` closes
enum class Accepts { no, yes };
enum class BadYaml { skip, quote, scan_lines, quote_or_ignore };
enum class Duplicates { refused, refused_in_known_fields, accepted };
enum class NotText { skip, coerce, scan_lines };
enum class Absent { skip, fill_in };

// How one loader reads SKILL.md. Sources: skills facts, section 5, and the loaders' own code where
// it is open.
struct LoaderRow {
  std::string_view loader;
  Accepts byte_order_mark;
  Accepts leading_blank; // before the opening fence
  Accepts opening_blank; // after it, on its line
  Closing closing;
  BadYaml bad_yaml;
  Duplicates duplicates;
  NotText not_text; // a name or description that YAML types as something else
  Absent name;      // filled in: the folder's name
  Absent description;
  bool needs_front_matter;
};

constexpr std::array k_loaders{
    LoaderRow{"vercel skills",
              Accepts::yes,
              Accepts::no,
              Accepts::no,
              Closing::prefix,
              BadYaml::skip,
              Duplicates::refused,
              NotText::skip,
              Absent::skip,
              Absent::skip,
              true},
    LoaderRow{"Codex",
              Accepts::no,
              Accepts::no,
              Accepts::yes,
              Closing::whole_line,
              BadYaml::quote,
              Duplicates::refused_in_known_fields,
              NotText::coerce,
              Absent::fill_in,
              Absent::skip,
              true},
    LoaderRow{"Claude Code",
              Accepts::yes,
              Accepts::yes,
              Accepts::yes,
              Closing::whole_line,
              BadYaml::quote_or_ignore,
              Duplicates::accepted,
              NotText::coerce,
              Absent::fill_in,
              Absent::fill_in,
              false},
    LoaderRow{"Gemini CLI",
              Accepts::no,
              Accepts::no,
              Accepts::no,
              Closing::prefix,
              BadYaml::scan_lines,
              Duplicates::refused,
              NotText::scan_lines,
              Absent::skip,
              Absent::skip,
              true},
    LoaderRow{"Pi",
              Accepts::yes,
              Accepts::yes,
              Accepts::no,
              Closing::prefix,
              BadYaml::skip,
              Duplicates::refused,
              NotText::skip,
              Absent::fill_in,
              Absent::skip,
              true},
};

LoaderReport skipped(std::string_view loader, std::string reason) {
  return LoaderReport{std::string(loader), LoaderVerdict::skipped, std::move(reason)};
}

LoaderReport repaired(std::string_view loader, std::string reason) {
  return LoaderReport{std::string(loader), LoaderVerdict::repaired, std::move(reason)};
}

// The two ways to split a file, each parsed at most once for all loaders.
struct Reading {
  FrontMatterSplit split = {};
  Result<YamlDocument> yaml = fail(ErrorCode::invalid_argument, "no front matter");
  std::optional<RepairedYaml> repair = {};
};

Reading read(FrontMatterSplit split) {
  Reading reading;
  reading.split = split;
  if (split.state == FenceState::closed) {
    reading.yaml = parse_yaml(split.yaml, split.yaml_line);
    if (!reading.yaml) {
      reading.repair = repair_yaml(split.yaml, split.yaml_line);
    }
  }
  return reading;
}

std::string unfit_fence(const LoaderRow& row, const FrontMatterSplit& split) {
  switch (split.state) {
  case FenceState::missing:
    return "no front matter";
  case FenceState::unclosed:
    return "the front matter is not closed with `---`";
  case FenceState::closed:
    break;
  }
  if (split.byte_order_mark && row.byte_order_mark == Accepts::no) {
    return "the file begins with a byte order mark";
  }
  if (split.leading_blank && row.leading_blank == Accepts::no) {
    return "white space stands before the front matter";
  }
  if (split.opening_blank && row.opening_blank == Accepts::no) {
    return "spaces follow the opening `---`";
  }
  return {};
}

std::string refused_duplicate(const LoaderRow& row, const YamlFeatures& features) {
  if (features.duplicate_line == 0 || row.duplicates == Duplicates::accepted) {
    return {};
  }
  const std::string& key = features.duplicate_key;
  bool known = key == "name" || key == "description" || key == "metadata";
  if (row.duplicates == Duplicates::refused_in_known_fields
      && !(features.duplicate_at_top && known)) {
    return {};
  }
  return "the key `" + key + "` occurs twice";
}

// Whether the loader's typed value counts as given: JavaScript and Rust loaders alike take null,
// and an empty text, for nothing.
bool is_given(const Yaml* value) {
  return value != nullptr && core_type(*value) != CoreType::null
         && !(value->is_scalar() && strip(value->text).empty());
}

bool is_text(const Yaml& value) {
  return value.is_scalar() && core_type(value) == CoreType::string;
}

LoaderReading scan_lines(std::string_view loader, std::string_view yaml, const std::string& why) {
  RescuedFields fields = rescue_fields(yaml);
  if (!fields.name || !fields.description) {
    return skipped(loader, why);
  }
  return {repaired(loader, why + "; it reads name and description line by line"),
          std::string(strip(*fields.name))};
}

LoaderReport without_metadata(const LoaderRow& row, const std::string& why) {
  return repaired(row.loader, why + "; it loads the body under the folder's name");
}

std::string describe(const std::vector<Repair>& repairs) {
  std::string text;
  for (const Repair& repair : repairs) {
    text += text.empty() ? "reads `" : ", `";
    text += repair.key + "` (line " + std::to_string(repair.line) + ")";
  }
  return text + " as if quoted";
}

LoaderReading
judge_fields(const LoaderRow& row, const Reading& reading, const YamlDocument& document) {
  LoaderReading report(LoaderReport{std::string(row.loader), LoaderVerdict::valid, {}});
  for (std::string_view field : {"name", "description"}) {
    const Yaml* value = document.root.find(field);
    std::string what = "`" + std::string(field) + "`";
    Absent absent = field == "name" ? row.name : row.description;
    if (!is_given(value)) {
      if (row.bad_yaml == BadYaml::scan_lines) {
        return scan_lines(row.loader, reading.split.yaml, "no " + what);
      }
      if (absent == Absent::skip) {
        return skipped(row.loader, "no " + what);
      }
    } else if (!is_text(*value)) {
      std::string why = what + " is not text";
      bool collection = !value->is_scalar();
      if (row.not_text == NotText::scan_lines) {
        return scan_lines(row.loader, reading.split.yaml, why);
      }
      if (row.not_text == NotText::skip || (collection && row.needs_front_matter)) {
        return skipped(row.loader, why);
      }
    }
    if (field == "name" && is_given(value) && value->is_scalar()) {
      report.name = strip(value->text);
    }
  }
  return report;
}

LoaderReading judge(const LoaderRow& row, const Reading& reading) {
  if (std::string unfit = unfit_fence(row, reading.split); !unfit.empty()) {
    return row.needs_front_matter ? skipped(row.loader, unfit) : without_metadata(row, unfit);
  }
  std::string why;
  if (!reading.yaml) {
    why = reading.yaml.error().message;
  } else if (!reading.yaml->root.is_mapping()) {
    why = "the front matter is not a mapping";
  } else {
    why = refused_duplicate(row, reading.yaml->features);
  }
  if (why.empty()) {
    return judge_fields(row, reading, *reading.yaml);
  }
  bool quotes = row.bad_yaml == BadYaml::quote || row.bad_yaml == BadYaml::quote_or_ignore;
  if (quotes && reading.repair) {
    LoaderReading report = judge_fields(row, reading, reading.repair->document);
    if (report.verdict != LoaderVerdict::skipped) {
      report.verdict = LoaderVerdict::repaired;
      report.reason = describe(reading.repair->repairs);
    }
    return report;
  }
  switch (row.bad_yaml) {
  case BadYaml::scan_lines:
    return scan_lines(row.loader, reading.split.yaml, why);
  case BadYaml::quote_or_ignore:
    return without_metadata(row, why);
  default:
    return skipped(row.loader, why);
  }
}

LoaderReport judge_validator(std::string_view loader, std::string reason) {
  return reason.empty() ? LoaderReport{std::string(loader), LoaderVerdict::valid, {}}
                        : skipped(loader, std::move(reason));
}

} // namespace

std::vector<LoaderReading> read_as_loaders(std::string_view bytes, std::string_view folder_name) {
  std::vector<std::string> errors = validate_as_reference(bytes, folder_name);
  std::vector<LoaderReading> reports;
  reports.emplace_back(
      judge_validator("skills-ref", errors.empty() ? std::string{} : errors.front()));
  reports.emplace_back(judge_validator("quick_validate", quick_validate(bytes)));
  FrontMatterSplit tolerant = split_front_matter(bytes);
  Reading whole_line = read(tolerant);
  // A loader that closes at any line that begins with `---` reads another text only in rare files.
  FrontMatterSplit prefix = split_at_prefix(bytes);
  Reading other;
  bool differs = prefix.yaml != tolerant.yaml || prefix.state != tolerant.state;
  if (differs) {
    other = read(prefix);
  }
  for (const LoaderRow& row : k_loaders) {
    bool by_prefix = differs && row.closing == Closing::prefix;
    reports.push_back(judge(row, by_prefix ? other : whole_line));
  }
  return reports;
}

std::vector<LoaderReport> report_loaders(std::string_view bytes, std::string_view folder_name) {
  std::vector<LoaderReport> reports;
  for (LoaderReading& reading : read_as_loaders(bytes, folder_name)) {
    reports.push_back(std::move(reading));
  }
  return reports;
}

std::string usual_name(std::string_view bytes) {
  return read_document(bytes).name;
}

} // namespace upskill::document
