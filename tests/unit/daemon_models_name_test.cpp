#include "daemon/models/model_name.h"

#include <doctest/doctest.h>

#include <map>

using namespace upskill;
using namespace upskill::models;

namespace {

Environment with(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional(at->second);
  };
}

ResolvedModel resolved(std::string_view name, std::string_view base_url = {}) {
  Result<ResolvedModel> model = resolve_model(name, base_url, with({}));
  REQUIRE_MESSAGE(model.has_value(), (model ? "" : model.error().message));
  return *model;
}

} // namespace

TEST_SUITE("resolve_model") {
  TEST_CASE("aliases, vendors' names and efforts") {
    CHECK(resolved("sonnet").id == "claude-sonnet-5");
    CHECK(resolved("sonnet").provider == "anthropic");
    CHECK(resolved("sonnet").wire == Wire::anthropic);
    CHECK(resolved("sonnet").key_variable == "ANTHROPIC_API_KEY");
    CHECK(resolved("opus.high").effort == "high");
    CHECK(resolved("anthropic.claude-haiku-4-5").id == "claude-haiku-4-5");
    CHECK(resolved("claude-opus-4-6-20260101").provider == "anthropic");
    CHECK(resolved("openai.gpt-5.5.low").id == "gpt-5.5");
    CHECK(resolved("openai.gpt-5.5.low").effort == "low");
    CHECK(resolved("openai.gpt-5.5?reasoning=xhigh").effort == "xhigh");
    CHECK(resolved("openai.gpt-5.5").wire == Wire::chat);
    CHECK(resolved("responses.gpt-5.6-sol").wire == Wire::responses);
    CHECK(resolved("responses.gpt-5.6-sol").provider == "openai");
    CHECK(resolved("gpt-5.4-nano").id == "gpt-5.4-nano");
    CHECK(resolved("scripted").provider == "scripted");
  }

  TEST_CASE("models of one's own and of the router") {
    ResolvedModel router = resolved("hf.zai-org/GLM-5.2:zai-org");
    CHECK(router.id == "zai-org/GLM-5.2:zai-org");
    CHECK(router.base_url == "https://router.huggingface.co/v1");
    CHECK(router.key_variable == "HF_TOKEN");
    CHECK(resolved("glm") == router);
    ResolvedModel own = resolved("generic.qwen2.5-coder:7b");
    CHECK(own.id == "qwen2.5-coder:7b");
    CHECK(own.base_url == "http://localhost:11434/v1");
    CHECK_FALSE(own.is_key_needed);
    ResolvedModel bare = resolved("qwen2.5", "http://127.0.0.1:8080/v1/");
    CHECK(bare.provider == "generic");
    CHECK(bare.id == "qwen2.5");
    CHECK(bare.base_url == "http://127.0.0.1:8080/v1");
    CHECK(resolved("sonnet", "http://[::1]:1/v1").provider == "generic");
    CHECK(resolved("openai.gpt-5.5", "http://h/v1").provider == "openai");
  }

  TEST_CASE("base URLs come from the call's environment") {
    auto model = resolve_model(
        "openai.gpt-5.5", {}, with({{"OPENAI_API_BASE", "http://a/v1"}, {"OPENAI_BASE_URL", ""}}));
    REQUIRE(model);
    CHECK(model->base_url == "http://a/v1");
    auto wrong = resolve_model("sonnet", {}, with({{"ANTHROPIC_BASE_URL", "ftp://a"}}));
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::invalid_argument);
  }

  TEST_CASE("a name that is none is answered with near ones") {
    auto model = resolve_model("sonet", {}, with({}));
    REQUIRE_FALSE(model);
    CHECK(model.error().code == ErrorCode::not_found);
    CHECK(model.error().message == "no model is called `sonet`");
    CHECK(model.error().hint.find("`sonnet`") != std::string::npos);
    CHECK_FALSE(resolve_model("", {}, with({})));
    CHECK_FALSE(resolve_model("anthropic.", {}, with({})));
    CHECK_FALSE(resolve_model(std::string(10'000, 'x'), {}, with({})));
  }

  TEST_CASE("what a model rejects is data") {
    CHECK(resolved("openai.gpt-5.5").rejects
          == std::vector<std::string>{"max_tokens", "temperature"});
    CHECK(resolved("generic.gpt-5.5").rejects.empty());
    CHECK(ModelTable::built_in().date() == "2026-11-21");
    CHECK(ModelTable::parse("{", "t.json").error().code == ErrorCode::corrupt);
  }

  TEST_CASE("hosts and ports") {
    CHECK(host_and_port("https://api.openai.com/v1") == "api.openai.com:443");
    CHECK(host_and_port("http://u:secret@h:81/x") == "h:81");
    CHECK(host_and_port("http://[::1]/v1") == "[::1]:80");
    CHECK(host_and_port("file:///x").empty());
    CHECK(is_loopback("http://127.0.0.1:1"));
    CHECK(is_loopback("http://localhost"));
    CHECK_FALSE(is_loopback("http://127.0.0.1.example.com"));
    CHECK_FALSE(is_loopback("http://127.0.0.1@example.com"));
    CHECK(is_loopback("http://127.1:8080/v1"));
    for (const char* name : {"127.0.0.1.", "127.0.0.1.5", "127.0.0.256", "127..1", "127."}) {
      CAPTURE(name);
      CHECK_FALSE(is_loopback("http://" + std::string(name) + ":1"));
    }
  }
}

TEST_SUITE("cost_of") {
  TEST_CASE("cache factors, tiers, and what is not known") {
    Usage usage{
        .input = 1'000'000, .cache_read = 1'000'000, .cache_write = 1'000'000, .output = 100'000};
    // 2 + 0.1 * 2 + 1.25 * 2 + 0.1 * 10
    CHECK(*cost_of(resolved("sonnet"), usage) == doctest::Approx(5.7));
    Usage plain{.input = 1000, .output = 10};
    CHECK(*cost_of(resolved("claude-haiku-4-5-20251001"), plain) == doctest::Approx(0.00105));
    Usage half{.input = 50'000, .cache_read = 50'000, .output = 0};
    CHECK(*cost_of(resolved("claude-haiku-5-5"), half) == doctest::Approx(0.0055));
    Usage long_prompt{.input = 100'000, .cache_read = 99'000, .output = 0};
    CHECK(*cost_of(resolved("claude-haiku-5-5"), long_prompt) == doctest::Approx(0.05495));
    CHECK_FALSE(cost_of(resolved("claude-haiku-9"), plain));
    CHECK_FALSE(cost_of(resolved("sonnet"), Usage{.input = 5}));
    CHECK_FALSE(cost_of(resolved("glm"), plain));
    CHECK(*cost_of(resolved("generic.x"), Usage{}) == 0);
    CHECK(*cost_of(resolved("scripted"), Usage{}) == 0);
  }
}
