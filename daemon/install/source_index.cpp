#include "daemon/install/source_index.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/hash.h"
#include "protocol/codec/codec.h"
#include "protocol/rpc/simdjson_reader.h"

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_bytes = 32u << 20;

std::string path_of(const Places& places, const std::string& source, const std::string& viewers) {
  return join_path(join_path(places.state, "sources"), sha256(source + viewers).hex() + ".json");
}

} // namespace

std::string viewers_of(const InstallCall& call) {
  std::string viewers;
  if (call.is_agent()) {
    viewers = "\nagents"; // a line of its own, which no source has
    for (const std::string& host : call.choices.private_hosts) {
      viewers += "\n" + host;
    }
  }
  return viewers;
}

std::optional<SourceIndex>
read_source_index(const Places& places, const std::string& source, const std::string& viewers) {
  Result<std::string> text = read_file(path_of(places, source, viewers), k_most_bytes);
  if (!text) {
    return std::nullopt;
  }
  Result<SourceIndex> index = SourceIndex();
  rpc::JsonParser parser;
  Result<void> read = parser.read(
      *text, "index", [&](JsonReader& reader) { index = decode<SourceIndex>(reader, "index"); });
  bool is_it = read && index && index->source == source;
  return is_it ? std::optional(std::move(*index)) : std::nullopt;
}

Result<void>
write_source_index(const Places& places, const SourceIndex& index, const std::string& viewers) {
  std::string path = path_of(places, index.source, viewers);
  TRY(make_directories(parent_path(path), 0700));
  return write_file_atomically(path, encode(index), 0600, Durability::process_crash);
}

} // namespace upskill::daemon
