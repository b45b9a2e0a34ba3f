#include "protocol/hook/spool_record.h"

#include "protocol/base/utf8.h"

#include <array>

namespace upskill::hook {
namespace {

constexpr std::string_view k_magic = "\xFFups";
constexpr std::size_t k_head = 10; // magic, CRC and size
constexpr char k_version = 1;

struct Field {
  std::string HookEvent::*text;
  std::size_t limit; // bytes
};

// In the order of their numbers, which begin with 1 and never change.
constexpr std::array<Field, 8> k_fields{{{&HookEvent::agent, k_max_name},
                                         {&HookEvent::event, k_max_name},
                                         {&HookEvent::session, k_max_name},
                                         {&HookEvent::turn, k_max_name},
                                         {&HookEvent::transcript, k_max_path},
                                         {&HookEvent::helper, k_max_name},
                                         {&HookEvent::helper_transcript, k_max_path},
                                         {&HookEvent::cwd, k_max_path}}};
static_assert(k_head + 9 + 5 * (3 + k_max_name) + 3 * (3 + k_max_path) <= k_max_record);

using CrcTable = std::array<std::uint32_t, 256>;

// The first one carries a byte's remainder over the next byte, the others over two to eight of
// them: so eight bytes are taken at once, which do not wait for each other.
constexpr std::array<CrcTable, 8> make_crc_tables() {
  std::array<CrcTable, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1) != 0 ? 0xEDB88320 ^ value >> 1 : value >> 1;
    }
    tables[0][byte] = value;
  }
  for (std::size_t i = 1; i < tables.size(); ++i) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      std::uint32_t before = tables[i - 1][byte];
      tables[i][byte] = tables[0][before & 0xFF] ^ before >> 8;
    }
  }
  return tables;
}

constexpr std::array<CrcTable, 8> k_crc_tables = make_crc_tables();

std::uint64_t number_at(std::string_view bytes, std::size_t at, int size) {
  std::uint64_t number = 0;
  for (int i = size; i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  }
  return number;
}

std::uint32_t crc32(std::string_view bytes) {
  const auto& tables = k_crc_tables;
  std::uint32_t value = ~0u;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t eight = number_at(bytes, 0, 8) ^ value;
    value = tables[7][eight & 0xFF] ^ tables[6][eight >> 8 & 0xFF] ^ tables[5][eight >> 16 & 0xFF]
            ^ tables[4][eight >> 24 & 0xFF] ^ tables[3][eight >> 32 & 0xFF]
            ^ tables[2][eight >> 40 & 0xFF] ^ tables[1][eight >> 48 & 0xFF]
            ^ tables[0][eight >> 56];
  }
  for (char byte : bytes) {
    value = tables[0][(value ^ static_cast<unsigned char>(byte)) & 0xFF] ^ value >> 8;
  }
  return ~value;
}

void put_number(std::string& out, std::size_t at, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) {
    out[at + static_cast<std::size_t>(i)] = static_cast<char>(number >> 8 * i);
  }
}

void append_field(std::string& out, std::size_t number, std::string_view text, std::size_t limit) {
  if (text.empty() || text.size() > limit) {
    return;
  }
  std::size_t at = out.size();
  out.append(3, static_cast<char>(number));
  put_number(out, at + 1, text.size(), 2);
  out += text;
}

// Bytes of the whole record that begins here; 0 where none does, or not all of it is there.
std::size_t whole_record(std::string_view bytes) {
  if (bytes.size() < k_head || !bytes.starts_with(k_magic)) {
    return 0;
  }
  std::size_t size = k_head + number_at(bytes, 8, 2);
  bool is_whole = size <= k_max_record && size <= bytes.size()
                  && crc32(bytes.substr(8, size - 8)) == number_at(bytes, 4, 4);
  return is_whole ? size : 0;
}

// False where it is of another version, or says what no version 1 does.
bool decode_body(std::string_view body, HookEvent& event) {
  if (body.size() < 9 || body[0] != k_version) {
    return false;
  }
  event.time_ms = static_cast<std::int64_t>(number_at(body, 1, 8));
  body.remove_prefix(9);
  while (!body.empty()) {
    std::size_t size = body.size() < 3 ? k_max_record : number_at(body, 1, 2);
    if (body.size() < 3 + size) {
      return false;
    }
    std::string_view text = body.substr(3, size);
    std::size_t which = static_cast<unsigned char>(body[0]);
    bool is_known = which >= 1 && which <= k_fields.size();
    if (is_known && size <= k_fields[which - 1].limit && is_utf8(text)) {
      event.*k_fields[which - 1].text = text;
    }
    body.remove_prefix(3 + size);
  }
  return true;
}

// Behind bytes that are no record: where the next whole one begins. Nothing whole: what cannot be
// the beginning of one any more is torn all the same.
DecodedPiece torn_piece(std::string_view bytes) {
  for (std::size_t at = bytes.find(k_magic, 1); at != std::string_view::npos;
       at = bytes.find(k_magic, at + 1)) {
    if (whole_record(bytes.substr(at)) != 0) {
      return {Piece::torn, at, {}};
    }
  }
  return bytes.size() < 2 * k_max_record
             ? DecodedPiece{}
             : DecodedPiece{Piece::torn, bytes.size() - k_max_record, {}};
}

} // namespace

std::string encode_record(const HookEvent& event) {
  std::string out;
  out.reserve(512);
  out.assign(k_head + 9, '\0');
  out.replace(0, k_magic.size(), k_magic);
  out[k_head] = k_version;
  put_number(out, k_head + 1, static_cast<std::uint64_t>(event.time_ms), 8);
  for (std::size_t i = 0; i < k_fields.size(); ++i) {
    append_field(out, i + 1, event.*k_fields[i].text, k_fields[i].limit);
  }
  put_number(out, 8, out.size() - k_head, 2);
  put_number(out, 4, crc32(std::string_view(out).substr(8)), 4);
  return out;
}

DecodedPiece decode_piece(std::string_view bytes) {
  std::size_t size = whole_record(bytes);
  if (size == 0) {
    return torn_piece(bytes);
  }
  DecodedPiece decoded{Piece::record, size, {}};
  if (!decode_body(bytes.substr(k_head, size - k_head), decoded.event)) {
    return {Piece::foreign, size, {}};
  }
  return decoded;
}

} // namespace upskill::hook
