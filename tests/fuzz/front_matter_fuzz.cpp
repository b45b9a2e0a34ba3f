#include "skills/document/document.h"
#include "skills/document/inspect.h"
#include "skills/document/yaml_json.h"
#include "skills/document/yaml_library.h"
#include "skills/document/yaml_scanner.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace upskill::document;

namespace {

// A broken promise must stop the fuzzer.
void promise(bool kept) {
  if (!kept) {
    std::abort();
  }
}

} // namespace

// A SKILL.md of any bytes: nothing crashes, views stay inside the file, and scanner and library
// agree.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Document document = read_document(bytes);
  auto inside = [&](std::string_view part) {
    return part.empty()
           || (part.data() >= bytes.data() && part.data() + part.size() <= bytes.data() + size);
  };
  promise(inside(document.parts.yaml) && inside(document.parts.body));
  promise(!document.front_matter_json().empty());
  for (std::string_view yaml : {document.parts.yaml, bytes}) {
    if (auto scanned = scan_yaml(yaml)) {
      auto parsed = parse_with_library(yaml);
      promise(parsed && same_content(*scanned, parsed->root));
    }
  }
  auto exists = [](std::string_view path) { return path.size() % 2 == 0; };
  upskill::SkillValidation validation = inspect(bytes, {"skill", exists, 1, size});
  promise(validation.valid == validation.errors.empty() && validation.loaders.size() == 7);
  return 0;
}
