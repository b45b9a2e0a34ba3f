#include "daemon/session_memory.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <vector>

using namespace upskill;
using namespace upskill::daemon;
using Kind = SessionMemory::LineKind;

namespace {

// Memory as a bridge keeps it. open() is what the next daemon does after the death of the one
// before, whose object may still be there: nothing of it is looked at.
class KeptMemory {
public:
  KeptMemory()
      : m_fd(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {}

  SessionMemory open() {
    auto mapping = Mapping::of_memfd(UniqueFd(::dup(m_fd.get())), SessionMemory::k_size);
    REQUIRE(mapping);
    auto memory = SessionMemory::open(std::move(*mapping));
    REQUIRE(memory);
    return std::move(*memory);
  }

  int fd() const { return m_fd.get(); }

private:
  UniqueFd m_fd;
};

void put(SessionMemory& memory, std::string_view bytes) {
  while (!bytes.empty()) {
    std::span<char> room = memory.room();
    std::size_t part = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), part);
    memory.arrived(part);
    bytes.remove_prefix(part);
  }
}

std::string next(SessionMemory& memory, Kind kind = Kind::whole) {
  SessionMemory::Line line = memory.next_line();
  CHECK(line.kind == kind);
  return std::string(line.text);
}

} // namespace

TEST_SUITE("SessionMemory") {
  TEST_CASE("lines come out whole, without newlines, and empty ones not at all") {
    KeptMemory kept;
    SessionMemory memory = kept.open();
    put(memory, "one\r\n\n\r\ntw");
    CHECK(next(memory) == "one");
    CHECK(next(memory, Kind::none).empty());
    memory.handled();
    put(memory, "o\nthree\n");
    CHECK(next(memory) == "two");
    CHECK(next(memory) == "three");
    CHECK(next(memory, Kind::none).empty());
    memory.handled();
    CHECK_FALSE(memory.has_input());
  }

  TEST_CASE("bytes that were read, recorded or not, are found again after a death") {
    KeptMemory kept;
    {
      SessionMemory memory = kept.open();
      put(memory, "one\ntwo\nthr");
      CHECK(next(memory) == "one");
      memory.handled();
      // A read that ended just before the daemon did.
      std::memcpy(memory.room().data(), "ee\nfour\n", 8);
    }
    SessionMemory memory = kept.open();
    CHECK(memory.recovered().restored);
    CHECK(next(memory) == "two");
    CHECK(next(memory) == "three");
    CHECK(next(memory) == "four");
    CHECK(next(memory, Kind::none).empty());
  }

  TEST_CASE("what was handled does not come back, however often the region was used") {
    KeptMemory kept;
    {
      SessionMemory memory = kept.open();
      for (int i = 0; i < 100; ++i) {
        put(memory, std::string(static_cast<std::size_t>(i) * 1000, 'x') + "\n");
        memory.next_line();
        memory.handled();
      }
      put(memory, "a");
      memory.room();
    }
    SessionMemory memory = kept.open();
    put(memory, "b\n");
    CHECK(next(memory) == "ab");
    CHECK(next(memory, Kind::none).empty());
  }

  TEST_CASE("lines that were being handled come back as interrupted, those behind them do not") {
    KeptMemory kept;
    {
      SessionMemory memory = kept.open();
      put(memory, "one\ntwo\nthree\n");
      memory.next_line();
      memory.next_line();
    }
    {
      SessionMemory memory = kept.open();
      CHECK(next(memory, Kind::interrupted) == "one");
      CHECK(memory.attempts() == 1);
    }
    kept.open(); // dies before it comes to anything, which does not count
    SessionMemory memory = kept.open();
    CHECK(next(memory, Kind::interrupted) == "one");
    CHECK(memory.attempts() == 2);
    memory.handled();
    CHECK(memory.attempts() == 0);
    // The second daemon had not come to it, but the first had.
    CHECK(next(memory, Kind::interrupted) == "two");
    CHECK(next(memory) == "three");
    memory.handled();
    SessionMemory last = kept.open();
    CHECK(last.attempts() == 0);
    CHECK(next(last, Kind::none).empty());
  }

  TEST_CASE("a line over the limit is reported once and its bytes are gone") {
    KeptMemory kept;
    SessionMemory memory = kept.open();
    put(memory, "first\n");
    CHECK(next(memory) == "first");
    std::string part(1u << 20, 'x');
    for (int i = 0; i < 40; ++i) {
      put(memory, part);
      CHECK(next(memory, Kind::none).empty());
    }
    SUBCASE("in one life") {
      put(memory, "end\nafter\n");
      CHECK(next(memory, Kind::oversized).empty());
      CHECK(next(memory) == "after");
    }
    SUBCASE("across a death") {
      SessionMemory second = kept.open();
      put(second, "end\nafter\n");
      CHECK(next(second, Kind::oversized).empty());
      CHECK(next(second) == "after");
    }
    SUBCASE("at the end of the input") {
      memory.end_of_input();
      CHECK(next(memory, Kind::oversized).empty());
    }
  }

  TEST_CASE("how the bytes are cut into pieces changes nothing") {
    std::string stream;
    for (int i = 0; i < 200; ++i) {
      stream += std::string(static_cast<std::size_t>(i * 7 % 50), static_cast<char>('a' + i % 26));
      stream += i % 3 == 0 ? "\r\n" : "\n";
    }
    std::mt19937 random(7);
    auto lines_in_pieces = [&](std::size_t largest) {
      auto mapping = Mapping::anonymous(SessionMemory::k_size);
      REQUIRE(mapping);
      SessionMemory memory = SessionMemory::fresh(std::move(*mapping), 40);
      std::vector<std::string> lines;
      for (std::size_t at = 0; at < stream.size();) {
        std::size_t size = std::min<std::size_t>(1 + random() % largest, stream.size() - at);
        put(memory, std::string_view(stream).substr(at, size));
        at += size;
        for (;;) {
          SessionMemory::Line line = memory.next_line();
          if (line.kind == Kind::none) {
            break;
          }
          lines.push_back(line.kind == Kind::oversized ? "<oversized>" : std::string(line.text));
        }
      }
      return lines;
    };
    const std::vector<std::string> expected = lines_in_pieces(1);
    CHECK(expected.size() > 150);
    for (int round = 0; round < 50; ++round) {
      CHECK(lines_in_pieces(60) == expected);
    }
  }

  TEST_CASE("a line of exactly the limit is whole, one byte more is not") {
    KeptMemory kept;
    SessionMemory memory = kept.open();
    put(memory, std::string(k_max_line, 'x') + "\n");
    CHECK(memory.next_line().text.size() == k_max_line);
    memory.handled();
    put(memory, std::string(k_max_line + 1, 'x') + "\n");
    Kind kind = memory.next_line().kind;
    CHECK(kind == Kind::oversized);
  }

  TEST_CASE("long lines one behind the other never run out of room") {
    KeptMemory kept;
    SessionMemory memory = kept.open();
    std::string line(k_max_line - 1, 'a');
    for (int i = 0; i < 6; ++i) {
      // Half a line lies there before the one in front of it is handled.
      put(memory, line.substr(0, line.size() / 2));
      CHECK(next(memory, Kind::none).empty());
      put(memory, line.substr(line.size() / 2) + "\nxy");
      CHECK(memory.next_line().text.size() == line.size() + (i == 0 ? 0 : 2));
      memory.handled();
      line.resize(k_max_line - 3);
    }
  }

  TEST_CASE("what waits to be written is written on, in the middle of a line") {
    KeptMemory kept;
    {
      SessionMemory memory = kept.open();
      REQUIRE(memory.add_pending("first\nsecond\n", 8));
      REQUIRE(memory.add_pending("third\n"));
      memory.pending_written(2);
    }
    SessionMemory memory = kept.open();
    CHECK(memory.pending() == "nd\nthird\n");
  }

  TEST_CASE("a write of unknown length ends the torn line and repeats it") {
    KeptMemory kept;
    SUBCASE("of what was waiting") {
      {
        SessionMemory memory = kept.open();
        REQUIRE(memory.add_pending("first\nsecond\nthird\n", 8));
        memory.begin_write();
      }
      SessionMemory memory = kept.open();
      CHECK(memory.pending() == "\nsecond\nthird\n");
      SessionMemory again = kept.open();
      CHECK(again.pending() == "\nsecond\nthird\n");
    }
    SUBCASE("of what was not recorded, because its line is interrupted") {
      {
        SessionMemory memory = kept.open();
        memory.begin_write();
      }
      SessionMemory memory = kept.open();
      CHECK(memory.pending() == "\n");
    }
    SUBCASE("but not when the write was recorded") {
      {
        SessionMemory memory = kept.open();
        memory.begin_write();
        memory.end_write();
      }
      CHECK(kept.open().pending().empty());
    }
  }

  TEST_CASE("what waits has a bound, and a client that reads slowly does not run into it") {
    KeptMemory kept;
    SessionMemory memory = kept.open();
    std::string block(1u << 20, 'x');
    block.back() = '\n';
    for (int i = 0; i < 64; ++i) {
      REQUIRE(memory.add_pending(block));
    }
    CHECK_FALSE(memory.add_pending("x"));
    for (int i = 0; i < 200; ++i) {
      memory.pending_written(block.size());
      REQUIRE(memory.add_pending(block));
      CHECK(memory.pending().size() == 64 * block.size());
    }
    CHECK(memory.pending().substr(0, block.size()) == block);
    memory.pending_written(memory.pending().size());
    CHECK(memory.pending().empty());
  }

  TEST_CASE("the record is the last one, whatever its size") {
    KeptMemory kept;
    std::string long_id = "\"" + std::string(1000, 'i') + "\"";
    for (std::size_t count : {0u, 1u, 200u, 2u, 3u, 256u, 255u}) {
      std::vector<std::string_view> ids(count, long_id);
      kept.open().record("{\"era\":" + std::to_string(count) + "}", ids);
      SessionMemory memory = kept.open();
      CHECK(memory.recovered().state == "{\"era\":" + std::to_string(count) + "}");
      CHECK(memory.recovered().lost_ids.size() == count);
    }
  }

  TEST_CASE("a memory that something else wrote is refused, whatever it holds") {
    KeptMemory kept;
    kept.open();
    auto header = [&](std::size_t offset, std::uint64_t value) {
      REQUIRE(::pwrite(kept.fd(), &value, sizeof value, static_cast<off_t>(offset)) == 8);
    };
    SUBCASE("another magic") {
      header(0, 0x4141414141414141);
    }
    SUBCASE("input beyond its region") {
      header(8, 0xFFFFFFFF);
    }
    SUBCASE("input that ends before it begins") {
      header(8, std::uint64_t{9} << 32 | 3);
    }
    SUBCASE("output beyond its region") {
      header(16, 0xFFFFFFFF);
    }
    SUBCASE("a record of no area") {
      header(24, std::uint64_t{7} << 32 | 8);
    }
    SUBCASE("a record beyond its area") {
      header(24, std::uint64_t{2} << 32 | 0xFFFFFFF);
    }
    auto mapping = Mapping::of_memfd(UniqueFd(::dup(kept.fd())), SessionMemory::k_size);
    REQUIRE(mapping);
    auto memory = SessionMemory::open(std::move(*mapping));
    REQUIRE_FALSE(memory);
    CHECK(memory.error().code == ErrorCode::corrupt);
  }

  TEST_CASE("what is no memfd that can be sealed is refused, and a sealed one cannot shrink") {
    UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    CHECK_FALSE(Mapping::of_memfd(std::move(null), SessionMemory::k_size));
    UniqueFd unsealable(::memfd_create("test", MFD_CLOEXEC));
    CHECK_FALSE(Mapping::of_memfd(std::move(unsealable), SessionMemory::k_size));
    KeptMemory kept;
    kept.open();
    CHECK(::ftruncate(kept.fd(), 0) != 0);
  }
}
