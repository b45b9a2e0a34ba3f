#pragma once
#include "protocol/base/result.h"

#include <curl/curl.h>

#include <memory>

namespace upskill::models {

// libcurl, loaded at run time: a daemon that asks nobody over HTTP holds neither its code nor what
// it links (2 MB). Functions are called by their names without `curl_`. Owner: Http. Thread: the
// daemon's; libcurl counts its global init itself. Lifetime: longer than every handle it made;
// unloaded in the destructor.
class CurlLibrary {
public:
  // unavailable: it is not installed, or too old for what is used here (7.87).
  static Result<std::unique_ptr<CurlLibrary>> load();
  ~CurlLibrary();
  CurlLibrary(const CurlLibrary&) = delete;
  CurlLibrary& operator=(const CurlLibrary&) = delete;

  // Its code stays for the rest of the process: a thread of its own may still run it.
  void keep_code() { m_is_code_kept = true; }

  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
  decltype(&curl_multi_init) multi_init = nullptr;
  decltype(&curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&curl_multi_setopt) multi_setopt = nullptr;
  decltype(&curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&curl_multi_socket_action) multi_socket_action = nullptr;
  decltype(&curl_multi_info_read) multi_info_read = nullptr;

private:
  explicit CurlLibrary(void* handle)
      : m_handle(handle) {}

  bool bind();

  void* m_handle;
  decltype(&curl_global_init) m_global_init = nullptr;
  decltype(&curl_global_cleanup) m_global_cleanup = nullptr;
  decltype(&curl_version_info) m_version_info = nullptr;
  bool m_is_ready = false; // global_init has run
  bool m_is_code_kept = false;
};

} // namespace upskill::models
