// SPDX-License-Identifier: Apache-2.0
// Loads a model as a simulator does, sends the packet given in hex through it and prints what comes out.
#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <vector>

#include "model_api.h"

template <class F>
F* function(void* library, const char* name) {
  return reinterpret_cast<F*>(dlsym(library, name));
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 2;
  std::vector<uint8_t> packet;
  for (const char* at = arguments[2]; *at != 0; at += 2)
    packet.push_back(static_cast<uint8_t>(std::stoi(std::string(at, 2), nullptr, 16)));
  p4m_model* model = function<decltype(p4m_create)>(library, "p4m_create")();
  const uint8_t metadata[16] = {};
  const p4m_input input = {{packet.data(), packet.size()}, 0, metadata};
  p4m_output output;
  function<decltype(p4m_process)>(library, "p4m_process")(model, &input, &output);
  std::printf("%s ", output.drop_reason == nullptr ? "sent" : output.drop_reason);
  for (size_t i = 0; i < output.packet.length; ++i) std::printf("%02x", output.packet.data[i]);
  std::printf("\n%s\n", function<decltype(p4m_counters)>(library, "p4m_counters")(model));
  function<decltype(p4m_destroy)>(library, "p4m_destroy")(model);
}
