// SPDX-License-Identifier: Apache-2.0
// A failed assertion as an exception: Verilator ends the process where one fails, unless these are given. For the one
// source file of a library.
#pragma once

#include <stdexcept>
#include <string>

#include "verilated.h"

void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE {
  throw std::runtime_error("an assertion failed: " + std::string(file) + ":" + std::to_string(line));
}
void vl_fatal(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
  throw std::runtime_error(std::string(message) + ": " + file + ":" + std::to_string(line));
}
