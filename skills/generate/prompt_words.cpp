#include "skills/generate/prompt_words.h"

#include "protocol/base/utf8.h"
#include "skills/document/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <set>

namespace upskill::generate {
namespace {

constexpr std::size_t k_stem = 5;       // characters
constexpr std::size_t k_inline = 200;   // bytes between two back-ticks of one line
constexpr std::size_t k_least_word = 2; // characters

// Of the languages that most prompts are in. What is missing here is still common in the sessions
// themselves; this is for when there are few.
constexpr std::string_view k_common =
    // English
    "a about actually add after again ahead all alright also always am an and another any anything "
    "are as ask at back bad be because been before best better both bro but by can cannot change "
    "check cheers code come complete continue correct could create cool did didnt do does doesnt "
    "doing done dont each else error errors even every everything example explain file files find "
    "fine first fix fixed for found from full get give go going good great great guys had has have "
    "hello help here hey hi hmm how i id if im implement improve in instead into is isnt issue it "
    "its ive just keep know last lets like list little long look looks lot make makes many may "
    "maybe me mean more morning most much must my name need needs never new next nice no nope not "
    "nothing now of ok okay old on once one only open or other our out over perfect please plz "
    "problem proceed project put read ready really redo rest resume right run same say see seems "
    "set should show sir so some something sorry start still stop stuff sure take tell test tests "
    "than thank thanks that thats the their them then there these they thing things think this "
    "those thx to too try two undo until up update us use used using very wait want was way we "
    "well were what whats when where which while who whole why will with without wont work working "
    "works would write wrong yeah yep yes yet you your "
    // German
    "aber alle alles als also am an auch auf aus bei bin bis bist bitte da danke dann das dass "
    "dein dem "
    "den der des die dies diese diesen dieser doch du ein eine einen einer einem er es etwas "
    "fertig "
    "für ganz geht genau gib gut guten hab haben habe hallo hast hat hier ich ihm ihr im in ist ja "
    "jetzt kann kannst kein keine könntest lass mach mache machen man mehr mein mich mir mit "
    "morgen "
    "muss nach nein neu nicht nichts noch nochmal nur ob oder okay passt prüfe schau schon schreib "
    "schreibe sehr sein sich sie sind so soll tag tun um und uns vom von vor war warum was weiter "
    "wenn wer wie wieder will wir wird wo zu zum zur "
    // French
    "ai au aussi avec bien bonjour ça ce cela ces cette comme corrige dans de des donc du elle en "
    "encore est et être fais fait faire il ils je la le les leur lui ma mais me merci mes moi mon "
    "ne "
    "non nous on ou oui par pas plus peux pour pourquoi que quel quelle qui sa salut sans se ses "
    "si "
    "son sont suis sur ta tes toi ton tout très tu un une va vas voici vous "
    // Spanish, Portuguese, Italian
    "ahora al algo así bien buenos cómo como con continúa corrige cuando de del dos el ella en era "
    "es esta este esto está gracias haz hay hola la las lo los más me mi muy nada no nos o otra "
    "para "
    "pero por porque puedes que qué se si sí sin sobre son su sus también te tiene todo tu un una "
    "vale y ya yo ajuda agora ainda ao aqui com corrija da do dos ela ele em essa esse isso isto "
    "já "
    "mais mas meu minha muito não nao obrigado oi olá os ou pode porque quando sem ser seu sim "
    "também tem uma você vai adesso anche ancora che ci ciao come con cosa così da dai del della "
    "di dove due e ecco fai gli grazie ha ho i il in io la le lo ma mi molto nel non per perché "
    "più poi puoi qualche quello questa questo se sei si solo sono su ti tu tutto un uno va va "
    "bene "
    // Dutch, Polish, Turkish, Swedish
    "aan als bedankt ben bij dat de deze die dit doe door een en er ga goed haar heb heeft het "
    "hier "
    "hij hoe ik ja je kan kun maak maar meer met mij mijn naar nee niet nog nu of om ook op over "
    "te "
    "uit van verder voor waarom was wat we wel wil zijn zo ale bo by być co cześć czy dalej dla do "
    "dobrze dzięki go i jak jest już kontynuuj mnie na nie o od po popraw proszę się tak tam teraz "
    "to tu ty w z za ze że bir bu çok da daha de devam et evet hayır için ile lütfen merhaba mı ne "
    "nasıl o şimdi tamam teşekkürler ve ya yap att de det du där en ett fortsätt för från hej här "
    "i "
    "inte jag ja kan med nej och om på som så till tack vad vi är "
    // Russian
    "а без бы был была было быть в вам вас все всё вы где да давай для до добрый его ее её если "
    "есть "
    "ещё еще же за и из или исправь их как когда кто ли меня мне можешь мой мы на надо нам нас не "
    "него нет ни но ну о об он она они от по пожалуйста почему при привет продолжай с сделай со "
    "спасибо так там то тоже только ты у уже хорошо что чтобы это эту этот я";

// Pairs of characters, of Chinese, Japanese and Korean.
constexpr std::string_view k_common_parts =
    "请帮 帮我 一下 继续 修复 这个 那个 我们 你好 谢谢 可以 不是 是的 好的 什么 怎么 为什 没有 "
    "问题 现在 一个 "
    "して くだ ださ さい てく お願 願い いし しま ます です った たの この その これ それ こと "
    "もの から ない "
    "はい いい ありが 続け けて 直し 修正 해줘 해주 주세 세요 계속 수정 감사 안녕 이거 그거 하세 "
    "입니 니다 습니 "
    "하고 에서 으로";

bool is_letter(std::int32_t c) {
  switch (utf8proc_category(c)) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_MC:
    return true;
  default:
    return false;
  }
}

// Thai, Lao, Burmese, Khmer, kana, ideographs; and Korean, whose endings are written to the word.
bool is_unspaced(std::int32_t c) {
  auto within = [c](std::int32_t first, std::int32_t last) { return c >= first && c <= last; };
  return within(0x0E00, 0x0EFF) || within(0x1000, 0x109F) || within(0x1780, 0x17FF)
         || within(0x3040, 0x30FF) || within(0x3400, 0x4DBF) || within(0x4E00, 0x9FFF)
         || within(0xAC00, 0xD7AF) || within(0xF900, 0xFAFF) || within(0x20000, 0x3FFFF);
}

std::vector<std::int32_t> points_of(std::string_view text) {
  std::vector<std::int32_t> points;
  while (!text.empty()) {
    std::int32_t c = -1;
    utf8proc_ssize_t size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()),
                                             &c);
    if (size <= 0) {
      text.remove_prefix(1);
      continue;
    }
    points.push_back(c);
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return points;
}

// Without what stands between back-ticks.
std::string without_code(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t tick = std::min(text.find('`'), text.size());
    out += text.substr(0, tick);
    text.remove_prefix(tick);
    if (text.starts_with("```")) {
      std::size_t end = text.find("```", 3);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 3);
    } else if (!text.empty()) {
      std::size_t end = text.substr(0, k_inline).find_first_of("`\n", 1);
      bool is_closed = end != std::string_view::npos && text[end] == '`';
      text.remove_prefix(is_closed ? end + 1 : 1);
    }
    out += ' ';
  }
  return out;
}

bool is_ascii_letter(char c) {
  return c >= 'a' && c <= 'z';
}

// What somebody names rather than says: it is another one each time.
bool is_no_word(std::string_view token) {
  if (token.starts_with('-') || token.starts_with('.')
      || token.find_first_of("0123456789_@=\\{}<>$#|~*") != token.npos
      || token.find("::") != token.npos || token.find("()") != token.npos) {
    return true;
  }
  std::size_t slash = token.find('/');
  bool is_path = slash == 0 || (slash != token.npos && token.find('/', slash + 1) != token.npos);
  for (std::size_t dot = token.find('.'); dot != token.npos && !is_path;
       dot = token.find('.', dot + 1)) {
    is_path = dot + 1 < token.size() && is_ascii_letter(token[dot + 1]);
  }
  return is_path || token.find("//") != token.npos;
}

class Words {
public:
  bool is_full() const { return m_words.size() >= k_most_prompt_words; }

  void add_run(const std::vector<std::int32_t>& run, bool is_unspaced_run) {
    if (is_unspaced_run) {
      for (std::size_t i = 0; i + 1 < run.size(); ++i) {
        add({text_of(run, i, i + 2), true});
      }
    } else if (run.size() >= k_least_word) {
      add({text_of(run, 0, std::min(run.size(), k_stem)), false});
    }
  }

  std::vector<PromptWord> words() && { return std::move(m_words); }

private:
  static std::string
  text_of(const std::vector<std::int32_t>& run, std::size_t from, std::size_t to) {
    std::string text;
    for (std::size_t i = from; i < to; ++i) {
      append_code_point(text, static_cast<char32_t>(run[i]));
    }
    return text;
  }

  void add(PromptWord word) {
    if (!is_full() && m_seen.insert(word).second) {
      m_words.push_back(std::move(word));
    }
  }

  std::vector<PromptWord> m_words = {};
  std::set<PromptWord> m_seen = {};
};

void add_token(std::string_view token, Words& words) {
  std::vector<std::int32_t> points = points_of(token);
  bool has_unspaced = std::ranges::any_of(points, is_unspaced);
  // Where nothing separates words a number does not spoil all of the sentence.
  if (!has_unspaced && is_no_word(token)) {
    return;
  }
  std::vector<std::int32_t> run;
  bool was_unspaced = false;
  auto end_run = [&] {
    words.add_run(run, was_unspaced);
    run.clear();
  };
  for (std::int32_t c : points) {
    if (c == '\'' || c == 0x2019) {
      continue; // `don't` is one word
    }
    if (!is_letter(c) || is_unspaced(c) != was_unspaced) {
      end_run();
    }
    if (is_letter(c)) {
      was_unspaced = is_unspaced(c);
      run.push_back(c);
    }
  }
  end_run();
}

std::vector<PromptWord> words_of(std::string_view text) {
  constexpr std::string_view k_space = " \t\r\n\v\f";
  Words words;
  while (!text.empty() && !words.is_full()) {
    std::size_t begin = std::min(text.find_first_not_of(k_space), text.size());
    std::size_t end = std::min(text.find_first_of(k_space, begin), text.size());
    std::string_view token = text.substr(begin, end - begin);
    while (!token.empty() && std::string_view(".,;:!?\"'()[]").find(token.back()) != token.npos) {
      token.remove_suffix(1);
    }
    while (!token.empty() && std::string_view("\"'([").find(token.front()) != token.npos) {
      token.remove_prefix(1);
    }
    add_token(token, words);
    text.remove_prefix(end);
  }
  return std::move(words).words();
}

std::set<PromptWord> common_words() {
  std::set<PromptWord> common;
  for (std::string_view list : {k_common, k_common_parts}) {
    while (!list.empty()) {
      std::size_t end = std::min(list.find(' '), list.size());
      for (PromptWord& word : words_of(document::fold_case(list.substr(0, end)))) {
        common.insert(std::move(word));
      }
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  }
  return common;
}

} // namespace

std::vector<PromptWord> words_of_prompt(std::string_view text) {
  std::string valid = to_valid_utf8(utf8_prefix(text, k_max_prompt_text));
  return words_of(document::fold_case(document::to_nfkc(without_code(valid))));
}

bool is_common_word(const PromptWord& word) {
  static const std::set<PromptWord> common = common_words();
  return common.contains(word);
}

} // namespace upskill::generate
