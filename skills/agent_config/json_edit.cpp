#include "skills/agent_config/edit.h"
#include "skills/agent_config/json_layout.h"
#include "skills/agent_config/json_tree.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace upskill::agent_config {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string without_blanks(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out), [](char c) { return !is_blank(c); });
  return out;
}

JsonKind kind_at(const EntryPlace& place, std::size_t level) {
  bool is_list = place.is_element && level == place.parents.size();
  return is_list ? JsonKind::array : JsonKind::object;
}

std::string path_of(const EntryPlace& place, std::size_t level) {
  std::string path;
  for (std::size_t i = 0; i < level; ++i) {
    path += (i == 0 ? "" : ".") + place.parents[i];
  }
  return path;
}

// The containers on the way to the entry, as far as they are there; the root first.
Result<std::vector<const JsonNode*>> way_to(const JsonNode& root, const EntryPlace& place) {
  std::vector<const JsonNode*> way{&root};
  for (std::size_t level = 0;; ++level) {
    if (way.back()->kind != kind_at(place, level)) {
      std::string what = level == 0 ? "it" : "`" + path_of(place, level) + "` in it";
      return fail(ErrorCode::invalid_argument,
                  what + " is no "
                      + (kind_at(place, level) == JsonKind::array ? "list" : "object"));
    }
    const JsonNode* next =
        level < place.parents.size() ? way.back()->find(place.parents[level]) : nullptr;
    if (next == nullptr) {
      return way;
    }
    way.push_back(next);
  }
}

// The value with those containers around it that are missing, and the key it gets.
JsonNode wrapped(JsonNode value, const EntryPlace& place, std::size_t there) {
  value.key = place.key;
  for (std::size_t level = place.parents.size(); level >= there; --level) {
    JsonNode around;
    around.kind = kind_at(place, level);
    around.key = level == 0 ? "" : place.parents[level - 1];
    around.children.push_back(std::move(value));
    value = std::move(around);
    if (level == 0) {
      break;
    }
  }
  return value;
}

// Behind the comments that stand in the same line.
std::size_t behind_remarks(std::string_view text, std::size_t at) {
  for (std::size_t here = at;;) {
    while (here < text.size() && (text[here] == ' ' || text[here] == '\t')) {
      ++here;
    }
    std::string_view rest = text.substr(here);
    if (rest.starts_with("//")) {
      std::size_t end = std::min(rest.find('\n'), rest.size());
      end -= end > 0 && rest[end - 1] == '\r' ? 1 : 0;
      return here + end;
    }
    std::size_t end = rest.starts_with("/*") ? rest.find("*/", 2) : std::string_view::npos;
    if (end == std::string_view::npos || rest.substr(0, end).find('\n') != std::string_view::npos) {
      return at;
    }
    at = here = here + end + 2;
  }
}

std::string put_into_empty(std::string_view text,
                           const JsonNode& container,
                           const std::string& member,
                           const JsonLayout& layout) {
  std::size_t begin = container.begin + 1;
  std::size_t close = container.end - 1;
  std::size_t last = close;
  while (last > begin && is_blank(text[last - 1])) {
    --last;
  }
  std::string outer(indent_at(text, container.begin));
  std::string after(text.substr(last, close - last)); // blanks
  bool has_comment = last > begin;
  std::string put;
  if (layout.is_line && !has_comment) {
    put = member;
    after.clear();
  } else {
    put = layout.newline + outer + layout.unit + member;
    after = has_comment && after.find('\n') != std::string::npos ? after : layout.newline + outer;
  }
  return std::string(text.substr(0, last)) + put + after + std::string(text.substr(close));
}

std::string put_behind(std::string_view text,
                       const JsonNode& container,
                       const std::string& member,
                       const JsonLayout& layout) {
  const JsonNode& last = container.children.back();
  std::size_t tail = last.end;
  if (container.trailing_comma) {
    tail = skip_json_space(text, last.end) + 1;
  }
  std::size_t at = behind_remarks(text, tail);
  std::string out(text.substr(0, last.end));
  out += container.trailing_comma ? "" : ",";
  out += text.substr(last.end, at - last.end);
  if (layout.is_line) {
    out += (layout.is_spaced ? " " : "") + member;
  } else {
    std::string indent = begins_line(text, last.key_begin)
                             ? std::string(indent_at(text, last.key_begin))
                             : std::string(indent_at(text, container.begin)) + layout.unit;
    out += layout.newline + indent + member;
  }
  out += container.trailing_comma ? "," : "";
  return out + std::string(text.substr(at));
}

// The text without one child of a container. Where something else in its line would end up in a
// comment, the line stays.
std::string
cut(std::string_view text, const JsonNode& container, std::size_t which, bool keeps_line) {
  const JsonNode& child = container.children[which];
  std::size_t begin = child.key_begin;
  while (!keeps_line && begin > 0 && is_blank(text[begin - 1])) {
    --begin;
  }
  std::size_t comma = skip_json_space(text, child.end);
  bool has_comma = comma < text.size() && text[comma] == ',';
  std::string out(text.substr(0, begin));
  if (has_comma) {
    out += text.substr(child.end, comma - child.end);
    return out + std::string(text.substr(comma + 1));
  }
  if (which > 0) {
    std::size_t before = skip_json_space(text, container.children[which - 1].end);
    out.erase(before, 1);
  }
  return out + std::string(text.substr(child.end));
}

JsonNode without_child(JsonNode container, std::size_t which) {
  container.children.erase(container.children.begin() + static_cast<std::ptrdiff_t>(which));
  return container;
}

// The same as above, checked: it says what the container said without the child.
Result<std::string> cut_checked(std::string_view text,
                                const JsonNode& root,
                                const EntryPlace& place,
                                std::size_t level,
                                std::size_t which) {
  TRY_ASSIGN(std::vector<const JsonNode*> way, way_to(root, place));
  JsonNode wanted = without_child(*way[level], which);
  for (bool keeps_line : {false, true}) {
    std::string out = cut(text, *way[level], which, keeps_line);
    Result<JsonNode> after = parse_json_tree(out);
    Result<std::vector<const JsonNode*>> there =
        after ? way_to(*after, place) : fail(after.error());
    if (there && there->size() > level && same_value(*(*there)[level], wanted)) {
      return out;
    }
  }
  return fail(ErrorCode::unsupported, "what is ours in it cannot be told from the rest");
}

std::optional<std::size_t>
child_to_take(const JsonNode& container, const EntryPlace& place, const JsonNode& value) {
  for (std::size_t i = container.children.size(); i-- > 0;) {
    const JsonNode& child = container.children[i];
    if (place.is_element ? same_value(child, value) : child.key == place.key) {
      return i;
    }
  }
  return std::nullopt;
}

// Takes out the containers that were made for the entry and hold nothing now; an empty one that was
// there gets back the blanks that it had.
Result<std::string>
tidied(std::string text, const EntryPlace& place, const EntryTrace& trace, std::size_t depth) {
  int made = trace.made;
  for (std::size_t level = depth;; --level) {
    TRY_ASSIGN(JsonNode root, parse_json_tree(text));
    TRY_ASSIGN(std::vector<const JsonNode*> way, way_to(root, place));
    const JsonNode& here = *way[level];
    if (!here.children.empty()) {
      return text;
    }
    if (made == 0) {
      std::string_view left = std::string_view(text).substr(here.begin, here.end - here.begin);
      if (!trace.was.empty() && without_blanks(left) == without_blanks(trace.was)) {
        text.replace(here.begin, here.end - here.begin, trace.was);
      }
      return text;
    }
    if (here.has_comment) {
      return text; // somebody has written there
    }
    --made;
    if (level == 0) {
      std::size_t end = here.end;
      end += text.compare(end, 2, "\r\n") == 0 ? 2 : text.compare(end, 1, "\n") == 0 ? 1 : 0;
      return text.erase(here.begin, end - here.begin);
    }
    const JsonNode& around = *way[level - 1];
    auto which = static_cast<std::size_t>(&here - around.children.data());
    TRY_ASSIGN(text, cut_checked(text, root, place, level - 1, which));
  }
}

} // namespace

Result<PutResult>
put_json_entry(std::string_view text, const EntryPlace& place, std::string_view value) {
  TRY_ASSIGN(JsonNode wanted, parse_json_tree(value));
  TRY_ASSIGN(JsonNode root, parse_json_tree(text));
  PutResult result;
  result.text = text;
  if (root.begin == root.end) { // nothing but blanks and comments
    std::size_t newline = text.find('\n');
    JsonLayout layout;
    layout.newline = newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r'
                         ? "\r\n"
                         : "\n";
    // A comment that ends with the text must not swallow what follows.
    bool open = !text.empty() && text.find("//", text.rfind('\n') + 1) != std::string_view::npos;
    if (open) {
      return fail(ErrorCode::invalid_argument, "it ends within a comment");
    }
    result.text += format_json(wrapped(std::move(wanted), place, 0), layout, "") + layout.newline;
    result.trace.made = static_cast<int>(place.parents.size()) + 1;
    return result;
  }
  TRY_ASSIGN(std::vector<const JsonNode*> way, way_to(root, place));
  const JsonNode& container = *way.back();
  std::size_t missing = place.parents.size() + 1 - way.size();
  if (missing == 0) {
    if (auto which = child_to_take(container, place, wanted)) {
      bool is_same = same_value(container.children[*which], wanted);
      result.outcome = is_same ? PutOutcome::present : PutOutcome::foreign;
      return result;
    }
  }
  JsonLayout layout = layout_of(text, root, container);
  JsonNode member = wrapped(std::move(wanted), place, way.size());
  std::string indent(indent_at(text, container.begin));
  bool is_empty = container.children.empty();
  if (!is_empty && begins_line(text, container.children.back().key_begin)) {
    indent = indent_at(text, container.children.back().key_begin);
  } else {
    indent += layout.unit;
  }
  std::string written = format_json(member, layout, indent);
  if (container.kind == JsonKind::object) {
    written =
        json_quoted(member.key) + (layout.is_line && !layout.is_spaced ? ":" : ": ") + written;
  }
  result.text = is_empty ? put_into_empty(text, container, written, layout)
                         : put_behind(text, container, written, layout);
  result.trace.made = static_cast<int>(missing);
  result.trace.was =
      is_empty ? std::string(text.substr(container.begin, container.end - container.begin)) : "";
  return result;
}

Result<TakeResult> take_json_entry(std::string_view text,
                                   const EntryPlace& place,
                                   std::string_view value,
                                   const EntryTrace& trace) {
  TRY_ASSIGN(JsonNode wanted, parse_json_tree(value));
  TRY_ASSIGN(JsonNode root, parse_json_tree(text));
  TakeResult result{TakeOutcome::gone, std::string(text)};
  if (root.begin == root.end) {
    return result;
  }
  Result<std::vector<const JsonNode*>> way = way_to(root, place);
  if (!way || way->size() <= place.parents.size()) {
    return result;
  }
  const JsonNode& container = *way->back();
  auto which = child_to_take(container, place, wanted);
  if (!which) {
    return result;
  }
  if (!same_value(container.children[*which], wanted)) {
    result.outcome = TakeOutcome::edited;
    return result;
  }
  std::size_t depth = place.parents.size();
  TRY_ASSIGN(std::string out, cut_checked(text, root, place, depth, *which));
  TRY_ASSIGN(result.text, tidied(std::move(out), place, trace, depth));
  result.outcome = TakeOutcome::taken;
  return result;
}

} // namespace upskill::agent_config
