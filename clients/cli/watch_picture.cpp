#include "clients/cli/watch_picture.h"

#include "clients/cli/eval_parts.h"
#include "clients/cli/text.h"
#include "clients/cli/watch_parts.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_fixed_lines = 3; // header, what was said, keys

// How the body is shared among its parts, in lines.
struct Shares {
  std::size_t list = 0; // with its titles
  std::size_t detail = 0;
  std::size_t log = 0;
};

Shares share_out(const WatchView& view, std::size_t body) {
  std::size_t wanted = view.skills.size() + 1;                        // under their titles
  std::size_t entries = view.moments.size() + view.synced.size() + 1; // under a rule
  Shares shares;
  if (view.shows_detail) {
    shares.list = std::clamp<std::size_t>(wanted, 2, std::max<std::size_t>(3, body * 2 / 5));
  } else {
    shares.list = std::min(wanted, body);
  }
  std::size_t rest = body - shares.list;
  if (!view.shows_detail) {
    shares.log = rest >= 3 ? rest : 0;
  } else if (rest >= 9) {
    shares.log = std::min(entries, std::max<std::size_t>(4, rest / 3));
  }
  shares.detail = view.shows_detail ? rest - shares.log : 0;
  return shares;
}

struct Counts {
  std::size_t regressed = 0;
  std::size_t waiting = 0;
  std::size_t testing = 0;
  std::int64_t asked = 0;
  std::int64_t tokens = 0;
  std::optional<double> cost = {};
};

Counts count_all(const WatchView& view) {
  Counts counts;
  for (const WatchedSkill& skill : view.skills) {
    counts.regressed += skill.verdict == WatchVerdict::regressed ? 1 : 0;
    counts.waiting += skill.state == WatchState::waiting ? 1 : 0;
    counts.testing += skill.state == WatchState::testing ? 1 : 0;
    for (const WatchedSubject& one : skill.subjects) {
      counts.asked += one.asked;
      counts.tokens += one.tokens;
      if (one.cost) {
        counts.cost = counts.cost.value_or(0) + *one.cost;
      }
    }
  }
  return counts;
}

std::string agents_of(const DaemonStatusResult& status) {
  std::int64_t others = std::max<std::int64_t>(status.clients - 1, 0); // one of them is this
  std::string text = count(status.status.agents, "agent", "agents");
  return others > 0 ? text + ", " + std::to_string(others) + " connected" : text;
}

std::string draw_header(const WatchView& view, const Screen& screen) {
  WatchRow row(screen);
  row.add("upskill watch", Tint::bold);
  auto part = [&](std::string_view text, Tint tint = Tint::plain) {
    // One that does not fit is left out whole.
    if (row.left() >= display_width(text) + 3) {
      row.add(row.sign(" · ", " | "), Tint::dim);
      row.add(text, tint);
    }
  };
  Counts counts = count_all(view);
  if (!view.trouble.empty()) {
    part("not connected", Tint::red);
  } else if (view.status) {
    SyncState sync = view.status->status.sync;
    bool is_well = sync == SyncState::idle || sync == SyncState::working;
    part("sync " + std::string(enum_name(sync)), is_well ? Tint::green : Tint::yellow);
  }
  if (counts.regressed > 0) {
    part(std::to_string(counts.regressed) + " REGRESSED", Tint::red);
  }
  if (counts.waiting > 0) {
    part(std::to_string(counts.waiting) + (counts.waiting == 1 ? " waits" : " wait"), Tint::yellow);
  }
  if (counts.testing > 0) {
    part(std::to_string(counts.testing) + " testing", Tint::cyan);
  }
  if (view.is_told) {
    part(count(static_cast<long long>(view.skills.size()), "skill", "skills"));
  }
  if (view.status) {
    const StatusResult& status = view.status->status;
    part(agents_of(*view.status));
    if (status.conflicts > 0 || status.held > 0) {
      part(status.held > 0 && status.conflicts == 0
               ? count(status.held, "held deletion", "held deletions")
               : count(status.conflicts, "conflict", "conflicts"),
           Tint::yellow);
    }
  }
  if (counts.asked > 0) {
    part(count(counts.asked, "answer", "answers") + " drawn"
         + (counts.tokens > 0 ? ", " + grouped(counts.tokens) + " tokens" : "")
         + (counts.cost ? ", " + dollars(*counts.cost) : ""));
  }
  return row.text();
}

// What a person must know now comes before what was said last.
std::string draw_said(const WatchView& view, const Screen& screen) {
  WatchRow row(screen);
  if (view.question) {
    row.add(view.question->text, Tint::bold);
  } else if (!view.trouble.empty()) {
    row.add(view.trouble, Tint::red);
  } else if (!view.said.empty()) {
    row.add(view.said, view.said_tint);
  } else if (!view.warnings.empty()) {
    row.add("warning: " + view.warnings.front(), Tint::yellow);
  }
  return row.text();
}

std::string draw_keys(const WatchView& view, const Screen& screen) {
  WatchRow row(screen);

  struct Hint {
    std::string_view key;
    std::string_view meaning;
  };

  static constexpr Hint k_hints[] = {{"q", "quit"},
                                     {"?", "help"},
                                     {"r", "run"},
                                     {"c", "cancel"},
                                     {"a", "accept"},
                                     {"u", "undo"},
                                     {"d", "detail"},
                                     {"j k", "select"}};
  static constexpr Hint k_answers[] = {{"y", "yes"}, {"n", "no"}};
  auto add = [&](const Hint& hint) {
    std::size_t width = hint.key.size() + 1 + hint.meaning.size();
    if (row.left() >= width + (row.text().empty() ? 0 : 2)) {
      row.add(row.text().empty() ? "" : "  ");
      row.add(hint.key, Tint::bold);
      row.add(" " + std::string(hint.meaning), Tint::dim);
    }
  };
  if (view.question) {
    std::ranges::for_each(k_answers, add);
  } else {
    std::ranges::for_each(k_hints, add);
  }
  return row.text();
}

} // namespace

void WatchRow::add(std::string_view text, Tint tint) {
  std::string clean = clean_line(text);
  std::string fitting = cut(clean, left(), m_page.ellipsis());
  // What was cut ends the row: nothing follows an ellipsis, should there be a column left.
  m_width = fitting == clean ? m_width + display_width(fitting) : m_page.screen().columns;
  m_text += m_page.tint(tint, fitting);
}

void WatchRow::cell(std::string_view text, std::size_t columns, Tint tint) {
  columns = std::min(columns, left());
  std::string fitting = cut(clean_line(text), columns, m_page.ellipsis());
  std::size_t width = display_width(fitting);
  add(fitting, tint);
  add(std::string(columns - std::min(columns, width), ' '));
}

std::string draw_rule(std::string_view title, const Screen& screen) {
  WatchRow row(screen);
  std::string_view dash = row.sign("─", "-");
  row.add(std::string(dash) + std::string(dash) + " ", Tint::dim);
  row.add(cut(clean_line(title), screen.columns - 8, screen.unicode ? "…" : "..."), Tint::bold);
  row.add(" ");
  std::string rest;
  for (std::size_t i = row.left(); i > 0; --i) {
    rest += dash;
  }
  row.add(rest, Tint::dim);
  return row.text();
}

std::vector<std::string> first_lines(std::string text, const Screen& screen, std::size_t lines) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (out.size() > lines && lines > 0) {
    std::size_t more = out.size() - lines + 1;
    out.resize(lines);
    WatchRow row(screen);
    row.add("  " + std::string(row.sign("…", "...")) + " "
                + count(static_cast<long long>(more), "more line", "more lines"),
            Tint::dim);
    out.back() = row.text();
  }
  out.resize(std::min(out.size(), lines));
  return out;
}

WatchPicture draw(const WatchView& view, const Screen& window, std::size_t lines) {
  // The last column stays free: a terminal that has just written it is in doubt where it is.
  Screen screen = window;
  screen.columns = std::max<std::size_t>(window.columns, 2) - 1;
  WatchPicture picture;
  if (window.columns < k_least_columns || lines < k_least_lines) {
    WatchRow row(screen);
    row.add("too small: " + std::to_string(k_least_columns) + "x" + std::to_string(k_least_lines)
            + " is the least");
    picture.lines.push_back(row.text());
    picture.lines.resize(std::max<std::size_t>(lines, 1));
    return picture;
  }
  std::size_t body = lines - k_fixed_lines;
  picture.lines.push_back(draw_header(view, screen));
  auto put = [&](std::vector<std::string> part, std::size_t height) {
    part.resize(height);
    std::ranges::move(part, std::back_inserter(picture.lines));
  };
  if (view.shows_help) {
    put(draw_help(screen, body), body);
  } else {
    Shares shares = share_out(view, body);
    put(draw_list(view, screen, shares.list), shares.list);
    put(draw_detail(view, screen, shares.detail), shares.detail);
    put(draw_log(view, screen, shares.log), body - shares.list - shares.detail);
    picture.rows = shares.list - 1;
  }
  picture.lines.push_back(draw_said(view, screen));
  picture.lines.push_back(draw_keys(view, screen));
  return picture;
}

} // namespace upskill::cli
