// What a teacher replies, whatever it is: a skill that all readers take alike, no skill, or an
// error.
#include "skills/document/document.h"
#include "skills/document/inspect.h"
#include "skills/generate/draft.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

using namespace upskill;

namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void check(const generate::Draft& draft) {
  std::string text = generate::write_document(draft);
  document::Document read = document::read_document(text);
  require(read.name == draft.name && read.description == draft.description);
  require(!read.repaired() && read.problems.empty());
  document::SkillFolder folder;
  folder.name = draft.name;
  require(document::inspect(text, folder).errors.empty());
  for (const auto& [path, file] : draft.files) {
    require(!path.empty() && path.front() != '/' && path.find("..") == std::string::npos);
    require(file.text.size() <= generate::k_max_draft_file);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view reply(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"", "the-skill"}) {
    Result<generate::DraftReply> drafted =
        generate::read_draft(reply, {.name = name, .task = "Do it", .mark = "m4rk"});
    if (!drafted) {
      require(!drafted.error().message.empty());
    } else if (std::holds_alternative<generate::Draft>(*drafted)) {
      check(std::get<generate::Draft>(*drafted));
    }
  }
  return 0;
}
