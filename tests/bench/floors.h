#pragma once
#include <cstddef>
#include <string>

// What the kernel alone asks for: the same work without checking, hashing, remembering or deciding.
namespace upskill::bench {

// Copies every skill of `from` into `to`: staged in a folder beside `to`, moved into place in one
// rename.
void copy_staged(const std::string& from, const std::string& to);

// Copies the files of one folder into another that it makes.
void copy_folder(const std::string& from, const std::string& to);

// A stat of everything below, by getdents and fstatat; answers how many things there are.
std::size_t stat_walk(const std::string& root);

// An inotify watch for every folder below, by getdents; answers how many. `inotify` is a
// descriptor.
std::size_t watch_walk(int inotify, const std::string& root);

} // namespace upskill::bench
