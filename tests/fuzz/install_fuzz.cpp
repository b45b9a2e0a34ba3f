#include "protocol/base/utf8.h"
#include "skills/document/document.h"
#include "skills/install/record.h"
#include "skills/install/rename.h"
#include "skills/install/skills_lock.h"
#include "skills/install/source.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace upskill;
using namespace upskill::install;

namespace {

// A broken promise must stop the fuzzer.
void promise(bool kept) {
  if (!kept) {
    std::abort();
  }
}

bool can_be_shown(const std::string& text) {
  return !text.empty() && is_utf8(text) && text.find('\x1b') == std::string::npos;
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

// Words are refused, or say the same again.
void check_source(std::string_view words) {
  Result<Source> source = parse_source(words, {});
  if (!source) {
    promise(can_be_shown(source.error().message) && is_utf8(source.error().hint));
    return;
  }
  promise(("/" + source->folder + "/").find("/../") == std::string::npos);
  promise(!source->folder.starts_with('/') && !source->ref.starts_with('-'));
  promise(!source->address.starts_with('-') && source->skills.size() <= 1);
  for (const std::string& text : {source->name, source->address, source->ref, source->folder}) {
    promise(is_utf8(text) && !has_control(text));
  }
  if (!source->address.starts_with('/')) { // what lies here may be gone meanwhile
    Result<Source> again = parse_source(words_of(*source), {});
    promise(again && *again == *source);
  }
}

void check_lock(LockKind kind, std::string_view text) {
  Result<SkillsLock> lock = SkillsLock::parse(kind, text);
  if (!lock) {
    promise(can_be_shown(lock.error().message) && is_utf8(lock.error().hint));
    return;
  }
  std::string written = lock->text();
  Result<SkillsLock> again = SkillsLock::parse(kind, written);
  promise(again && again->text() == written && again->entries() == lock->entries());
  LockEntry entry{.source = "a/b", .source_type = "github", .ref = "v1"};
  lock->put("skill", entry);
  promise(lock->entries().at("skill") == entry);
  lock->remove("skill");
}

void check_record(std::string_view text) {
  Result<InstallRecord> record = InstallRecord::parse(text);
  if (!record) {
    promise(can_be_shown(record.error().message) && is_utf8(record.error().hint));
    return;
  }
  Result<InstallRecord> again = InstallRecord::parse(record->text());
  promise(again && again->rows() == record->rows() && again->text() == record->text());
  for (const auto& [key, row] : record->rows()) {
    promise(row.skill.find('/') == std::string::npos && row.skill != "..");
    promise(("/" + row.from + "/").find("/../") == std::string::npos);
  }
}

void check_rename(std::string_view bytes) {
  sync::NewFiles files;
  files["SKILL.md"].bytes = bytes;
  Result<sync::NewFiles> after = renamed(files, "other-name");
  if (!after) {
    promise(can_be_shown(after.error().message));
    return;
  }
  const std::string& changed = after->at("SKILL.md").bytes;
  document::Document read = document::read_document(changed);
  promise(read.name == "other-name");
  promise(read.parts.body == document::read_document(bytes).parts.body);
  promise(renamed(*after, "other-name").value() == *after);
}

} // namespace

// The first byte says what the others are: the words of a source, a lock file of a project or the
// user, our own record, or a SKILL.md that gets another name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.empty()) {
    return 0;
  }
  std::string_view text = bytes.substr(1);
  switch (bytes.front()) {
  case 's':
    check_source(text);
    break;
  case 'p':
    check_lock(LockKind::project, text);
    break;
  case 'g':
    check_lock(LockKind::global, text);
    break;
  case 'r':
    check_record(text);
    break;
  case 'n':
    check_rename(text);
    break;
  default:
    break;
  }
  return 0;
}
