#include "tests/support/planted_secrets.h"

namespace upskill::tests {
namespace {

std::string words(Plants& plants, std::string_view between, std::size_t count) {
  std::string made;
  for (std::size_t i = 0; i < count; ++i) {
    made += i == 0 ? std::string_view() : between;
    made += plants.one_of({"token",
                           "session",
                           "user",
                           "secret",
                           "key",
                           "render",
                           "index",
                           "login",
                           "handler",
                           "config",
                           "password",
                           "reset",
                           "cache",
                           "parse",
                           "auth"});
  }
  return made;
}

std::string camel(Plants& plants, std::size_t count) {
  std::string made = words(plants, "", 1);
  for (std::size_t i = 1; i < count; ++i) {
    std::string word = words(plants, "", 1);
    word[0] = static_cast<char>(word[0] - 'a' + 'A');
    made += word;
  }
  return made;
}

std::string uuid(Plants& plants) {
  return plants.grow("{H8}-{H4}-4{H3}-a{H3}-{H12}").text;
}

std::string upper(std::string text) {
  for (char& c : text) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return text;
}

} // namespace

std::string grow_innocent(Plants& plants, std::size_t kind) {
  auto grow = [&](std::string_view form) { return plants.grow(form).text; };
  switch (kind % k_innocent_kinds) {
  case 0:
    return grow("{H40}"); // a commit
  case 1:
    return grow("{H7}");
  case 2:
    return uuid(plants);
  case 3:
    return "/home/ada/" + words(plants, "/", 4) + "/" + camel(plants, 2) + ".ts";
  case 4:
    return grow("sha512-{S86}==");
  case 5:
    return grow("sha256-{S43}=");
  case 6:
    return grow("msg_01{W22}");
  case 7:
    return grow("toolu_01{W22}");
  case 8:
    return grow("req_011C{W20}");
  case 9:
    return grow("call_{W24}");
  case 10:
    return "01" + grow("{A24}"); // ULID
  case 11:
    return words(plants, "-", 4) + "__" + words(plants, "", 1) + "--" + grow("{H5}"); // CSS class
  case 12:
    return "@" + words(plants, "", 1) + "/" + words(plants, "-", 2) + "/dist/" + camel(plants, 3);
  case 13:
    return camel(plants, 5);
  case 14:
    return "#" + grow("{H6}");
  case 15:
    return grow("{D2}.{D1}.{D3}-beta.{D1}+build.{H7}");
  case 16:
    return "https://b.s3.amazonaws.com/a.zip?X-Amz-Credential=AK" + grow("IA{A16}")
           + "%2F20260701%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Signature=" + grow("{H64}");
  case 17:
    return "https://x.blob.core.windows.net/c/f?sv=2024-11-04&sr=b&sig=" + grow("{W41}") + "%3D";
  case 18:
    return words(plants, "-", 6);
  case 19:
    return grow("2026-07-{D1}1T1{D1}:2{D1}:3{D1}.{D3}Z");
  case 20:
    return "_ZN7upskill5" + words(plants, "", 1) + "C2ERK" + grow("{D2}") + words(plants, "", 2)
           + "Ev";
  case 21:
    return upper(words(plants, "_", 3));
  case 22:
    return "your-api-key-here";
  case 23:
    return "sk-"
           "ant-api03-"
           + std::string(40, 'x');
  case 24:
    return "gh"
           "p_"
           + std::string("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
  case 25:
    return "AKIA"
           "IOSFODNN7EXAMPLE";
  case 26:
    return grow("resp_{H48}");
  case 27:
    return grow("chatcmpl-{W29}");
  case 28:
    return "sha256:" + grow("{H64}");
  case 29:
    return grow("{H32}"); // MD5
  case 30:
    return "${" + upper(words(plants, "_", 2)) + "}";
  case 31:
    return "<" + words(plants, "-", 3) + ">";
  case 32:
    return words(plants, ".", 3) + "." + camel(plants, 2) + "()";
  case 33:
    return grow("agent-{H17}.jsonl");
  case 34:
    return "rollout-2026-07-01T10-00-00-" + uuid(plants) + ".jsonl";
  case 35:
    return "sk-" + words(plants, "-", 5); // a CSS class
  case 36:
    return grow("arn:aws:iam::{D12}:role/") + camel(plants, 3);
  case 37:
    return grow("h1:{S43}="); // go.sum
  case 38:
    return grow("data:font/woff2;base64,{S160}");
  default:
    return "gh"
           "p_"
           + grow("{W8}"); // too short
  }
}

} // namespace upskill::tests
