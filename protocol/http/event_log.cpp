#include "protocol/http/event_log.h"

#include <charconv>

namespace upskill::http {
namespace {

std::string id_of(EventLog::StreamId stream, std::uint64_t number) {
  return std::to_string(stream) + "-" + std::to_string(number);
}

bool read_number(std::string_view text, std::uint64_t& number) {
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size();
}

} // namespace

EventLog::StreamId EventLog::open() {
  m_streams[++m_last];
  return m_last;
}

std::string EventLog::priming_id(StreamId stream) const {
  return id_of(stream, 0);
}

std::string EventLog::add(StreamId stream, std::string_view data) {
  auto found = m_streams.find(stream);
  if (found == m_streams.end()) {
    return {};
  }
  Stream& kept = found->second;
  while (!kept.events.empty() && kept.bytes > k_max_open_bytes) {
    kept.bytes -= kept.events.front().size();
    kept.events.pop_front();
  }
  kept.events.emplace_back(data);
  kept.bytes += data.size();
  return id_of(stream, ++kept.last);
}

void EventLog::end(StreamId stream, Time now) {
  auto found = m_streams.find(stream);
  if (found == m_streams.end() || found->second.ended) {
    return;
  }
  found->second.ended = now;
  m_ended.push_back(stream);
  m_ended_bytes += found->second.bytes;
  trim_ended();
}

void EventLog::trim_ended() {
  while (m_ended.size() > 1
         && (m_ended.size() > k_max_ended || m_ended_bytes > k_max_ended_bytes)) {
    auto oldest = m_streams.find(m_ended.front());
    m_ended_bytes -= oldest->second.bytes;
    m_streams.erase(oldest);
    m_ended.pop_front();
  }
}

std::optional<EventLog::Rest> EventLog::after(std::string_view id) const {
  std::size_t dash = id.find('-');
  StreamId stream = 0;
  std::uint64_t number = 0;
  if (dash == std::string_view::npos || !read_number(id.substr(0, dash), stream)
      || !read_number(id.substr(dash + 1), number)) {
    return std::nullopt;
  }
  auto found = m_streams.find(stream);
  if (found == m_streams.end() || number > found->second.last) {
    return std::nullopt;
  }
  const Stream& kept = found->second;
  std::uint64_t before = kept.last - kept.events.size(); // the number of the last one forgotten
  if (number < before) {
    return std::nullopt;
  }
  Rest rest{stream, kept.ended.has_value()};
  for (std::uint64_t next = number + 1; next <= kept.last; ++next) {
    rest.events.push_back({id_of(stream, next), kept.events[next - before - 1]});
  }
  return rest;
}

std::optional<EventLog::Time> EventLog::expire(Time now) {
  while (!m_ended.empty()) {
    auto oldest = m_streams.find(m_ended.front());
    Time due = *oldest->second.ended + k_kept;
    if (now < due) {
      return due;
    }
    m_ended_bytes -= oldest->second.bytes;
    m_streams.erase(oldest);
    m_ended.pop_front();
  }
  return std::nullopt;
}

} // namespace upskill::http
