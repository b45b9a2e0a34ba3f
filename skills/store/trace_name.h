#pragma once
#include <string>
#include <string_view>

// Names of files and keys of sessions, made of ids that may be any bytes.
namespace upskill::store {

// Letters, digits, `.`, `_` and `-` stay; all else is percent-encoded, also a `.` that comes first.
// Never empty. Different texts give different names, and none holds `~`, `+` or `/`.
std::string encode_name(std::string_view text);

// `harness/session` or `harness/session/agent`: what people and agents call it. Bytes that would
// make it ambiguous or unprintable are percent-encoded; ids as agents make them stay as they are.
std::string
session_key(std::string_view harness, std::string_view session, std::string_view agent = {});

// `harness/session.zst`, or `harness/session~agent.zst`: at most 255 bytes for either part, so what
// is longer is cut and ended by its hash.
std::string
trace_object_name(std::string_view harness, std::string_view session, std::string_view agent = {});

// What an object is called once it was rewritten: `x.zst`, `x+2.zst`, `x+3.zst`.
std::string next_object_name(std::string_view name);

// Whether a name is as those above: of two parts, and neither leads anywhere else.
bool is_object_name(std::string_view name);

} // namespace upskill::store
