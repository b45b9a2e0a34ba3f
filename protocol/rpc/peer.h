#pragma once
#include "protocol/base/bounds.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::rpc {

template <class Note> class Peer;

// The right to answer one request, once. Only a Peer makes it, and it can only be moved: whoever
// writes an answer consumes it.
template <class Note> class Reply {
public:
  Reply(Reply&&) noexcept = default;
  Reply& operator=(Reply&&) noexcept = default;

  const std::string& id() const { return m_id; } // JSON text

  const Note& note() const { return m_note; }

private:
  friend class Peer<Note>;

  Reply(std::string id, Note note)
      : m_id(std::move(id))
      , m_note(std::move(note)) {}

  std::string m_id;
  Note m_note;
};

// The requests of one client that wait for their answer. `Note` is what the protocol above keeps
// for each. Owned by a session.
template <class Note> class Peer {
public:
  using CallId = std::uint64_t; // never 0, never reused

  enum class Refusal { duplicate, busy };

  // duplicate: a request of that id (JSON text, canonical, so that 1 and "1" differ) is in flight.
  // busy: k_max_calls_in_flight are.
  tl::expected<CallId, Refusal>
  begin(std::string_view id, std::string_view progress_token, Note note) {
    std::size_t hash = std::hash<std::string_view>{}(id);
    if (slot_of(id, hash) != nullptr) {
      return tl::make_unexpected(Refusal::duplicate);
    }
    if (m_free.empty()) {
      if (m_slots.size() == k_max_calls_in_flight) {
        return tl::make_unexpected(Refusal::busy);
      }
      m_free.push_back(m_slots.size());
      m_slots.emplace_back();
    }
    Slot& slot = m_slots[m_free.back()];
    slot.call = ++m_last_call << k_slot_bits | m_free.back();
    m_free.pop_back();
    slot.hash = hash;
    slot.id = id;
    slot.progress_token = progress_token;
    slot.progress = -std::numeric_limits<double>::infinity();
    slot.note = std::move(note);
    return slot.call;
  }

  // Ends a request; nothing when it is not in flight, so that a second answer cannot be written.
  std::optional<Reply<Note>> finish(CallId call) {
    Slot* slot = slot_of(call);
    return slot == nullptr ? std::nullopt : std::optional(release(*slot));
  }

  // Ends the request that the client calls `id`, which gets no answer.
  std::optional<std::pair<CallId, Reply<Note>>> cancel(std::string_view id) {
    Slot* slot = slot_of(id, std::hash<std::string_view>{}(id));
    if (slot == nullptr) {
      return std::nullopt;
    }
    CallId call = slot->call;
    return std::pair(call, release(*slot));
  }

  bool contains(std::string_view id) const {
    return const_cast<Peer*>(this)->slot_of(id, std::hash<std::string_view>{}(id)) != nullptr;
  }

  // The token (JSON text) to report progress with; nothing when the client did not ask, the request
  // is over, or `done` is not more than before (MCP: progress MUST increase).
  std::optional<std::string_view> advance(CallId call, double done) {
    Slot* slot = slot_of(call);
    if (slot == nullptr || slot->progress_token.empty() || !(done > slot->progress)) {
      return std::nullopt;
    }
    slot->progress = done;
    return slot->progress_token;
  }

  Note* note(CallId call) {
    Slot* slot = slot_of(call);
    return slot == nullptr ? nullptr : &slot->note;
  }

  const Note* note(CallId call) const { return const_cast<Peer*>(this)->note(call); }

  // Any request in flight; 0 when there is none.
  CallId any() const {
    for (const Slot& slot : m_slots) {
      if (slot.call != 0) {
        return slot.call;
      }
    }
    return 0;
  }

  std::size_t in_flight() const { return m_slots.size() - m_free.size(); }

private:
  static constexpr unsigned k_slot_bits = 8;
  static_assert(k_max_calls_in_flight <= 1u << k_slot_bits);

  struct Slot {
    CallId call = 0; // 0: free
    std::size_t hash = 0;
    double progress = 0;
    std::string id = {};
    std::string progress_token = {};
    Note note = {};
  };

  Slot* slot_of(CallId call) {
    std::size_t index = call & ((1u << k_slot_bits) - 1);
    return call != 0 && index < m_slots.size() && m_slots[index].call == call ? &m_slots[index]
                                                                              : nullptr;
  }

  Slot* slot_of(std::string_view id, std::size_t hash) {
    for (Slot& slot : m_slots) {
      if (slot.hash == hash && slot.call != 0 && slot.id == id) {
        return &slot;
      }
    }
    return nullptr;
  }

  Reply<Note> release(Slot& slot) {
    m_free.push_back(static_cast<std::size_t>(slot.call & ((1u << k_slot_bits) - 1)));
    slot.call = 0;
    return Reply<Note>(std::move(slot.id), std::move(slot.note));
  }

  std::vector<Slot> m_slots = {};
  std::vector<std::size_t> m_free = {};
  CallId m_last_call = 0;
};

} // namespace upskill::rpc
