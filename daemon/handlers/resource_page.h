#pragma once
#include "protocol/base/bounds.h"
#include "protocol/codec/writer.h"
#include "protocol/mcp/answer.h"

#include <cstddef>

namespace upskill::daemon {

// How far a page of resources is filled: hosts put these lists before a model.
class ResourcePageRoom {
public:
  // Whether one more fits, which then counts as taken; the first always does.
  bool take(const mcp::Resource& resource) {
    m_bytes += json_bytes(resource);
    ++m_resources;
    return m_resources == 1 || (m_resources <= k_resource_page && m_bytes <= k_resource_page_bytes);
  }

private:
  static std::size_t json_bytes(const mcp::Resource& resource) {
    constexpr std::size_t k_round_entry = 180; // names of members, type, size and date
    return k_round_entry + json_string(resource.uri).size() + json_string(resource.name).size()
           + json_string(resource.description).size();
  }

  std::size_t m_resources = 0;
  std::size_t m_bytes = 0;
};

} // namespace upskill::daemon
