#include "daemon/session_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace upskill::daemon {

// The first page. Offsets are within their region.
struct MemoryHeader {
  std::array<char, 8> magic;
  std::uint64_t input;        // begin << 32 | end
  std::uint64_t output;       // begin << 32 | end
  std::uint64_t record;       // area << 32 | bytes of the record
  std::uint32_t handling_end; // lines before this were begun
  std::uint32_t attempts;
  std::uint32_t skipping;
  std::uint32_t moving;  // the input is being moved: what lies beyond its end means nothing
  std::uint32_t writing; // a write that may stop half way is under way
};

namespace {

constexpr std::array<char, 8> k_magic{'u', 'p', 's', 'k', 'm', 'e', 'm', '1'};
constexpr std::size_t k_page = 4096;
constexpr std::size_t k_header_size = 128;
constexpr std::size_t k_small_record = (k_page - k_header_size) / 2;
static_assert(sizeof(MemoryHeader) <= k_header_size);
constexpr std::size_t k_small_room = 64u << 10; // bytes, as much as a pipe holds
constexpr std::size_t k_large_room = 1u << 20;
constexpr std::size_t k_kept = 64u << 10; // input kept mapped between messages

// Only the order of the stores matters: the reader is another process, after this one's death.
template <class T> void store(T& place, std::type_identity_t<T> value) {
  std::atomic_ref<T>(place).store(value, std::memory_order_seq_cst);
}

std::uint64_t pack(std::size_t high, std::size_t low) {
  return std::uint64_t{high} << 32 | low;
}

std::size_t high_of(std::uint64_t packed) {
  return packed >> 32;
}

std::size_t low_of(std::uint64_t packed) {
  return packed & 0xFFFFFFFFu;
}

tl::unexpected<Error> corrupt() {
  return fail(ErrorCode::corrupt,
              "the memory that the bridge kept does not hold a session of this version",
              "restart the agent");
}

void put_text(std::string& out, std::string_view text) {
  auto size = static_cast<std::uint32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += text;
}

bool take_text(std::string_view& in, std::string& out) {
  std::uint32_t size = 0;
  if (in.size() < sizeof size) {
    return false;
  }
  std::memcpy(&size, in.data(), sizeof size);
  in.remove_prefix(sizeof size);
  if (in.size() < size) {
    return false;
  }
  out = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

} // namespace

SessionMemory::SessionMemory(Mapping mapping, std::size_t max_line)
    : m_mapping(std::move(mapping))
    , m_max_line(max_line) {}

MemoryHeader& SessionMemory::header() const {
  return *reinterpret_cast<MemoryHeader*>(m_mapping.bytes().data());
}

char* SessionMemory::input() const {
  return m_mapping.bytes().data() + k_page;
}

char* SessionMemory::output() const {
  return input() + k_input_size;
}

// Two small areas, 0 and 1, in the header's page, so that most sessions need no other, and two
// large ones, 2 and 3. A record never replaces the one it follows: the lowest bit alternates.
std::span<char> SessionMemory::record_area(unsigned which) const {
  if (which < 2) {
    return {m_mapping.bytes().data() + k_header_size + which * k_small_record, k_small_record};
  }
  return {output() + k_output_size + (which - 2) * k_record_size, k_record_size};
}

Result<SessionMemory> SessionMemory::open(Mapping mapping, std::size_t max_line) {
  if (mapping.bytes().size() != k_size) {
    return corrupt();
  }
  SessionMemory memory(std::move(mapping), max_line);
  if (memory.header().magic == decltype(k_magic){}) {
    return fresh(std::move(memory.m_mapping), max_line);
  }
  if (memory.header().magic != k_magic) {
    return corrupt();
  }
  TRY(memory.recover());
  return memory;
}

SessionMemory SessionMemory::fresh(Mapping mapping, std::size_t max_line) {
  SessionMemory memory(std::move(mapping), max_line);
  memory.header().magic = k_magic;
  return memory;
}

// --- input

std::span<char> SessionMemory::room() {
  handled();
  std::size_t partial = m_input_end - m_next;
  std::size_t wanted = partial >= k_small_room ? k_large_room : k_small_room;
  if (k_input_size - m_input_end < wanted) {
    compact_input();
  }
  // A line has at most k_max_line bytes and the region holds two, so there always is room.
  return {input() + m_input_end, std::min(wanted, k_input_size - m_input_end)};
}

void SessionMemory::arrived(std::size_t bytes) {
  m_input_end += bytes;
  m_input_touched = std::max(m_input_touched, m_input_end);
  store_input();
}

SessionMemory::Line SessionMemory::next_line() {
  for (;;) {
    const char* start = input() + m_next;
    char* from = input() + std::max(m_searched, m_next);
    auto* newline = static_cast<char*>(
        std::memchr(from, '\n', static_cast<std::size_t>(input() + m_input_end - from)));
    std::size_t end =
        newline == nullptr ? m_input_end : static_cast<std::size_t>(newline - input());
    m_searched = end;
    bool too_long = end - m_next > m_max_line;
    if (newline == nullptr) {
      if (too_long || m_skipping) {
        // Forget what there is of it; whatever comes up to the next newline belongs to it.
        m_skipping = true;
        store(header().skipping, 1u);
        m_next = m_input_end;
        handled();
      }
      return {};
    }
    m_next = end + 1;
    // Never less than the daemon before us had begun, should we die over these lines too.
    store(header().handling_end, static_cast<std::uint32_t>(std::max(m_next, m_interrupted_end)));
    if (too_long || m_skipping) {
      m_skipping = false;
      store(header().skipping, 0u);
      return {LineKind::oversized, {}};
    }
    std::string_view text(start, static_cast<std::size_t>(newline - start));
    if (text.ends_with('\r')) {
      text.remove_suffix(1);
    }
    if (text.empty()) {
      continue;
    }
    if (m_next > m_interrupted_end) {
      return {LineKind::whole, text};
    }
    count_attempt();
    return {LineKind::interrupted, text};
  }
}

// Only now: a daemon that died before it came to them did not die over them.
void SessionMemory::count_attempt() {
  if (!m_is_counted) {
    m_is_counted = true;
    store(header().attempts, ++m_attempts);
  }
}

void SessionMemory::handled() {
  if (m_next == m_input_begin) {
    return;
  }
  m_input_begin = m_next;
  store_input();
  if (m_attempts != 0) {
    m_attempts = 0;
    m_is_counted = false;
    store(header().attempts, 0u);
  }
  if (m_input_begin < m_input_end) {
    return;
  }
  // Clear first: should we die here, the old end still covers what is not yet zero.
  clear_input(0, m_input_end);
  m_input_begin = m_input_end = m_next = m_searched = m_interrupted_end = 0;
  store(header().handling_end, 0u);
  store_input();
}

void SessionMemory::end_of_input() {
  if ((m_input_end > m_next || m_skipping) && m_input_end < k_input_size) {
    input()[m_input_end] = '\n';
    arrived(1);
  }
}

void SessionMemory::store_input() {
  store(header().input, pack(m_input_begin, m_input_end));
}

void SessionMemory::clear_input(std::size_t begin, std::size_t end) {
  if (end - begin > k_kept) {
    m_mapping.discard(k_page + begin, end - begin);
    m_input_touched = begin;
  } else {
    std::memset(input() + begin, 0, end - begin);
  }
}

void SessionMemory::compact_input() {
  std::size_t size = m_input_end - m_input_begin;
  if (size > m_input_begin) {
    return; // it would overlap; there is room then, see room()
  }
  std::size_t old_end = m_input_end;
  store(header().moving, 1u);
  store(header().handling_end, 0u);
  std::memcpy(input(), input() + m_input_begin, size);
  m_searched = std::max(m_searched, m_input_begin) - m_input_begin;
  m_input_begin = m_next = m_interrupted_end = 0;
  m_input_end = size;
  store_input();
  clear_input(size, old_end);
  store(header().moving, 0u);
}

// --- output

std::string_view SessionMemory::pending() const {
  return {output() + m_output_begin, m_output_end - m_output_begin};
}

bool SessionMemory::add_pending(std::string_view bytes, std::size_t already) {
  if (m_output_end == m_output_begin) {
    m_output_begin = m_output_end = 0;
    // From the start of the line that was cut; rfind answers npos, which is -1, for the first one.
    std::size_t line = already == 0 ? 0 : bytes.rfind('\n', already - 1) + 1;
    bytes.remove_prefix(line);
    already -= line;
  }
  if (m_output_end - m_output_begin + bytes.size() > k_max_unread) {
    return false;
  }
  if (bytes.size() > k_output_size - m_output_end && !compact_output(bytes.size())) {
    return false;
  }
  std::memcpy(output() + m_output_end, bytes.data(), bytes.size());
  m_output_end += bytes.size();
  m_output_begin += already;
  store_output();
  return true;
}

bool SessionMemory::compact_output(std::size_t wanted) {
  std::size_t line = output_line();
  std::size_t size = m_output_end - line;
  if (size > line || wanted > k_output_size - size) {
    return false;
  }
  std::size_t old_end = m_output_end;
  std::memcpy(output(), output() + line, size);
  m_output_begin -= line;
  m_output_end = size;
  store_output();
  m_mapping.discard(k_page + k_input_size + size, old_end - size);
  return true;
}

void SessionMemory::pending_written(std::size_t bytes) {
  m_output_begin += bytes;
  if (m_output_begin < m_output_end) {
    store_output();
    return;
  }
  std::size_t used = m_output_end;
  m_output_begin = m_output_end = 0;
  store_output();
  m_mapping.discard(k_page + k_input_size, used);
}

// What was written of the region stays in it, back to where the line of the next byte starts at
// least.
std::size_t SessionMemory::output_line() const {
  return std::string_view(output(), m_output_begin).rfind('\n') + 1; // npos is -1
}

void SessionMemory::store_output() {
  store(header().output, pack(m_output_begin, m_output_end));
}

void SessionMemory::begin_write() {
  store(header().writing, 1u);
}

void SessionMemory::end_write() {
  store(header().writing, 0u);
}

// --- record

void SessionMemory::record(std::string_view state, std::span<const std::string_view> ids) {
  std::string text;
  put_text(text, state);
  for (std::string_view id : ids) {
    if (text.size() + id.size() + sizeof(std::uint32_t) <= k_record_size) {
      put_text(text, id);
    }
  }
  if (text.size() > k_record_size) {
    return; // a state of a megabyte is none of ours
  }
  unsigned other = (~m_record & 1) + (text.size() > k_small_record ? 2 : 0);
  std::memcpy(record_area(other).data(), text.data(), text.size());
  store(header().record, pack(other, text.size()));
  m_record = other;
}

// --- recovery

Result<void> SessionMemory::recover() {
  m_recovered.restored = true;
  TRY(recover_input());
  TRY(recover_output(header().writing != 0));
  store(header().writing, 0u);
  return recover_record();
}

Result<void> SessionMemory::recover_input() {
  m_input_begin = high_of(header().input);
  m_input_end = low_of(header().input);
  if (m_input_begin > m_input_end || m_input_end > k_input_size) {
    return corrupt();
  }
  if (header().moving == 0) {
    // What a read brought that the daemon did not live to record. JSON lines hold no NUL.
    char* end = input() + m_input_end;
    std::size_t most = k_input_size - m_input_end;
    auto* zero = static_cast<char*>(std::memchr(end, '\0', most));
    m_input_end += zero == nullptr ? most : static_cast<std::size_t>(zero - end);
  }
  m_mapping.discard(k_page + m_input_end, k_input_size - m_input_end);
  store_input();
  store(header().moving, 0u);
  m_input_touched = m_input_end;
  m_next = m_searched = m_input_begin;
  m_skipping = header().skipping != 0;
  m_interrupted_end = std::min<std::size_t>(header().handling_end, m_input_end);
  m_attempts = m_interrupted_end > m_input_begin ? header().attempts : 0;
  if (m_input_begin == m_input_end) {
    m_input_begin = m_input_end = m_next = m_searched = m_interrupted_end = 0;
    m_mapping.discard(k_page, k_input_size);
    store(header().handling_end, 0u);
    store_input();
  }
  return {};
}

Result<void> SessionMemory::recover_output(bool write_was_cut) {
  m_output_begin = high_of(header().output);
  m_output_end = low_of(header().output);
  if (m_output_begin > m_output_end || m_output_end > k_output_size) {
    return corrupt();
  }
  if (!write_was_cut) {
    return {};
  }
  // How much of the last write went out is not known: end the line that may be torn, and say it,
  // and what came after it, again.
  std::string again = "\n";
  again.append(output() + output_line(), m_output_end - output_line());
  std::size_t at = m_output_end;
  if (again.size() > k_output_size - at) {
    return corrupt();
  }
  std::memcpy(output() + at, again.data(), again.size());
  m_output_begin = at;
  m_output_end = at + again.size();
  store_output();
  return {};
}

Result<void> SessionMemory::recover_record() {
  std::size_t size = low_of(header().record);
  std::size_t which = high_of(header().record);
  if (which > 3 || size > record_area(static_cast<unsigned>(which)).size()) {
    return corrupt();
  }
  m_record = static_cast<unsigned>(which);
  std::string_view text(record_area(m_record).data(), size);
  if (text.empty()) {
    return {};
  }
  if (!take_text(text, m_recovered.state)) {
    return corrupt();
  }
  for (std::string id; take_text(text, id);) {
    m_recovered.lost_ids.push_back(std::move(id));
  }
  return {};
}

void SessionMemory::trim() {
  std::size_t keep = std::max(m_input_end, std::size_t{k_page});
  if (m_input_touched > keep) {
    m_mapping.discard(k_page + keep, m_input_touched - keep);
    m_input_touched = keep;
  }
}

} // namespace upskill::daemon
