#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::eval {

// The file as it grows, and how large it may. Used while one report is written.
class HtmlPage {
public:
  explicit HtmlPage(std::size_t most_bytes)
      : m_end(most_bytes) {}

  // Markup, as it is.
  HtmlPage& raw(std::string_view markup) {
    m_html += markup;
    return *this;
  }

  // Escaped, and cut after so many bytes.
  HtmlPage& text(std::string_view text, std::size_t most_bytes = 2000);

  // `<name>text</name>`, and with a class.
  HtmlPage& element(std::string_view name, std::string_view text, std::string_view classes = {});

  // A long text under a summary that can be opened, or a note where it no longer fits.
  void long_text(std::string_view summary, std::string_view text, bool is_open = false);

  // Until the next call, the page may grow up to an equal share for each of so many parts to come.
  void share_among(std::size_t parts);
  // Whether so many bytes of text fit, whatever they become when they are escaped.
  bool has_room(std::size_t bytes) const;

  std::size_t texts_left_out() const { return m_texts_left_out; }

  std::size_t size() const { return m_html.size(); }

  void insert(std::size_t at, std::string_view markup) { m_html.insert(at, markup); }

  std::string take() { return std::move(m_html); }

private:
  std::string m_html;
  std::size_t m_end;
  std::optional<std::size_t> m_part_end = {};
  std::size_t m_texts_left_out = 0;
};

// From the doctype to the start of <body>. Nothing is loaded from elsewhere, and the page's own
// policy (CSP) forbids everything but its style.
std::string html_head(std::string_view title);

} // namespace upskill::eval
