#include "clients/cli/draft_parts.h"
#include "clients/cli/eval_parts.h"
#include "clients/cli/render.h"
#include "clients/cli/text.h"

namespace upskill::cli {
namespace {

constexpr std::size_t k_sessions_shown = 5;

std::string some_of(const std::vector<std::string>& sessions) {
  std::vector<std::string> first(
      sessions.begin(),
      sessions.begin() + static_cast<std::ptrdiff_t>(std::min(sessions.size(), k_sessions_shown)));
  std::string text = joined(first);
  return sessions.size() > k_sessions_shown
             ? text + " and " + grouped(static_cast<long long>(sessions.size() - k_sessions_shown))
                   + " more"
             : text;
}

void print_item(Page& page, const InboxItem& item) {
  std::string about = "  " + item.id;
  about += item.created_at.empty() ? "" : ", " + human_time(item.created_at);
  about += item.model.empty() ? "" : ", by " + item.model;
  page.headline(clean_line(item.skill), about);
  page.paragraph(item.description, 2);
  if (!item.reason.empty()) {
    page.paragraph("Why: " + item.reason, 2, Tint::dim);
  }
  if (!item.sessions.empty()) {
    page.paragraph("Made of " + some_of(item.sessions), 2, Tint::dim);
  }
  print_files(page, item.files);
  if (!item.folder.empty()) {
    page.line("  " + page.tint(Tint::dim, "Lies in ") + page.path(item.folder));
  }
  print_document(page, item.document);
  for (const std::string& warning : item.warnings) {
    page.warning(warning);
  }
}

void print_topic(Page& page, const ProposeTopic& topic) {
  page.paragraph(topic.intent, 2);
  std::string text = count(topic.prompts, "time", "times") + " in "
                     + count(static_cast<long long>(topic.sessions.size()), "session", "sessions");
  if (topic.corrections > 0) {
    text += ", " + count(topic.corrections, "correction", "corrections");
  }
  text += topic.became.empty() ? "" : "; " + topic.became;
  page.paragraph(text, 4, Tint::dim);
}

} // namespace

void show(Page& page, const Invocation& invocation, const ProposeResult& result) {
  print_source(page, result.config);
  page.line(count(result.sessions, "session", "sessions") + " looked at");
  if (!result.topics.empty()) {
    page.line("Comes up again and again:");
  } else if (result.settled.empty()) {
    page.line("Nothing comes up in several of them.");
    page.paragraph("`upskill trace import` keeps the sessions of every agent here, `--since` looks "
                   "further back");
  } else {
    page.line("Nothing new comes up in several of them.");
  }
  for (const ProposeTopic& topic : result.topics) {
    print_topic(page, topic);
  }
  if (!result.settled.empty()) {
    page.line("Settled already, or waiting for you:");
    for (const ProposeTopic& topic : result.settled) {
      print_topic(page, topic);
    }
    page.paragraph("`upskill inbox list` shows what waits; what is settled is not proposed again");
  }
  for (const InboxItem& item : result.proposed) {
    page.line();
    print_item(page, item);
  }
  if (!result.proposed.empty()) {
    page.line();
    page.paragraph(
        count(static_cast<long long>(result.proposed.size()), "skill waits", "skills wait")
        + " in the inbox; `upskill inbox accept ID` takes one, `upskill inbox decline ID` "
          "throws it out for good");
  } else if (!result.topics.empty()) {
    page.line(invocation.flag("dry_run") ? "No model was asked, and nothing drafted."
                                         : "Nothing new is in the inbox.");
  }
  if (std::string spent = spent_of(0, result.cost); !spent.empty()) {
    page.line(page.tint(Tint::dim, spent));
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

void show(Page& page, const Invocation& invocation, const InboxListResult& result) {
  if (result.items.empty()) {
    page.line(invocation.flag("id") ? "Nothing of that name waits in the inbox."
                                    : "Nothing waits in the inbox.");
    page.paragraph("`upskill propose` looks through kept sessions for skills worth having");
  }
  for (const InboxItem& item : result.items) {
    print_item(page, item);
    page.line();
  }
  if (!result.items.empty()) {
    page.paragraph("`upskill inbox accept ID` takes one, `upskill inbox decline ID` throws it out "
                   "for good"
                   + std::string(invocation.flag("verbose") ? "" : ", `--verbose` shows SKILL.md"));
  }
  if (result.declined > 0) {
    page.line(page.tint(Tint::dim,
                        count(result.declined, "skill was", "skills were") + " thrown out before"));
  }
}

void show(Page& page, const Invocation&, const InboxAcceptResult& result) {
  std::string where = page.local_path(result.saved);
  std::string name = "`" + clean_line(result.skill) + "`";
  page.line(result.dry_run ? name + " would be saved to " + where
                           : name + page.tint(Tint::green, " saved to " + where));
}

void show(Page& page, const Invocation&, const InboxDeclineResult& result) {
  page.line("`" + clean_line(result.skill) + "`"
            + (result.dry_run ? " would be thrown out for good" : " is thrown out for good")
            + "; it is not proposed again");
}

} // namespace upskill::cli
