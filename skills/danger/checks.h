#pragma once
#include "skills/danger/findings.h"
#include "skills/danger/scan.h"

#include <vector>

// Each looks for one thing, or a few that belong together, and adds what it finds. All are linear
// in what they look at.
namespace upskill::danger {

class CompiledRules;

// What rules.json says.
void check_patterns(const FileView& view, const CompiledRules& rules, Findings& findings);
// Characters that are not shown or that change how others are.
void check_characters(const FileView& view, Findings& findings);
// Secrets that are written out.
void check_secrets(const FileView& view, const redact::RuleSet& rules, Findings& findings);
// Encoded texts: what they say where they can be read, else that they are there.
void check_blobs(const FileView& view, const CompiledRules& rules, Findings& findings);
// Links of markdown that leave the skill or lead elsewhere than they say; hosts that look alike.
void check_links(const FileView& view, Findings& findings);
// What SKILL.md takes for itself: tools without asking, hooks, commands at load.
void check_capabilities(const FileView& view, Findings& findings);
// What kind of file it is, its name, its mode, its size.
void check_file(const FileView& view, Findings& findings);
// The skill's name beside those that are there.
void check_name(const FileView& document, const ScanOptions& options, Findings& findings);
// Whether the files do what the description promises.
void check_description(const std::vector<FileView>& views, Findings& findings);
// The files beside what the lock says.
void check_lock(const SkillFiles& files, const ScanOptions& options, Findings& findings);

} // namespace upskill::danger
