#include "daemon/http/request_parser.h"

#include "protocol/base/bounds.h"
#include "protocol/base/mcp_bounds.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <vector>

namespace upskill::http {
namespace {

namespace beast = boost::beast;
using BeastError = beast::error_code;

// Where a text lies in the text of the whole head, which may move while it grows.
struct Place {
  std::size_t begin = 0;
  std::size_t size = 0;
};

struct FieldPlace {
  Place name = {};
  Place value = {};
};

} // namespace

struct RequestParser::Beast {
  class Parser final : public beast::http::basic_parser<true> {
  public:
    explicit Parser(Beast& owner)
        : m_owner(owner) {
      header_limit(k_max_http_head);
      body_limit(boost::none); // an announced length is the gate's to refuse, after who asks
    }

  private:
    void on_request_impl(beast::http::verb,
                         beast::string_view method,
                         beast::string_view target,
                         int version,
                         BeastError&) override {
      m_owner.http_version = version;
      m_owner.method_place = m_owner.keep(method);
      m_owner.target_place = m_owner.keep(target);
    }

    void on_response_impl(int, beast::string_view, int, BeastError&) override {}

    void on_field_impl(beast::http::field,
                       beast::string_view name,
                       beast::string_view value,
                       BeastError&) override {
      if (is_header_done()) {
        return; // a trailer: MCP knows none
      }
      m_owner.field_places.push_back({m_owner.keep(name), m_owner.keep(value)});
    }

    void on_header_impl(BeastError&) override { m_owner.settle_head(); }

    void on_body_init_impl(const boost::optional<std::uint64_t>&, BeastError&) override {}

    std::size_t on_body_impl(beast::string_view bytes, BeastError& failure) override {
      return add(bytes, failure);
    }

    void on_chunk_header_impl(std::uint64_t, beast::string_view, BeastError&) override {}

    std::size_t
    on_chunk_body_impl(std::uint64_t, beast::string_view bytes, BeastError& failure) override {
      return add(bytes, failure);
    }

    void on_finish_impl(BeastError&) override {}

    // Grows with what has come, not with what was announced.
    std::size_t add(beast::string_view bytes, BeastError& failure) {
      if (m_owner.body.size() + bytes.size() > m_owner.max_body) {
        failure = beast::http::error::body_limit;
        return 0;
      }
      m_owner.body.append(bytes.data(), bytes.size());
      return bytes.size();
    }

    Beast& m_owner;
  };

  Beast() { parser.emplace(*this); }

  Place keep(beast::string_view piece) {
    Place place{text.size(), piece.size()};
    text.append(piece.data(), piece.size());
    return place;
  }

  std::string_view at(Place place) const {
    return std::string_view(text).substr(place.begin, place.size);
  }

  void settle_head() {
    fields.clear();
    for (const FieldPlace& place : field_places) {
      fields.push_back({at(place.name), trimmed(at(place.value))});
    }
    head = {at(method_place), at(target_place), fields};
  }

  void fail(const BeastError& failure) {
    state = State::failed;
    status = failure == beast::http::error::body_limit     ? Status(413)
             : failure == beast::http::error::header_limit ? Status(431)
                                                           : Status(400);
  }

  std::optional<Parser> parser = {};
  State state = State::head;
  Status status = 400;
  int http_version = 11;
  std::string text = {};
  Place method_place = {};
  Place target_place = {};
  std::vector<FieldPlace> field_places = {};
  std::vector<Field> fields = {};
  Head head = {};
  std::size_t max_body = k_max_line;
  std::string body = {};
};

RequestParser::RequestParser()
    : m_beast(std::make_unique<Beast>()) {}

RequestParser::~RequestParser() = default;

std::size_t RequestParser::take(std::string_view bytes) {
  Beast& beast = *m_beast;
  if (beast.state == State::done || beast.state == State::failed) {
    return 0;
  }
  std::size_t taken = 0;
  bool was_head = beast.state == State::head;
  // Beast takes one piece of a body at a time.
  while (taken < bytes.size() && !beast.parser->is_done()
         && (!was_head || !beast.parser->is_header_done())) {
    BeastError failure;
    std::size_t used =
        beast.parser->put(boost::asio::buffer(bytes.data() + taken, bytes.size() - taken), failure);
    taken += used;
    if (failure == beast::http::error::need_more) {
      break;
    }
    if (failure) {
      beast.fail(failure);
      return taken;
    }
    if (used == 0) {
      break;
    }
  }
  if (beast.parser->is_done()) {
    beast.state = State::done;
  } else if (beast.parser->is_header_done()) {
    beast.state = State::body;
  }
  return taken;
}

void RequestParser::limit_body(std::size_t bytes) {
  m_beast->max_body = bytes;
}

void RequestParser::reset() {
  constexpr std::size_t k_kept = 64u << 10;
  Beast& beast = *m_beast;
  beast.parser.emplace(beast);
  beast.state = State::head;
  beast.text.clear();
  beast.field_places.clear();
  beast.fields.clear();
  beast.head = {};
  beast.max_body = k_max_line;
  beast.body.clear();
  if (beast.body.capacity() > k_kept) {
    beast.body.shrink_to_fit();
  }
}

RequestParser::State RequestParser::state() const {
  return m_beast->state;
}

const Head& RequestParser::head() const {
  return m_beast->head;
}

std::optional<std::uint64_t> RequestParser::content_length() const {
  auto length = m_beast->parser->content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

bool RequestParser::has_length() const {
  return m_beast->parser->content_length() || m_beast->parser->chunked();
}

bool RequestParser::keeps_alive() const {
  return m_beast->parser->keep_alive();
}

bool RequestParser::is_http_1_0() const {
  return m_beast->http_version < 11;
}

bool RequestParser::expects_continue() const {
  std::optional<std::string_view> expected = m_beast->head.first("Expect");
  return expected && equals_ignoring_case(*expected, "100-continue");
}

std::string& RequestParser::body() {
  return m_beast->body;
}

Status RequestParser::status() const {
  return m_beast->status;
}

} // namespace upskill::http
