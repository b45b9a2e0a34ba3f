#include "tests/conformance/fixtures_resources.h"

#include "tests/conformance/fixtures_reply.h"

#include <nlohmann/json.hpp>

namespace upskill::conformance {
namespace {

constexpr std::string_view k_template_start = "test://template/";
constexpr std::string_view k_template_end = "/data";

// What `{id}` stands for in test://template/{id}/data; nothing where the address is no such.
std::optional<std::string> id_of(std::string_view uri) {
  if (!uri.starts_with(k_template_start) || !uri.ends_with(k_template_end)
      || uri.size() <= k_template_start.size() + k_template_end.size()) {
    return std::nullopt;
  }
  uri.remove_prefix(k_template_start.size());
  uri.remove_suffix(k_template_end.size());
  return uri.find('/') == uri.npos ? std::optional(std::string(uri)) : std::nullopt;
}

tl::unexpected<Error> no_such_cursor() {
  return fail(ErrorCode::invalid_argument, "the cursor is none that was given out");
}

mcp::ResourceContents
contents_of(std::string uri, std::string_view mime_type, std::string_view bytes) {
  mcp::ResourceContents contents;
  contents.uri = std::move(uri);
  contents.mime_type = mime_type;
  contents.bytes = bytes;
  contents.is_text = mime_type != "image/png";
  return contents;
}

} // namespace

asio::awaitable<Result<mcp::ResourcePage>> FixtureResources::list(std::string cursor,
                                                                  RequestContext) {
  if (!cursor.empty()) {
    co_return no_such_cursor();
  }
  mcp::ResourcePage page;
  page.resources = {
      {"test://static-text", "static-text", "", "A text that stays as it is.", "text/plain"},
      {"test://static-binary", "static-binary", "", "An image that stays as it is.", "image/png"},
      {"test://watched-resource", "watched-resource", "", "To subscribe to.", "text/plain"}};
  co_return page;
}

asio::awaitable<Result<mcp::ResourceTemplatePage>>
FixtureResources::list_templates(std::string cursor, RequestContext) {
  if (!cursor.empty()) {
    co_return no_such_cursor();
  }
  mcp::ResourceTemplatePage page;
  page.templates = {{"test://template/{id}/data",
                     "template-data",
                     "",
                     "Data with an id of the reader's choice.",
                     "application/json"}};
  co_return page;
}

asio::awaitable<Result<mcp::Answer>> FixtureResources::read(std::string uri, RequestContext) {
  if (uri == "test://static-text") {
    co_return contents_of(uri, "text/plain", "This is the content of the static text resource.");
  }
  if (uri == "test://static-binary") {
    co_return contents_of(uri, "image/png", picture());
  }
  if (uri == "test://watched-resource") {
    co_return contents_of(uri, "text/plain", "This may change.");
  }
  if (std::optional<std::string> id = id_of(uri)) {
    Json data{{"id", *id}, {"templateTest", true}, {"data", "Data for ID: " + *id}};
    co_return contents_of(uri, "application/json", data.dump());
  }
  co_return fail(ErrorCode::not_found, "there is no resource `" + uri + "`");
}

} // namespace upskill::conformance
