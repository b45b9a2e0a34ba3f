// InstallDesk: what is dangerous in skills, wherever they lie.
#include "daemon/await.h"
#include "daemon/install/desk.h"
#include "daemon/install/scan_folder.h"
#include "daemon/install/version_answers.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/hash.h"
#include "protocol/base/utf8.h"
#include "skills/danger/sarif.h"
#include "skills/install/discover.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_paths = 1000;
constexpr std::size_t k_most_scanned = 10'000; // skills of one call

// A skill that is scanned, and what is known of others.
struct Scanning {
  const install::InstallRecord& record;
  const Allowances& allowances;
  danger::ScanOptions options;
  bool is_packed = false; // it lies in a folder of ours: its place says nothing to anybody
  std::vector<danger::Finding> all = {}; // of all skills, with paths from where the caller is
  std::string cwd = {};
};

bool is_allowed(const Scanning& scanning, const std::string& skill, const Digest& hash) {
  bool was_allowed = std::ranges::any_of(scanning.record.rows(), [&](const auto& entry) {
    const install::InstallRow& row = entry.second;
    return row.skill == skill && std::ranges::find(row.allowed, hash.hex()) != row.allowed.end();
  });
  return was_allowed || scanning.allowances.allows(skill, hash);
}

ScannedSkill scan_one(const fetch::Offered& offered, Scanning& scanning) {
  ScannedSkill told;
  std::string name = install::folder_name_of(offered.name);
  told.skill = name.empty() ? to_valid_utf8(offered.name) : name;
  told.path = to_valid_utf8(scanning.is_packed ? offered.from : offered.folder);
  Result<ScannedFolder> folder = read_for_scan(offered.folder);
  if (!folder) {
    told.problem = folder.error().message;
    return told;
  }
  danger::DangerReport report = danger::scan(folder->files, scanning.options);
  told.danger = severity_of(report);
  told.findings = findings_of(report);
  told.left_out = static_cast<std::int64_t>(report.left_out);
  Result<Digest> hash = read_hash(offered.folder);
  if (hash) {
    told.hash = hash->hex();
    told.allowed = is_allowed(scanning, told.skill, *hash);
  } else {
    told.problem = hash.error().message;
  }
  bool is_below = !scanning.is_packed && !scanning.cwd.empty();
  std::string place = is_below ? relative_path(offered.folder, scanning.cwd) : told.path;
  for (danger::Finding& finding : report.findings) {
    finding.path = place.empty() || place == "." ? finding.path : join_path(place, finding.path);
    scanning.all.push_back(std::move(finding));
  }
  return told;
}

// The row of a skill whose copy this folder is; null for any other folder.
const install::InstallRow*
row_of(const install::InstallRecord& record, const Scene& scene, const fetch::Offered& offered) {
  const std::string root = parent_path(offered.folder);
  auto holds = [&](const install::InstallRow& row) {
    return row.skill == base_name(offered.folder)
           && std::ranges::any_of(scene.roots, [&](const library::Root& one) {
                return one.project == row.scope && one.real_path == root;
              });
  };
  for (const auto& [key, row] : record.rows()) {
    if (holds(row)) {
      return &row;
    }
  }
  return nullptr;
}

// What was installed, to hold what lies there against.
std::vector<danger::LockedFile> locked_files(const sync::NewFiles& files) {
  std::vector<danger::LockedFile> locked;
  for (const auto& [path, file] : files) {
    if (file.target.empty()) {
      locked.push_back({path, sha256(file.bytes).hex()});
    }
  }
  return locked;
}

void finish(ScanResult& result) {
  std::ranges::sort(result.skills, {}, [](const ScannedSkill& skill) {
    return std::tuple(-static_cast<int>(skill.danger),
                      std::string_view(skill.skill),
                      std::string_view(skill.path));
  });
  for (const ScannedSkill& skill : result.skills) {
    if (!skill.allowed) {
      result.danger = std::max(result.danger, skill.danger);
    }
  }
}

// The folder of a SKILL.md is its skill.
std::string without_document(std::string path) {
  std::string_view name = base_name(path);
  return name == "SKILL.md" || name == "skill.md" ? parent_path(path) : path;
}

} // namespace

Awaitable<ScanResult> InstallDesk::scan(ScanParams params, FolderOf folder_of, InstallCall call) {
  if (params.path.empty() || params.path.size() > k_most_paths) {
    co_return fail(ErrorCode::invalid_argument, "params.path: must name from 1 to 1000 paths");
  }
  CO_TRY_ASSIGN(Allowances allowances, Allowances::parse(params.allow));
  std::vector<install::Source> sources;
  RecordNow record;
  auto read = [&]() -> Result<void> {
    TRY_ASSIGN(record, files().record().read());
    for (const std::string& asked : params.path) {
      TRY_ASSIGN(std::string path, folder_of(asked));
      TRY_ASSIGN(install::Source source,
                 install::parse_source(without_document(path), {call.cwd, places().home}));
      sources.push_back(std::move(source));
    }
    return {};
  };
  AWAIT(Result<void> known, runtime::offload(call.pool, std::move(read)));
  CO_TRY(known);
  AWAIT(Result<std::shared_ptr<const Scene>> scene, m_service.scene());
  CO_TRY(scene);
  ScanResult result;
  Scanning scanning{*record, allowances, danger::ScanOptions()};
  scanning.cwd = call.cwd;
  for (install::Source& source : sources) {
    bool is_packed = source.kind != install::SourceKind::folder;
    std::string name = source.name;
    AWAIT(Result<std::shared_ptr<fetch::Offer>> offer,
          offer_of(std::move(source), install::Depth::shadowed, {}, call));
    CO_TRY(offer);
    scanning.is_packed = is_packed;
    for (const std::string& warning : (*offer)->warnings) {
      result.warnings.push_back(to_valid_utf8(warning));
    }
    for (const fetch::Offered& offered : (*offer)->skills) {
      if (result.skills.size() == k_most_scanned) {
        result.warnings.push_back("there are more than 10,000 skills; name fewer");
        break;
      }
      const install::InstallRow* row = is_packed ? nullptr : row_of(*record, **scene, offered);
      scanning.options.source = row != nullptr ? row->source.name : std::string();
      scanning.options.locked.clear();
      if (row != nullptr) {
        AWAIT(Result<sync::NewFiles> installed, m_service.files_of(row->base));
        if (installed) { // else it is too long ago
          scanning.options.locked = locked_files(*installed);
        }
      }
      auto job = [&] { return scan_one(offered, scanning); };
      AWAIT(ScannedSkill told, runtime::offload(call.pool, std::move(job)));
      result.skills.push_back(std::move(told));
      call.told("scanning " + std::to_string(result.skills.size()));
    }
  }
  finish(result);
  bool is_sarif = params.format == ScanFormat::sarif || !params.output.empty();
  if (!is_sarif) {
    co_return result;
  }
  auto report = [&]() -> Result<void> {
    std::ranges::sort(scanning.all, {}, [](const danger::Finding& finding) {
      return std::tuple(finding.severity, std::string_view(finding.path), finding.line);
    });
    danger::DangerReport all{std::move(scanning.all), 0};
    for (const ScannedSkill& skill : result.skills) {
      all.left_out += static_cast<std::size_t>(skill.left_out);
    }
    bool is_one = result.skills.size() == 1;
    std::string text = danger::to_sarif(all, is_one ? result.skills.front().skill : std::string());
    if (params.output.empty()) {
      result.sarif = std::move(text);
      return {};
    }
    result.output = normalized_path(expand_home(params.output, places().home), call.cwd);
    return write_file_atomically(result.output, text);
  };
  AWAIT(Result<void> written, runtime::offload(call.pool, std::move(report)));
  CO_TRY(written);
  co_return result;
}

} // namespace upskill::daemon
