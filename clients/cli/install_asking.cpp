#include "clients/cli/install_asking.h"

#include "clients/cli/danger_parts.h"
#include "clients/cli/install_flow.h"
#include "clients/cli/pick.h"
#include "clients/cli/render.h"
#include "clients/cli/text.h"
#include "protocol/codec/codec.h"

#include <utility>

namespace upskill::cli {
namespace {

Result<InstallResult> read_result(const connect::CallReply& reply) {
  TRY_ASSIGN(connect::TextReader reader, connect::TextReader::open(reply.result, "the plan"));
  return decode<InstallResult>(reader, "result");
}

PickItem item_of(const InstalledSkill& skill) {
  PickItem item{skill.skill, danger_cell(skill.danger), skill.description};
  switch (skill.state) {
  case InstallState::unchanged:
    item.mark = {"here already", Tint::dim};
    break;
  case InstallState::taken:
    item.mark = {"name is taken", Tint::yellow};
    break;
  case InstallState::invalid:
  case InstallState::failed:
    item.mark = {std::string(enum_name(skill.state)), Tint::red};
    item.about = skill.reason;
    item.is_fixed = true;
    break;
  default:
    break;
  }
  return item;
}

// On this process's terminal. What is shown goes to stderr where stdout is kept for JSON.
class AtTerminal : public InstallPerson {
public:
  AtTerminal(const Screen& screen, const Environment& environment)
      : m_screen(screen)
      , m_environment(environment) {}

  Result<std::vector<std::size_t>> pick(const InstallResult& offer) override {
    std::vector<PickItem> items;
    for (const InstalledSkill& skill : offer.skills) {
      items.push_back(item_of(skill));
    }
    std::string title = "Skills of " + offer.source;
    return can_show_list(m_environment) ? pick_by_keys(title, std::move(items), m_screen)
                                        : pick_by_numbers(title, items, m_screen);
  }

  void show(const Invocation& invocation, const InstallResult& plan) override {
    Page page(m_screen);
    cli::show(page, invocation, plan);
    page.line();
    if (invocation.json) {
      write_all(2, page.text(Stream::out));
    } else {
      page.print();
    }
  }

  Result<std::string> answer(std::string_view question) override { return ask_line(question); }

  Reply agree(std::string_view question) override { return ask(question); }

private:
  const Screen& m_screen;
  const Environment& m_environment;
};

} // namespace

Result<std::vector<Invocation>> ask_install(Conversation& conversation,
                                            const Invocation& invocation,
                                            const Screen& screen,
                                            const Environment& environment) {
  AtTerminal person(screen, environment);
  auto call = [&](const Invocation& order) -> Result<InstallResult> {
    TRY_ASSIGN(connect::CallReply reply, conversation.call(order));
    return read_result(reply);
  };
  return decide_install(invocation, call, person);
}

Result<connect::CallReply> carry_out_install(Conversation& conversation,
                                             const std::vector<Invocation>& orders) {
  TRY_ASSIGN(connect::CallReply reply, conversation.call(orders.front()));
  if (orders.size() == 1) {
    return reply; // as the daemon sent it
  }
  TRY_ASSIGN(InstallResult first, read_result(reply));
  std::vector<InstallResult> results{std::move(first)};
  for (std::size_t i = 1; i < orders.size(); ++i) {
    Result<connect::CallReply> next = conversation.call(orders[i]);
    if (!next) {
      Error error = next.error();
      error.message += " (what was agreed to before it is installed)";
      return fail(std::move(error));
    }
    TRY_ASSIGN(InstallResult result, read_result(*next));
    results.push_back(std::move(result));
  }
  reply.result = encode(joined_results(std::move(results)));
  return reply;
}

} // namespace upskill::cli
