#pragma once
#include "skills/trace/format.h"
#include "skills/trace/splitter.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

// How records stand in what is kept: as in the file they are from, where that is lines or sections;
// the elements of a document as lines of their own, so that any of them can be read without the
// whole.
namespace upskill::archive {

// The format that a row names; nothing for one of a newer version.
std::optional<trace::Format> format_named(std::string_view name);

// Appends a record and what separates it from the next.
void append_stored(std::string& out, trace::Format format, std::string_view record);

// Cuts what append_stored() wrote into the records that it was given.
std::unique_ptr<trace::Splitter> make_stored_splitter(trace::Format format);

} // namespace upskill::archive
