#include "protocol/hook/spool_record.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace upskill::hook;

namespace {

HookEvent an_event() {
  return {.time_ms = 1'763'632'805'123,
          .agent = "claude-code",
          .event = "SubagentStop",
          .session = "s",
          .turn = "t",
          .transcript = "/a/s.jsonl",
          .helper = "h",
          .helper_transcript = "/a/h.jsonl",
          .cwd = "/навык"};
}

// Decodes until nothing whole is left.
struct Decoded {
  std::vector<HookEvent> events;
  int torn = 0;
  std::size_t left = 0;
};

Decoded decode_all(std::string_view bytes) {
  Decoded all;
  while (!bytes.empty()) {
    DecodedPiece piece = decode_piece(bytes);
    if (piece.piece == Piece::unfinished) {
      break;
    }
    REQUIRE(piece.used > 0);
    all.torn += piece.piece == Piece::torn ? 1 : 0;
    if (piece.piece == Piece::record) {
      all.events.push_back(piece.event);
    }
    bytes.remove_prefix(piece.used);
  }
  all.left = bytes.size();
  return all;
}

} // namespace

TEST_SUITE("spool record") {
  TEST_CASE("what is encoded is decoded") {
    for (const HookEvent& event : {an_event(), HookEvent{}, HookEvent{.time_ms = -1}}) {
      std::string bytes = encode_record(event);
      DecodedPiece piece = decode_piece(bytes);
      CHECK(piece.piece == Piece::record);
      CHECK(piece.used == bytes.size());
      CHECK(piece.event == event);
    }
  }

  TEST_CASE("is laid out as the header says, byte for byte") {
    // CRC-32 of the thirteen bytes behind it, by Python's zlib.crc32.
    std::string_view wanted("\xFFups"
                            "\xc3\x4b\x57\x82"
                            "\x0d\x00"
                            "\x01"
                            "\x02\x01\x00\x00\x00\x00\x00\x00"
                            "\x02\x01\x00S",
                            23);
    CHECK(encode_record({.time_ms = 258, .event = "S"}) == wanted);
  }

  TEST_CASE("a longer record has the checksum that everybody computes") {
    // Of the 54 bytes behind it, by Python's zlib.crc32, lowest byte first.
    std::string bytes =
        encode_record({.time_ms = 258, .event = R"(ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefgh)"});
    CHECK(bytes.size() == 8 + 54);
    CHECK(bytes.substr(4, 4) == std::string("\x9c\x7e\xb6\xa4", 4));
  }

  TEST_CASE("the longest event fits in, and what is longer is left out") {
    HookEvent event;
    for (auto field : {&HookEvent::agent,
                       &HookEvent::event,
                       &HookEvent::session,
                       &HookEvent::turn,
                       &HookEvent::helper}) {
      event.*field = std::string(k_max_name, 'n');
    }
    for (auto field : {&HookEvent::transcript, &HookEvent::helper_transcript, &HookEvent::cwd}) {
      event.*field = std::string(k_max_path, 'p');
    }
    CHECK(encode_record(event).size() <= k_max_record);
    CHECK(decode_piece(encode_record(event)).event == event);
    CHECK(encode_record({.agent = std::string(k_max_name + 1, 'n')}) == encode_record({}));
    CHECK(encode_record({.cwd = std::string(k_max_path + 1, 'p')}) == encode_record({}));
  }

  TEST_CASE("a record cut anywhere is unfinished at the end, and torn before another") {
    std::string first = encode_record(an_event());
    HookEvent other{.time_ms = 5, .event = "Stop", .cwd = "/b"};
    std::string second = encode_record(other);
    for (std::size_t size = 1; size < first.size(); ++size) {
      CAPTURE(size);
      CHECK(decode_piece(first.substr(0, size)).piece == Piece::unfinished);
      Decoded all = decode_all(first.substr(0, size) + second + first);
      CHECK(all.torn == 1);
      CHECK(all.events == std::vector<HookEvent>{other, an_event()});
      CHECK(all.left == 0);
    }
  }

  TEST_CASE("a record with any byte changed is not taken for one") {
    std::string bytes = encode_record(an_event());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      CAPTURE(at);
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x20);
      CHECK(decode_all(changed + bytes).events == std::vector<HookEvent>{an_event()});
    }
  }

  TEST_CASE("another version and unknown fields are passed over") {
    // Version 2, and an unknown field 99 in a record of version 1; CRC-32s by Python's zlib.crc32.
    std::string_view version_two("\xFFups\x09\xd2\x8d\x10\x01\x00\x02", 11);
    CHECK(decode_piece(version_two).piece == Piece::foreign);
    CHECK(decode_piece(version_two).used == 11);
    std::string_view unknown_field("\xFFups\x35\x8a\x5c\xf4\x0d\x00\x01"
                                   "\x07\x00\x00\x00\x00\x00\x00\x00\x63\x01\x00x",
                                   23);
    CHECK(decode_piece(unknown_field).piece == Piece::record);
    CHECK(decode_piece(unknown_field).event == HookEvent{.time_ms = 7});
  }

  TEST_CASE("zeros and noise end, and hide nothing that follows") {
    std::string record = encode_record(an_event());
    CHECK(decode_all(std::string(100'000, '\0') + record).events.size() == 1);
    CHECK(decode_all(std::string(100'000, '\0')).left < 2 * k_max_record);
    unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 200; ++round) {
      std::string noise(random() % 3000, '\0');
      for (char& byte : noise) {
        // Many beginnings of records, and sizes that lead anywhere.
        constexpr std::string_view k_likely("\xFFups\x00\x01", 6);
        byte = k_likely[random() % k_likely.size()];
      }
      Decoded all = decode_all(noise + record);
      REQUIRE(all.events.size() == 1);
      CHECK(all.events.front() == an_event());
      CHECK(all.left == 0);
    }
  }
}
