#include "clients/cli/draft_parts.h"

#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {

void print_files(Page& page, const std::vector<GeneratedFile>& files) {
  Table table({{"", Fit::shrinks}, {"", Fit::right}});
  for (const GeneratedFile& file : files) {
    table.add({{file.path}, {"~" + count(file.tokens, "token", "tokens"), Tint::dim}});
  }
  table.print(page, 2);
}

void print_document(Page& page, std::string_view document) {
  std::string text = clean_block(document);
  std::string mark = "  " + page.tint(Tint::dim, page.sign("│", "|")) + " ";
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    page.line(mark + text.substr(at, end - at));
    at = end + 1;
  }
}

} // namespace upskill::cli
