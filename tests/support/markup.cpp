#include "tests/support/markup.h"

#include "protocol/base/utf8.h"

#include <cctype>
#include <stdexcept>
#include <utility>

namespace upskill::test {
namespace {

class Parser {
public:
  explicit Parser(std::string_view text)
      : m_text(text) {}

  Element document() {
    check_characters();
    for (std::string_view head :
         {"<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<!DOCTYPE html>"}) {
      if (rest().starts_with(head)) {
        m_at += head.size();
      }
    }
    blanks();
    Element root = element();
    blanks();
    if (!rest().empty()) {
      fail("something after the end");
    }
    return root;
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at byte " + std::to_string(m_at) + ": "
                             + std::string(rest().substr(0, 60)));
  }

  void check_characters() {
    if (!is_utf8(m_text)) {
      fail("no UTF-8");
    }
    for (m_at = 0; m_at < m_text.size(); ++m_at) {
      auto byte = static_cast<unsigned char>(m_text[m_at]);
      if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F
          || rest().starts_with("\xEF\xBF\xBE") || rest().starts_with("\xEF\xBF\xBF")) {
        fail("a forbidden character");
      }
    }
    m_at = 0;
  }

  std::string_view rest() const { return m_text.substr(m_at); }

  bool take(std::string_view what) {
    bool is_there = rest().starts_with(what);
    m_at += is_there ? what.size() : 0;
    return is_there;
  }

  void need(std::string_view what) {
    if (!take(what)) {
      fail("no `" + std::string(what) + "`");
    }
  }

  void blanks() {
    while (!rest().empty() && (rest().front() == ' ' || rest().front() == '\n')) {
      ++m_at;
    }
  }

  std::string name() {
    std::size_t start = m_at;
    while (!rest().empty()
           && (std::isalnum(static_cast<unsigned char>(rest().front())) != 0
               || rest().front() == '-')) {
      ++m_at;
    }
    if (start == m_at) {
      fail("no name");
    }
    return std::string(m_text.substr(start, m_at - start));
  }

  std::string characters(char end) {
    static const std::pair<std::string_view, std::string_view> references[] = {
        {"&amp;", "&"},
        {"&lt;", "<"},
        {"&gt;", ">"},
        {"&quot;", "\""},
        {"&#39;", "'"},
        {"&#9;", "\t"},
        {"&#10;", "\n"},
    };
    std::string value;
    while (!rest().empty() && rest().front() != end) {
      if (rest().front() == '<') {
        fail("a raw <");
      }
      if (rest().front() != '&') {
        value += m_text[m_at++];
        continue;
      }
      bool is_known = false;
      for (auto [reference, character] : references) {
        if (!is_known && take(reference)) {
          value += character;
          is_known = true;
        }
      }
      if (!is_known) {
        fail("a raw &");
      }
    }
    return value;
  }

  Element element() {
    need("<");
    Element element;
    element.name = name();
    for (blanks(); !rest().starts_with("/>") && !rest().starts_with(">"); blanks()) {
      std::string key = name();
      need("=\"");
      if (!element.attributes.emplace(key, characters('"')).second) {
        fail("`" + key + "` is there twice");
      }
      need("\"");
    }
    if (take("/>")) {
      return element;
    }
    need(">");
    while (!take("</")) {
      if (rest().empty()) {
        fail("no end of `" + element.name + "`");
      }
      if (rest().front() == '<') {
        element.children.push_back(this->element());
        element.text += element.children.back().text;
      } else {
        element.text += characters('<');
      }
    }
    if (name() != element.name) {
      fail("another end than that of `" + element.name + "`");
    }
    need(">");
    return element;
  }

  std::string_view m_text;
  std::size_t m_at = 0;
};

} // namespace

std::vector<const Element*> Element::all(std::string_view wanted) const {
  std::vector<const Element*> found;
  for (const Element& child : children) {
    if (child.name == wanted) {
      found.push_back(&child);
    }
    for (const Element* inner : child.all(wanted)) {
      found.push_back(inner);
    }
  }
  return found;
}

std::string Element::attribute(const std::string& wanted) const {
  auto at = attributes.find(wanted);
  return at == attributes.end() ? std::string() : at->second;
}

Element parse_markup(std::string_view text) {
  return Parser(text).document();
}

} // namespace upskill::test
