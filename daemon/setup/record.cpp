#include "daemon/setup/record.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/codec/nlohmann_reader.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace upskill::setup {
namespace {

constexpr std::size_t k_max_record = 16u << 20; // bytes

} // namespace

FileRow* Record::find(const std::string& path) {
  auto row = std::ranges::find(files, path, &FileRow::path);
  return row == files.end() ? nullptr : &*row;
}

Result<Record> load_record(const std::string& path) {
  Result<std::string> text = read_file(path, k_max_record);
  if (!text) {
    return text.error().code == ErrorCode::not_found ? Result<Record>(Record{})
                                                     : fail(text.error());
  }
  const std::string what = "`" + path + "`";
  const std::string hint = "what `upskill setup` wrote is no longer known; the files as they were "
                           "lie beside it, in `setup/`";
  Result<nlohmann::json> document = parse_json(*text, what);
  if (!document) {
    return fail(ErrorCode::corrupt, document.error().message, hint);
  }
  Result<Record> record = decode_document<Record>(*document, "record");
  if (!record) {
    return fail(ErrorCode::corrupt, what + " is damaged: " + record.error().message, hint);
  }
  return record;
}

Result<void> save_record(const std::string& path, const Record& record) {
  if (record.is_empty()) {
    bool is_gone = ::unlink(path.c_str()) == 0 || errno == ENOENT;
    return is_gone ? Result<void>() : fail(system_error(errno, "`" + path + "`"));
  }
  TRY(make_directories(parent_path(path), 0700));
  return write_file_atomically(path, encode(record) + "\n", 0600);
}

} // namespace upskill::setup
