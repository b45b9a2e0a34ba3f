#include "daemon/handlers/generate_tools.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "protocol/codec/codec.h"
#include "protocol/rpc/simdjson_reader.h"

#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_file = 1u << 20; // bytes
constexpr std::size_t k_most_tools = 20;

struct Tool {
  static constexpr bool k_lenient = true;
  std::string name = {};
  std::string description = {};
  JsonText schema = {};

  static void describe(auto& f) {
    f.required(&Tool::name, "name", "");
    f.optional(&Tool::description, "description", "");
    f.optional(&Tool::schema, "inputSchema", "");
  }
};

struct ToolList {
  static constexpr bool k_lenient = true;
  std::vector<Tool> tools = {};

  static void describe(auto& f) { f.required(&ToolList::tools, "tools", ""); }
};

template <class T> Result<T> read_as(const std::string& text, const std::string& path) {
  Result<T> value = fail(ErrorCode::invalid_argument, "nothing was read");
  rpc::JsonParser parser;
  TRY(parser.read(text, path, [&](JsonReader& reader) { value = decode<T>(reader, path); }));
  return value;
}

// What tools/list answers, a list by itself, or one tool, whose schema may have `tools` too.
Result<std::vector<Tool>> read_file_of(const std::string& path) {
  TRY_ASSIGN(std::string text, read_file(path, k_max_file));
  std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '[') {
    text = R"({"tools":)" + text + "}";
  }
  Result<ToolList> list = read_as<ToolList>(text, path);
  if (list) {
    return std::move(list->tools);
  }
  Result<Tool> one = read_as<Tool>(text, path);
  if (!one) {
    return fail(ErrorCode::invalid_argument,
                "`" + path + "` holds no tools: " + list.error().message,
                "a file as MCP's tools/list answers it");
  }
  return std::vector<Tool>{std::move(*one)};
}

} // namespace

Result<std::vector<generate::ToolSchema>> read_tools(const std::string& named,
                                                     const std::string& cwd) {
  std::size_t mark = named.rfind('#');
  std::string name = mark == std::string::npos ? std::string() : named.substr(mark + 1);
  TRY_ASSIGN(std::vector<Tool> tools, read_file_of(normalized_path(named.substr(0, mark), cwd)));
  std::vector<generate::ToolSchema> schemas;
  for (Tool& tool : tools) {
    if (name.empty() || tool.name == name) {
      schemas.push_back(
          {std::move(tool.name), std::move(tool.description), std::move(tool.schema.text)});
    }
  }
  if (schemas.empty()) {
    if (name.empty()) {
      return fail(ErrorCode::not_found, "there are no tools in `" + named.substr(0, mark) + "`");
    }
    return fail(ErrorCode::not_found,
                "there is no tool " + in_backticks(name) + " in `" + named.substr(0, mark) + "`");
  }
  if (schemas.size() > k_most_tools) {
    return fail(ErrorCode::invalid_argument,
                "`" + named + "` has " + std::to_string(schemas.size()) + " tools, more than 20",
                "name one: `FILE#NAME`");
  }
  return schemas;
}

} // namespace upskill::daemon
