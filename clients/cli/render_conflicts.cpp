#include "clients/cli/diff_view.h"
#include "clients/cli/render.h"
#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_most_lines = 80; // of one diff

void print_version(Page& page, const ConflictVersion& version) {
  std::string mark =
      version.winner ? page.tint(Tint::green, "winner") : page.tint(Tint::yellow, "loser ");
  std::string where = version.path.empty() ? std::string() : "  " + page.path(version.path);
  page.line("  " + mark + "  " + clean_line(version.hash.substr(0, 12)) + where);
  if (version.edited) {
    std::string before = version.before.empty()
                             ? std::string()
                             : "; it was " + clean_line(version.before.substr(0, 12)) + " then";
    page.line(page.tint(Tint::yellow, "          edited since it won" + before));
  }
  if (!version.stored.empty()) {
    page.line(page.tint(Tint::dim, "          kept in " + page.path(version.stored)));
  }
  // One path is named by its diff.
  std::size_t differing = version.differs.size() + static_cast<std::size_t>(version.more_differ);
  if (differing > 1) {
    std::string paths;
    for (const std::string& path : version.differs) {
      paths += (paths.empty() ? "" : ", ") + clean_line(path);
    }
    paths += version.more_differ > 0 ? " and " + std::to_string(version.more_differ) + " more" : "";
    page.paragraph("differs in " + paths, 4);
  }
  if (!version.winner) {
    print_diff(page, version.diff, 4, k_most_lines);
  }
}

// What settles it, in words that can be typed as they stand.
void print_choices(Page& page, const Conflict& conflict, const std::string& command) {
  auto print = [&](const std::string& text) { page.line(page.tint(Tint::dim, "  " + text)); };
  if (conflict.kind == ConflictKind::deletion) {
    print("`" + command + " delete` or `" + command + " restore`");
    return;
  }
  auto losers = std::ranges::count(conflict.versions, false, &ConflictVersion::winner);
  std::string keep = "`" + command + " winner` keeps what is there";
  if (losers <= 1) {
    print(keep + ", `" + command + " loser` takes the other");
    return;
  }
  print(keep);
  for (const ConflictVersion& version : conflict.versions) {
    if (!version.winner) {
      print("`" + command + " " + clean_line(version.hash.substr(0, 12)) + "` takes this one"
            + (version.path.empty() ? "" : ", of " + page.path(version.path)));
    }
  }
}

} // namespace

void show(Page& page, const Invocation& invocation, const SyncConflictsResult& result) {
  if (result.conflicts.empty()) {
    std::optional<std::string> skill = invocation.value("skill");
    page.line(skill ? "`" + clean_line(*skill) + "` has no conflict, and its deletion is not held."
                    : std::string("There are no conflicts, and no deletion is held."));
    return;
  }
  bool first = true;
  for (const Conflict& conflict : result.conflicts) {
    if (!first) {
      page.line();
    }
    first = false;
    bool deletion = conflict.kind == ConflictKind::deletion;
    page.line(page.tint(Tint::bold, clean_line(conflict.skill)) + "  "
              + (deletion ? "deletion held" : "copies were changed differently")
              + page.tint(Tint::dim,
                          ", number " + std::to_string(conflict.id) + ", since "
                              + human_time(conflict.time) + " UTC"));
    if (!conflict.reason.empty()) {
      page.paragraph(conflict.reason, 2, Tint::dim);
    }
    for (const ConflictVersion& version : conflict.versions) {
      print_version(page, version);
    }
    // In several scopes, only the number says which.
    bool only_one = std::ranges::count(result.conflicts, conflict.skill, &Conflict::skill) == 1;
    std::string command = "upskill sync resolve "
                          + (only_one ? clean_line(conflict.skill) : std::to_string(conflict.id));
    print_choices(page, conflict, command);
  }
}

} // namespace upskill::cli
