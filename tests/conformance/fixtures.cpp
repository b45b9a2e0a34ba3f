#include "tests/conformance/fixtures.h"

#include <utility>

namespace upskill::conformance {

FixturesEngine::FixturesEngine(daemon::EngineContext context)
    : m_context(std::move(context)) {
  for (std::vector<Tool> tools :
       {content_tools(), asking_tools(), message_tools(m_context), task_tools(m_context)}) {
    for (Tool& tool : tools) {
      m_infos.push_back(tool.info);
      m_handlers.push_back(std::move(tool.handler));
    }
  }
}

void FixturesEngine::bind(daemon::Binder& binder) {
  for (std::size_t i = 0; i < m_infos.size(); ++i) {
    binder.on_tool(m_infos[i], m_handlers[i]);
  }
}

} // namespace upskill::conformance
