#include "skills/store/replica_record.h"

#include "skills/store/record_fields.h"

#include <charconv>

namespace upskill::store {
namespace {

constexpr std::string_view k_hex = "0123456789abcdef";

std::string hex_of(const Fingerprint& fingerprint) {
  std::string text;
  for (std::uint8_t byte : fingerprint) {
    text += k_hex[byte >> 4];
    text += k_hex[byte & 15];
  }
  return text;
}

std::optional<Fingerprint> fingerprint_of(std::string_view text) {
  Fingerprint fingerprint;
  // What is no fingerprint only means to look again.
  if (text.size() != 2 * fingerprint.size()
      || text.find_first_not_of(k_hex) != std::string_view::npos) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < fingerprint.size(); ++i) {
    fingerprint[i] =
        static_cast<std::uint8_t>(k_hex.find(text[2 * i]) << 4 | k_hex.find(text[2 * i + 1]));
  }
  return fingerprint;
}

Id id_of(FieldReader& reader) {
  std::string_view text = reader.text();
  Id id = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) {
    reader.fail();
  }
  return id;
}

} // namespace

std::string encode_replicas(const std::vector<ReplicaRow>& replicas) {
  std::string record;
  for (const ReplicaRow& replica : replicas) {
    put_field(record, std::to_string(replica.root));
    put_field(record, enum_name(replica.kind));
    put_field(record, replica.fingerprint ? hex_of(*replica.fingerprint) : std::string());
    put_field(record, replica.hash);
  }
  return record;
}

Result<std::vector<ReplicaRow>> decode_replicas(std::string_view record) {
  std::vector<ReplicaRow> replicas;
  FieldReader reader(record);
  while (!reader.at_end()) {
    ReplicaRow& replica = replicas.emplace_back();
    replica.root = id_of(reader);
    replica.kind = reader.word<ReplicaKind>();
    replica.fingerprint = fingerprint_of(reader.text());
    replica.hash = reader.digest();
  }
  if (reader.damaged()) {
    return fail(ErrorCode::corrupt, "sync.db holds a skill whose copies cannot be read");
  }
  return replicas;
}

} // namespace upskill::store
