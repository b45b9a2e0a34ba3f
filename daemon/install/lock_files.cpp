#include "daemon/install/lock_files.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_bytes = 16u << 20;
constexpr std::string_view k_github = "github";
constexpr std::string_view k_well_known = "well-known";
constexpr std::string_view k_local = "local";

std::string global_lock(const Places& places, const Environment& environment) {
  std::optional<std::string> state = environment("XDG_STATE_HOME");
  return state && state->starts_with('/') ? join_path(*state, "skills/.skill-lock.json")
                                          : join_path(places.home, ".agents/.skill-lock.json");
}

// As it is written into a lock of a project, which others check out elsewhere.
std::string local_source(const std::string& path, const std::string& project) {
  if (project.empty()) {
    return path;
  }
  std::string relative = relative_path(path, project);
  return relative.starts_with("../") ? relative : "./" + relative;
}

bool is_local(const install::Source& source) {
  return source.kind == install::SourceKind::folder || source.kind == install::SourceKind::archive
         || source.kind == install::SourceKind::document;
}

// The words that name the source but for its ref, as far as the lock says them.
std::string words_of(const install::LockEntry& entry, const std::string& project) {
  std::string words = entry.source;
  if (entry.source_type == k_local) {
    return project.empty() ? words : normalized_path(words, project);
  }
  if (entry.source_type == k_well_known) {
    return !entry.source_base_url.empty() ? entry.source_base_url : entry.source_url;
  }
  if (entry.source_type != k_github && !entry.source_url.empty()) {
    words = entry.source_url;
  }
  return words;
}

} // namespace

LockFile::LockFile(const std::string& project,
                   const Places& places,
                   const Environment& environment,
                   KnownFiles& known)
    : m_kind(project.empty() ? install::LockKind::global : install::LockKind::project)
    , m_path(project.empty() ? global_lock(places, environment)
                             : join_path(project, "skills-lock.json"))
    , m_guard(join_path(places.data, "skills-lock"))
    , m_known(known) {}

Result<void> LockFile::check() const {
  const std::optional<FileMark> mark = FileMark::of(m_path);
  if (m_known.is_good_lock(m_path, mark)) {
    return {};
  }
  TRY(read());
  if (mark == FileMark::of(m_path)) {
    m_known.keep_good_lock(m_path, mark);
  }
  return {};
}

Result<install::SkillsLock> LockFile::read() const {
  Result<std::string> text = read_file(m_path, k_most_bytes);
  if (!text && text.error().code != ErrorCode::not_found) {
    return fail(std::move(text).error());
  }
  Result<install::SkillsLock> lock =
      install::SkillsLock::parse(m_kind, text ? std::string_view(*text) : std::string_view());
  if (!lock) {
    Error error = std::move(lock).error();
    error.message = in_backticks(m_path) + ": " + error.message;
    error.hint = "put it right, or move it away; it is the lock file of `npx skills`";
    return fail(std::move(error));
  }
  return lock;
}

Result<ChangedLock>
LockFile::changed(const std::function<void(install::SkillsLock& lock)>& work) const {
  TRY_ASSIGN(FileLock guard, FileLock::take(m_guard));
  TRY_ASSIGN(install::SkillsLock lock, read());
  if (lock.is_older()) {
    return fail(ErrorCode::unsupported,
                in_backticks(m_path)
                    + " is of an older version, which `npx skills` does not read either; it stays "
                      "as it is until somebody moves it away");
  }
  work(lock);
  std::optional<std::string> text;
  if (lock.is_changed()) {
    text = lock.text();
  }
  return ChangedLock(std::move(guard), m_path, std::move(text));
}

Result<void> ChangedLock::write() const {
  if (!m_text) {
    return {};
  }
  TRY(make_directories(parent_path(m_path), 0755));
  return write_file_atomically(m_path, *m_text);
}

install::LockEntry
lock_entry(const install::InstallRow& row, const Candidate& theirs, const fetch::Offered& offered) {
  const bool is_project = !row.scope.empty();
  const bool is_published = row.source.kind == install::SourceKind::well_known;
  install::LockEntry entry;
  entry.source =
      is_local(row.source) ? local_source(row.source.address, row.scope) : row.source.name;
  entry.source_type = row.source.type;
  entry.source_url = is_local(row.source) && is_project ? std::string() : row.source.address;
  entry.ref = row.source.ref;
  if (is_published) {
    entry.well_known_digest = row.digest;
    entry.source_base_url = is_project ? std::string() : row.source.address;
  } else if (row.source.kind != install::SourceKind::mcp) {
    entry.skill_path = row.from.empty() ? theirs.document : join_path(row.from, theirs.document);
  }
  if (is_project) {
    entry.computed_hash = theirs.computed_hash;
  } else {
    bool has_tree = row.source.type == k_github && !offered.tree.empty();
    entry.skill_folder_hash = has_tree       ? offered.tree
                              : is_published ? std::string()
                                             : theirs.computed_hash;
    entry.installed_at = rfc3339(row.installed_ms);
    entry.updated_at = rfc3339(row.updated_ms);
  }
  return entry;
}

Result<install::InstallRow> row_of(const std::string& skill,
                                   const install::LockEntry& entry,
                                   const std::string& project,
                                   const std::string& home) {
  install::InstallRow row;
  row.skill = skill;
  row.scope = project;
  TRY_ASSIGN(row.source, install::parse_source(words_of(entry, project), {project, home}));
  row.source.skills.clear();
  if (row.source.kind == install::SourceKind::git) {
    row.source.ref = entry.ref; // as it is: words would have to quote it
  }
  row.digest = entry.well_known_digest;
  if (row.source.kind == install::SourceKind::well_known) {
    row.from = skill;
  } else if (entry.skill_path.find('/') != std::string::npos) {
    row.from = parent_path(entry.skill_path);
  }
  return row;
}

} // namespace upskill::daemon
