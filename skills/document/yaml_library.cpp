#include "skills/document/yaml_library.h"

#include "skills/document/yaml_scalar.h"
#include "skills/document/yaml_text.h"

#include <libfyaml.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

namespace upskill::document {
namespace {

struct DestroyParser {
  void operator()(fy_parser* parser) const { fy_parser_destroy(parser); }
};

struct DestroyDiagnostics {
  void operator()(fy_diag* diagnostics) const { fy_diag_destroy(diagnostics); }
};

using Parser = std::unique_ptr<fy_parser, DestroyParser>;
using Diagnostics = std::unique_ptr<fy_diag, DestroyDiagnostics>;

std::string_view text_of(fy_token* token) {
  std::size_t length = 0;
  const char* text = token == nullptr ? nullptr : fy_token_get_text(token, &length);
  return text == nullptr ? std::string_view{} : std::string_view(text, length);
}

ScalarStyle style_of(fy_token* token) {
  switch (fy_token_scalar_style(token)) {
  case FYSS_SINGLE_QUOTED:
    return ScalarStyle::single_quoted;
  case FYSS_DOUBLE_QUOTED:
    return ScalarStyle::double_quoted;
  case FYSS_LITERAL:
    return ScalarStyle::literal;
  case FYSS_FOLDED:
    return ScalarStyle::folded;
  default:
    return ScalarStyle::plain;
  }
}

// Turns libfyaml's events into a Yaml, without recursion. One use; single-threaded.
class Builder {
public:
  Builder(std::string_view text, std::size_t first_line)
      : m_source(text)
      , m_first_line(first_line) {}

  Result<void> take(fy_event& event);

  // The document; null where there was none.
  YamlDocument finish() { return std::move(m_document); }

private:
  struct Open {
    Yaml node = {};
    std::string anchor = {};
    std::optional<YamlMember> pending = {}; // a mapping's key that waits for its value
  };

  tl::unexpected<Error> error(std::string what, ErrorCode code = ErrorCode::invalid_argument) {
    return fail(code, "line " + std::to_string(m_first_line + m_line - 1) + ": " + std::move(what));
  }

  Result<void> count(std::size_t nodes, std::size_t bytes);
  Result<void> count_tree(const Yaml& node);
  Result<void> open(Yaml node, std::string anchor);
  Result<void> close();
  Result<void> add(Yaml node, const std::string& anchor);
  void put(YamlMember member, Yaml& mapping);
  void note(fy_token* anchor, fy_token* tag);
  std::string scalar_text(fy_token* token, ScalarStyle style) const;

  YamlDocument m_document = {};
  std::vector<Open> m_open = {};
  std::map<std::string, Yaml, std::less<>> m_anchors = {};
  std::string_view m_source; // what the events' marks point into
  std::size_t m_first_line;
  std::size_t m_line = 1;
  std::size_t m_column = 0;
  std::size_t m_nodes = 0;
  std::size_t m_text = 0;
  bool m_has_root = false;
};

Result<void> Builder::count(std::size_t nodes, std::size_t bytes) {
  m_nodes += nodes;
  m_text += bytes;
  if (m_nodes > k_max_yaml_nodes || m_text > k_max_yaml_text) {
    return error("aliases and all counted, there are more values than we read",
                 ErrorCode::too_large);
  }
  return {};
}

// Stops at the bound, so that a bomb costs no more than it allows.
Result<void> Builder::count_tree(const Yaml& node) {
  TRY(count(1, node.text.size()));
  for (const Yaml& item : node.items) {
    TRY(count_tree(item));
  }
  for (const YamlMember& member : node.members) {
    TRY(count(0, member.key.size()));
    TRY(count_tree(member.value));
  }
  return {};
}

void Builder::note(fy_token* anchor, fy_token* tag) {
  YamlFeatures& features = m_document.features;
  if (anchor != nullptr && features.anchor_line == 0) {
    features.anchor_line = static_cast<int>(m_line);
  }
  if (tag != nullptr && features.tag_line == 0) {
    features.tag_line = static_cast<int>(m_line);
  }
}

// libfyaml finds where a scalar lies; what it says is worked out here, because 0.7.12 cuts
// `'x''''y'` short, leaks over it, and ends some folded texts with a byte that is not theirs.
std::string Builder::scalar_text(fy_token* token, ScalarStyle style) const {
  const fy_mark* start = fy_token_start_mark(token);
  const fy_mark* end = fy_token_end_mark(token);
  bool block = style == ScalarStyle::literal || style == ScalarStyle::folded;
  if (style == ScalarStyle::plain || start == nullptr || end == nullptr || (block && m_open.empty())
      || end->input_pos > m_source.size() || start->input_pos > end->input_pos) {
    return std::string(text_of(token));
  }
  std::string_view raw = m_source.substr(start->input_pos, end->input_pos - start->input_pos);
  if (block) {
    int parent = m_open.back().node.column;
    return block_text(raw, find_block_header(m_source.substr(0, start->input_pos)), parent);
  }
  return style == ScalarStyle::single_quoted ? single_quoted_text(raw) : double_quoted_text(raw);
}

Result<void> Builder::open(Yaml node, std::string anchor) {
  if (m_open.size() >= k_max_yaml_depth) {
    return error("nested deeper than " + std::to_string(k_max_yaml_depth), ErrorCode::too_large);
  }
  if (!m_open.empty() && m_open.back().node.is_mapping() && !m_open.back().pending) {
    return error("a key must be a scalar");
  }
  node.line = static_cast<int>(m_line);
  node.column = static_cast<int>(m_column);
  m_open.push_back(Open{std::move(node), std::move(anchor), {}});
  return count(1, 0);
}

Result<void> Builder::close() {
  Open done = std::move(m_open.back());
  m_open.pop_back();
  return add(std::move(done.node), done.anchor);
}

void Builder::put(YamlMember member, Yaml& mapping) {
  for (YamlMember& earlier : mapping.members) {
    if (earlier.key == member.key) {
      YamlFeatures& features = m_document.features;
      if (features.duplicate_line == 0) {
        features.duplicate_line = member.line;
        features.duplicate_key = member.key;
      }
      features.duplicate_at_top = features.duplicate_at_top || m_open.size() == 1;
      earlier = std::move(member);
      return;
    }
  }
  mapping.members.push_back(std::move(member));
}

Result<void> Builder::add(Yaml node, const std::string& anchor) {
  if (!anchor.empty()) {
    TRY(count_tree(node));
    m_anchors.insert_or_assign(anchor, node);
  }
  if (m_open.empty()) {
    if (m_has_root) {
      return error("a second document begins");
    }
    m_has_root = true;
    m_document.root = std::move(node);
    return {};
  }
  Open& parent = m_open.back();
  if (parent.node.is_sequence()) {
    parent.node.items.push_back(std::move(node));
    return {};
  }
  if (!parent.pending) {
    if (node.is_sequence() || node.is_mapping()) {
      return error("a key must be a scalar");
    }
    parent.pending = YamlMember{std::move(node.text), {}, node.line};
    return {};
  }
  parent.pending->value = std::move(node);
  put(std::move(*parent.pending), parent.node);
  parent.pending.reset();
  return {};
}

Result<void> Builder::take(fy_event& event) {
  if (const fy_mark* mark = fy_event_start_mark(&event)) {
    m_line = static_cast<std::size_t>(mark->line) + 1;
    m_column = static_cast<std::size_t>(mark->column);
  }
  Yaml node;
  node.line = static_cast<int>(m_line);
  node.column = static_cast<int>(m_column);
  switch (event.type) {
  case FYET_MAPPING_START:
  case FYET_SEQUENCE_START: {
    bool mapping = event.type == FYET_MAPPING_START;
    node.kind = mapping ? YamlKind::mapping : YamlKind::sequence;
    fy_token* anchor = mapping ? event.mapping_start.anchor : event.sequence_start.anchor;
    note(anchor, mapping ? event.mapping_start.tag : event.sequence_start.tag);
    if (fy_event_get_node_style(&event) == FYNS_FLOW && m_document.features.flow_line == 0) {
      m_document.features.flow_line = static_cast<int>(m_line);
    }
    return open(std::move(node), std::string(text_of(anchor)));
  }
  case FYET_MAPPING_END:
  case FYET_SEQUENCE_END:
    return close();
  case FYET_SCALAR: {
    fy_token* value = event.scalar.value;
    note(event.scalar.anchor, event.scalar.tag);
    node.style = value == nullptr ? ScalarStyle::plain : style_of(value);
    node.text = scalar_text(value, node.style);
    bool absent = node.style == ScalarStyle::plain && node.text.empty();
    std::string_view tag = text_of(event.scalar.tag);
    if (tag == "!" || tag.ends_with("str")) { // `!!str 1.0` is no number
      node.style = ScalarStyle::double_quoted;
      absent = false;
    }
    node.kind = absent ? YamlKind::null : YamlKind::scalar;
    TRY(count(1, node.text.size()));
    return add(std::move(node), std::string(text_of(event.scalar.anchor)));
  }
  case FYET_ALIAS: {
    auto found = m_anchors.find(text_of(event.alias.anchor));
    if (found == m_anchors.end()) {
      return error("`*" + std::string(text_of(event.alias.anchor)) + "` names no anchor before it");
    }
    TRY(count_tree(found->second));
    return add(found->second, {});
  }
  default:
    return {};
  }
}

Diagnostics make_diagnostics() {
  fy_diag_cfg config{};
  config.level = FYET_ERROR;
  config.module_mask = ~0u;
  config.output_fn = [](fy_diag*, void*, const char*, std::size_t) {}; // never to stderr
  Diagnostics diagnostics(fy_diag_create(&config));
  if (diagnostics) {
    fy_diag_set_collect_errors(diagnostics.get(), true);
  }
  return diagnostics;
}

Error syntax_error(fy_diag* diagnostics, std::size_t first_line) {
  void* position = nullptr;
  fy_diag_error* first = fy_diag_errors_iterate(diagnostics, &position);
  if (first == nullptr || first->msg == nullptr) {
    return Error{ErrorCode::invalid_argument, "the YAML cannot be read", {}};
  }
  std::size_t line = first_line + static_cast<std::size_t>(first->line > 0 ? first->line - 1 : 0);
  return Error{ErrorCode::invalid_argument, "line " + std::to_string(line) + ": " + first->msg, {}};
}

// libfyaml takes time quadratic in a run of white space: 10 s for 128 KiB of newlines.
constexpr std::size_t k_max_white_run = 512;

std::size_t longest_white_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (char c : text) {
    run = c == ' ' || c == '\n' || c == '\r' || c == '\t' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// A directive (`%YAML 1.2`) needs a `---` after it, which front matter cannot have. Refused before
// libfyaml, which takes time quadratic in its length.
std::size_t find_directive(std::string_view text) {
  if (text.starts_with('%')) {
    return 0;
  }
  return std::min(text.find("\n%"), text.find("\r%"));
}

Result<void> check_text(std::string_view text, std::size_t first_line) {
  if (text.size() > k_max_front_matter) {
    return fail(ErrorCode::too_large,
                "the YAML has " + std::to_string(text.size()) + " bytes, we read "
                    + std::to_string(k_max_front_matter),
                "move the text into the body");
  }
  std::size_t bad = find_unprintable(text);
  if (bad < text.size()) {
    return fail(ErrorCode::invalid_argument,
                "line " + std::to_string(first_line + line_of(text, bad) - 1)
                    + ": a control character or a byte that is not UTF-8",
                "save the file as UTF-8 text");
  }
  if (longest_white_run(text) > k_max_white_run) {
    return fail(ErrorCode::too_large,
                "the YAML has more than " + std::to_string(k_max_white_run)
                    + " spaces and newlines in a row",
                "remove them");
  }
  if (std::size_t at = find_directive(text); at != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument,
                "line " + std::to_string(first_line + line_of(text, at + 1) - 1)
                    + ": a directive has no place in front matter");
  }
  return {};
}

} // namespace

Result<YamlDocument> parse_with_library(std::string_view text, std::size_t first_line) {
  TRY(check_text(text, first_line));
  Diagnostics diagnostics = make_diagnostics();
  fy_parse_cfg config{};
  config.flags = static_cast<fy_parse_cfg_flags>(FYPCF_QUIET | FYPCF_COLLECT_DIAG
                                                 | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE);
  config.diag = diagnostics.get();
  Parser parser(diagnostics ? fy_parser_create(&config) : nullptr);
  if (!parser || fy_parser_set_string(parser.get(), text.data(), text.size()) != 0) {
    return fail(ErrorCode::internal, "the YAML parser cannot be started");
  }
  Builder builder(text, first_line);
  while (fy_event* event = fy_parser_parse(parser.get())) {
    bool end = event->type == FYET_STREAM_END;
    Result<void> taken = builder.take(*event);
    fy_parser_event_free(parser.get(), event);
    if (!taken) {
      return fail(std::move(taken).error());
    }
    if (end) {
      return builder.finish();
    }
  }
  if (fy_diag_got_error(diagnostics.get()) || fy_parser_get_stream_error(parser.get())) {
    return fail(syntax_error(diagnostics.get(), first_line));
  }
  return builder.finish();
}

} // namespace upskill::document
