#include "skills/install/pack.h"

#include "protocol/base/utf8.h"
#include "skills/document/quick_validate.h"
#include "skills/install/inflate.h"
#include "skills/library/names.h"
#include "skills/store/inner_path.h"

#include <sys/stat.h>

#include <algorithm>

namespace upskill::install {
namespace {

constexpr std::uint16_t k_needed = 20;          // version of the form: deflate, folders in names
constexpr std::uint16_t k_maker = 3u << 8 | 20; // Unix, for the executable bit
constexpr std::uint16_t k_utf8_name = 1u << 11;
constexpr std::uint16_t k_no_date = 1u << 5 | 1; // 1980-01-01, the first day there is
constexpr std::size_t k_most_files = 0xfffe;     // more, and larger, needs zip64
constexpr std::uint64_t k_most_bytes = 0xffff'0000;

void put16(std::string& out, std::uint16_t number) {
  out += static_cast<char>(number & 0xff);
  out += static_cast<char>(number >> 8);
}

void put32(std::string& out, std::uint32_t number) {
  put16(out, static_cast<std::uint16_t>(number));
  put16(out, static_cast<std::uint16_t>(number >> 16));
}

// As skill-creator's `package_skill.py` leaves them out.
bool is_left_out(std::string_view path) {
  if (path.starts_with("evals/")) {
    return true;
  }
  for (std::string_view rest = path;;) {
    std::size_t slash = rest.find('/');
    std::string_view part = rest.substr(0, slash);
    if (slash == std::string_view::npos) {
      return part == ".DS_Store" || part.ends_with(".pyc");
    }
    if (part == "__pycache__" || part == "node_modules") {
      return true;
    }
    rest.remove_prefix(slash + 1);
  }
}

// What the local header and the directory have in common, from the version on.
std::string common_fields(const std::string& name, const sync::NewFile& file, std::string& packed) {
  bool is_smaller = !packed.empty() && packed.size() < file.bytes.size();
  if (!is_smaller) {
    packed = file.bytes;
  }
  std::string fields;
  put16(fields, k_needed);
  put16(fields, k_utf8_name);
  put16(fields, is_smaller ? 8 : 0); // deflated or stored
  put16(fields, 0);                  // midnight
  put16(fields, k_no_date);
  put32(fields, crc32_of(file.bytes));
  put32(fields, static_cast<std::uint32_t>(packed.size()));
  put32(fields, static_cast<std::uint32_t>(file.bytes.size()));
  put16(fields, static_cast<std::uint16_t>(name.size()));
  put16(fields, 0); // no extra fields
  return fields;
}

struct ZipWriter {
  std::string bytes = {};
  std::string directory = {};
  std::uint16_t count = 0;

  void add(const std::string& name, const sync::NewFile& file) {
    std::string packed = deflated(file.bytes);
    std::string fields = common_fields(name, file, packed);
    put32(directory, 0x02014b50);
    put16(directory, k_maker);
    directory += fields;
    put16(directory, 0); // no comment
    put16(directory, 0); // the first disk
    put16(directory, 0); // nobody's internal attributes
    put32(directory, (S_IFREG | (file.is_program ? 0755u : 0644u)) << 16);
    put32(directory, static_cast<std::uint32_t>(bytes.size()));
    directory += name;
    put32(bytes, 0x04034b50);
    bytes += fields + name + packed;
    ++count;
  }

  std::string finish() {
    std::uint32_t at = static_cast<std::uint32_t>(bytes.size());
    bytes += directory;
    put32(bytes, 0x06054b50);
    put32(bytes, 0); // one disk
    put16(bytes, count);
    put16(bytes, count);
    put32(bytes, static_cast<std::uint32_t>(directory.size()));
    put32(bytes, at);
    put16(bytes, 0); // no comment
    return std::move(bytes);
  }
};

} // namespace

Result<Packed> pack(std::string_view name, const sync::NewFiles& files) {
  if (std::optional<std::string> why = library::refused_name(name)) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(name) + " cannot be the name of a skill: it " + *why);
  }
  auto file = files.find("SKILL.md");
  if (file == files.end() || file->second.bytes.empty()) {
    return fail(ErrorCode::invalid_argument,
                "there is no skill to pack: it has no `SKILL.md` with anything in it");
  }
  if (std::string why = document::quick_validate(file->second.bytes); !why.empty()) {
    return fail(ErrorCode::invalid_argument,
                "a package of this skill would be refused: " + why,
                "`upskill validate` tells all that is wrong with it");
  }
  Packed packed;
  ZipWriter writer;
  std::uint64_t total = 0;
  for (const auto& [path, content] : files) {
    if (is_left_out(path)) {
      packed.left_out.push_back(path);
      continue;
    }
    TRY(store::check_inner_path(path));
    if (!content.target.empty()) {
      return fail(ErrorCode::invalid_argument,
                  in_backticks(path) + " is a link, which not every program unpacks",
                  "put a copy of the file in its place");
    }
    std::string within = std::string(name) + "/" + path;
    total += content.bytes.size() + 2 * within.size() + 128;
    if (total > k_most_bytes || packed.files.size() == k_most_files) {
      return fail(ErrorCode::too_large, "the skill is too large for a `.skill` file");
    }
    writer.add(within, content);
    packed.files.push_back(path);
  }
  packed.bytes = writer.finish();
  return packed;
}

} // namespace upskill::install
