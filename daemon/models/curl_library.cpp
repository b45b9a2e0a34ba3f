#include "daemon/models/curl_library.h"

#include <dlfcn.h>

#include <string>
#include <type_traits>

namespace upskill::models {
namespace {

constexpr unsigned k_oldest_version = 0x075700; // 7.87.0: CURLOPT_QUICK_EXIT

tl::unexpected<Error> missing(const char* why) {
  return fail(ErrorCode::unavailable,
              std::string("`libcurl.so.4` ") + why,
              "install libcurl4 (Debian), or what has libcurl 7.87 or later on this system");
}

} // namespace

Result<std::unique_ptr<CurlLibrary>> CurlLibrary::load() {
  void* handle = ::dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return missing("is not here, and HTTP goes through it");
  }
  std::unique_ptr<CurlLibrary> library(new CurlLibrary(handle));
  if (!library->bind()) {
    return missing("lacks functions that are needed");
  }
  if (library->m_version_info(CURLVERSION_NOW)->version_num < k_oldest_version) {
    return missing("is too old");
  }
  library->m_is_ready = library->m_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  if (!library->m_is_ready) {
    return missing("cannot be initialised");
  }
  return library;
}

CurlLibrary::~CurlLibrary() {
  if (m_is_ready) {
    m_global_cleanup();
  }
  if (!m_is_code_kept) {
    ::dlclose(m_handle);
  }
}

bool CurlLibrary::bind() {
  bool has_all = true;
  auto find = [&](auto& function, const char* name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(m_handle, name));
    has_all = has_all && function != nullptr;
  };
  find(m_global_init, "curl_global_init");
  find(m_global_cleanup, "curl_global_cleanup");
  find(m_version_info, "curl_version_info");
  find(easy_init, "curl_easy_init");
  find(easy_cleanup, "curl_easy_cleanup");
  find(easy_setopt, "curl_easy_setopt");
  find(easy_getinfo, "curl_easy_getinfo");
  find(easy_strerror, "curl_easy_strerror");
  find(slist_append, "curl_slist_append");
  find(slist_free_all, "curl_slist_free_all");
  find(multi_init, "curl_multi_init");
  find(multi_cleanup, "curl_multi_cleanup");
  find(multi_setopt, "curl_multi_setopt");
  find(multi_add_handle, "curl_multi_add_handle");
  find(multi_remove_handle, "curl_multi_remove_handle");
  find(multi_socket_action, "curl_multi_socket_action");
  find(multi_info_read, "curl_multi_info_read");
  return has_all;
}

} // namespace upskill::models
