#include "skills/store/history_paths.h"

#include "skills/store/record_fields.h"

namespace upskill::store {

Result<std::string> encode_history_paths(std::vector<HistoryPath> paths) {
  std::ranges::sort(paths, {}, &HistoryPath::path);
  if (std::ranges::adjacent_find(paths, {}, &HistoryPath::path) != paths.end()) {
    return fail(ErrorCode::invalid_argument, "a folder comes twice in a history entry");
  }
  std::string record;
  for (const HistoryPath& path : paths) {
    if (path.path.empty() || path.path.find('\0') != std::string::npos) {
      return fail(ErrorCode::invalid_argument, "a folder of a history entry has no proper path");
    }
    put_field(record, path.path);
    put_field(record, enum_name(path.kind));
    put_field(record, path.before);
    put_field(record, path.after);
  }
  return record;
}

Result<std::vector<HistoryPath>> decode_history_paths(std::string_view record) {
  std::vector<HistoryPath> paths;
  FieldReader reader(record);
  while (!reader.at_end()) {
    HistoryPath& path = paths.emplace_back();
    path.path = reader.text();
    path.kind = reader.word<ReplicaKind>();
    path.before = reader.digest();
    path.after = reader.digest();
    if (path.path.empty()) {
      reader.fail();
    }
  }
  if (reader.damaged()) {
    return fail(ErrorCode::corrupt, "sync.db holds a history entry whose folders cannot be read");
  }
  return paths;
}

} // namespace upskill::store
