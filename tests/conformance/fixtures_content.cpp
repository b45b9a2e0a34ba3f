#include "tests/conformance/fixtures.h"
#include "tests/conformance/fixtures_reply.h"

namespace upskill::conformance {
namespace {

// Always the same answer. The handler lives in the binder's table, which outlives every call.
Tool constant(std::string_view name, std::string_view summary, mcp::Answer answer) {
  return {tool_info(name, summary),
          [answer = std::move(answer)](std::string, RequestContext) -> Reply { co_return answer; }};
}

// Keywords of JSON Schema 2020-12 that must survive (SEP-1613, SEP-2106).
std::string schema_2020_12() {
  return R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",)"
         R"("$defs":{"address":{"$anchor":"addressDef","type":"object",)"
         R"("properties":{"street":{"type":"string"},"city":{"type":"string"}}}},)"
         R"("properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},)"
         R"("contactMethod":{"type":"string","enum":["phone","email"]},)"
         R"("phone":{"type":"string"},"email":{"type":"string"}},)"
         R"("allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],)"
         R"("if":{"properties":{"contactMethod":{"const":"phone"}},)"
         R"("required":["contactMethod"]},"then":{"required":["phone"]},)"
         R"("else":{"required":["email"]},"additionalProperties":false})";
}

// An argument that clients repeat as the header `Mcp-Param-Region` (SEP-2243).
std::string schema_with_header() {
  return R"({"type":"object","properties":{"region":{"type":"string",)"
         R"("description":"Where it is to run.","x-mcp-header":"Region"}},)"
         R"("required":["region"],"additionalProperties":false})";
}

Tool header_tool() {
  return {tool_info("test_header_parameter",
                    "Repeats an argument that is sent as a header too.",
                    &schema_with_header),
          [](std::string arguments, RequestContext) -> Reply {
            co_return text_answer("region: " + string_argument(arguments, "region"));
          }};
}

Tool schema_tool() {
  return {tool_info("json_schema_2020_12_tool",
                    "Tool with JSON Schema 2020-12 features.",
                    &schema_2020_12),
          [](std::string arguments, RequestContext) -> Reply {
            co_return text_answer("name: " + string_argument(arguments, "name"));
          }};
}

} // namespace

std::vector<Tool> content_tools() {
  return {constant("test_simple_text",
                   "Answers with a text.",
                   text_answer("This is a simple text response for testing.")),
          constant("test_image_content", "Answers with an image.", content_answer({image_block()})),
          constant("test_audio_content", "Answers with a sound.", content_answer({audio_block()})),
          constant("test_embedded_resource",
                   "Answers with a resource.",
                   content_answer({resource_block("test://embedded-resource",
                                                  "text/plain",
                                                  "This is an embedded resource content.")})),
          constant("test_multiple_content_types",
                   "Answers with a text, an image and a resource.",
                   content_answer({mcp::text_block("Multiple content types test:"),
                                   image_block(),
                                   resource_block("test://mixed-content-resource",
                                                  "application/json",
                                                  R"({"test":"data","value":123})")})),
          constant("test_error_handling",
                   "Always fails.",
                   error_answer("This tool intentionally returns an error for testing")),
          schema_tool(),
          header_tool()};
}

} // namespace upskill::conformance
