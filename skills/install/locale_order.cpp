#include "skills/install/locale_order.h"

#include <dlfcn.h>
#include <unicode/ucol.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

// The headers give each function the version of ICU for a last name: `ucol_open` is `ucol_open_72`.
#define UPSKILL_ICU_TEXT_(name) #name
#define UPSKILL_ICU_NAME_(name) UPSKILL_ICU_TEXT_(name)

namespace upskill::install {
namespace {

// ICU takes 2 MB and milliseconds of each process that is linked with it, and is asked seldom: it
// is loaded the first time, and stays.
struct Icu {
  decltype(&::ucol_open) open = nullptr;
  decltype(&::ucol_close) close = nullptr;
  decltype(&::ucol_strcollUTF8) compare = nullptr;

  Icu() {
    void* library = ::dlopen("libicui18n.so." UPSKILL_ICU_NAME_(U_ICU_VERSION_MAJOR_NUM),
                             RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      return;
    }
    auto find = [library](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    };
    find(open, UPSKILL_ICU_NAME_(ucol_open));
    find(close, UPSKILL_ICU_NAME_(ucol_close));
    find(compare, UPSKILL_ICU_NAME_(ucol_strcollUTF8));
  }

  bool is_whole() const { return open != nullptr && close != nullptr && compare != nullptr; }
};

const Icu& icu() {
  static const Icu loaded;
  return loaded;
}

} // namespace

void sort_as_javascript(std::vector<std::string>& texts) {
  if (texts.size() < 2) {
    return;
  }
  if (!icu().is_whole()) {
    std::ranges::sort(texts);
    return;
  }
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<UCollator, decltype(&::ucol_close)> collator(icu().open("en_US", &status),
                                                               icu().close);
  std::ranges::sort(texts, [&](const std::string& a, const std::string& b) {
    UErrorCode failure = U_ZERO_ERROR;
    UCollationResult order = UCOL_EQUAL;
    if (collator) {
      order = icu().compare(collator.get(),
                            a.data(),
                            static_cast<std::int32_t>(a.size()),
                            b.data(),
                            static_cast<std::int32_t>(b.size()),
                            &failure);
    }
    return order == UCOL_EQUAL ? a < b : order == UCOL_LESS;
  });
}

} // namespace upskill::install
