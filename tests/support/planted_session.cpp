// Writes a session of Claude Code of some megabytes, most of it everyday noise, in which a few
// things go wrong and are put right; and, one a line, what whoever learns from it must find.
//
//   planted_session SESSION FACTS [MEGABYTES]
#include "tests/bench/claude_session.h"
#include "tests/support/claude_session.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

namespace {

struct Planted {
  const char* wrong; // the command
  const char* error; // what it prints
  const char* right; // the command that gets there
};

constexpr std::array<Planted, 6> k_planted{{
    {"nvcc -arch=sm_80 -c gelu.cu",
     "ptxas error: wgmma needs target sm_90a",
     "nvcc -arch=sm_90a -c gelu.cu"},
    {"pip install kernel-builder",
     "No matching distribution found for kernel-builder",
     "pip install git+https://github.com/huggingface/kernel-builder"},
    {"pytest tests/test_layernorm.py",
     "RuntimeError: expected contiguous input of dtype half",
     "pytest tests/test_layernorm.py --layout=contiguous"},
    {"git push origin main",
     "remote rejected: protected branch hook declined",
     "git push origin HEAD:review/gelu"},
    {"ncu --set full ./bench",
     "ERR_NVGPUCTRPERM: no permission for performance counters",
     "sudo ncu --set full ./bench"},
    {"python setup.py bdist_wheel",
     "KeyError: TORCH_CUDA_ARCH_LIST",
     "TORCH_CUDA_ARCH_LIST=9.0 python setup.py bdist_wheel"},
}};

constexpr const char* k_session = "5d0c7a52-0000-4000-8000-000000000001";

// The command fails, the same one said otherwise does it: what there is to learn. One that has
// nothing in common with what failed is no recovery that anybody could tell (skills/distill).
void plant(upskill::tests::ClaudeSession& session, std::size_t number) {
  const Planted& planted = k_planted[number];
  std::string id = "planted" + std::to_string(number);
  session.prompt("Go on with step " + std::to_string(number + 1) + " of the release.");
  session.runs(id + "a", planted.wrong);
  session.fails(id + "a", std::string("Exit code 1\n") + planted.error);
  session.says("That does not work here. I will try another way.");
  session.runs(id + "b", planted.right);
  session.gives(id + "b", "done");
  session.says("Step " + std::to_string(number + 1) + " is done.");
}

} // namespace

int main(int count, char** words) {
  if (count < 3 || count > 4) {
    std::cerr << "planted_session SESSION FACTS [MEGABYTES]\n";
    return 2;
  }
  std::size_t bytes = std::strtoul(count > 3 ? words[3] : "5", nullptr, 10) << 20;
  std::ofstream file(words[1]);
  std::ofstream facts(words[2]);
  upskill::bench::ClaudeSession noise(7, k_session);
  upskill::tests::ClaudeSession planted(k_session);
  for (std::size_t i = 0; i < k_planted.size(); ++i) {
    std::string bulk;
    noise.append(bulk, bytes / (k_planted.size() + 1));
    plant(planted, i);
    file << bulk << planted.bytes;
    planted.bytes.clear();
    facts << k_planted[i].error << '\n' << k_planted[i].right << '\n';
  }
  std::string bulk;
  noise.append(bulk, bytes / (k_planted.size() + 1));
  file << bulk;
  return file.flush() && facts.flush() ? 0 : 3;
}
