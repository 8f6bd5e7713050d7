// SPDX-License-Identifier: Apache-2.0
// What a program's manifest says of its switch, as C++: sw/p4sume/cases/model_switch.py writes `facts()` for each
// program. No address, width or size stands anywhere else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fabric {

struct FieldFact {
  std::string name;
  unsigned low, width;
};

struct RegisterFact {
  std::string name;
  uint32_t address;
  unsigned words;  // of 32 bits
  uint64_t readable, writable, reset;
  std::vector<FieldFact> fields;
};

struct ActionFact {
  std::string name;
  unsigned code;
  std::vector<unsigned> widths;  // of its parameters
};

enum class TableKind { exact, lpm, ternary };

// A table that the control plane can change.
struct TableFact {
  std::string name;
  std::string window;
  TableKind kind;
  unsigned entries;
  unsigned rows;                     // that READ can show
  std::vector<unsigned> key_widths;  // the first field is the most significant
  unsigned data_bits, value_bits;    // of an entry: its action's data; these with the action's code above
  std::vector<ActionFact> actions;
  unsigned levels, leaves;  // lpm: below the root, and nodes of the last level
};

struct ExternFact {
  std::string name;
  std::string window;    // empty where it has none
  std::string settings;  // the group of its settings, or empty
  unsigned stage;        // cycles from a packet's window to its request
  bool sees_switch;      // what it says is not of packets alone
};

struct Facts {
  unsigned ports;
  std::vector<RegisterFact> registers;          // of the switch
  std::vector<RegisterFact> program_registers;  // by the names of the program's manifest, at the switch's addresses
  std::vector<TableFact> tables;
  std::vector<ExternFact> externs;
  std::vector<std::string> drop_reasons;
  std::string empty_reason;  // of a packet of which no byte is left: counted, and no reason of a decision

  // Of the pipeline.
  unsigned latency_cycles, header_cycles, window_bytes, spacing_cycles, result_words, packet_words;
  // Of the modules around it, under the names of their parameters.
  unsigned input_words, output_words, max_packet_bytes, max_growth_bytes, quantum_bytes, credit_words, start_words;
};

const Facts& facts();

}  // namespace fabric
