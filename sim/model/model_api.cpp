// SPDX-License-Identifier: Apache-2.0
// The C interface over p4::Model; linked into every model.
#include "model_api.h"

#include <sstream>
#include <string>

#include "model.hpp"

using p4::Limbs;
using p4::Match;
using p4::Status;

struct p4m_model {
  std::unique_ptr<p4::Model> model;
  std::string text;
};

namespace {

constexpr const char* MATCH_NAMES[] = {"exact", "lpm", "ternary", "range", "optional"};

// False if the value does not fit.
bool to_limbs(const p4m_bytes& bytes, unsigned width, Limbs& to) {
  const unsigned count = p4::limbs_for(width);
  Limbs value(count, 0);
  for (size_t i = 0; i < bytes.length; ++i) {
    const uint8_t byte = bytes.data[bytes.length - 1 - i];
    if (i / 8 < count)
      value[i / 8] |= uint64_t{byte} << 8 * (i % 8);
    else if (byte != 0)
      return false;
  }
  if (width % 64 != 0 && value.back() >> width % 64 != 0) return false;
  to.insert(to.end(), value.begin(), value.end());
  return true;
}

// `ones` leading bits of `width`.
void put_prefix(unsigned width, unsigned ones, Limbs& to) {
  Limbs mask(p4::limbs_for(width), 0);
  for (unsigned i = 0; i < ones; ++i) mask[(width - 1 - i) / 64] |= uint64_t{1} << (width - 1 - i) % 64;
  to.insert(to.end(), mask.begin(), mask.end());
}

Status put_key(const p4::KeyField& field, const p4m_key& key, p4::Row& row) {
  const unsigned width = field.width;
  const p4m_bytes nothing{nullptr, 0};
  if (key.value.data == nullptr) {
    if (field.match == Match::exact) return Status::bad_key;
    to_limbs(nothing, width, row.a);
    put_prefix(width, field.match == Match::range ? width : 0, row.b);
    return Status::done;
  }
  if (!to_limbs(key.value, width, row.a)) return Status::bad_key;
  if (key.second.data != nullptr && field.match != Match::exact)
    return to_limbs(key.second, width, row.b) ? Status::done : Status::bad_key;
  if (field.match == Match::range) {
    to_limbs(key.value, width, row.b);
  } else {
    if (field.match == Match::lpm && key.prefix > width) return Status::bad_key;
    put_prefix(width, field.match == Match::lpm ? key.prefix : width, row.b);
  }
  return Status::done;
}

Status put_keys(const p4::Table& table, const p4m_key* keys, size_t count, p4::Row& row) {
  if (count != table.info.keys.size()) return Status::bad_key;
  for (size_t i = 0; i < count; ++i)
    if (const Status wrong = put_key(table.info.keys[i], keys[i], row); wrong != Status::done) return wrong;
  return Status::done;
}

Status put_action(const p4::Table& table, const char* name, const p4m_bytes* arguments, size_t count, p4::Row& row) {
  const std::string wanted = name;
  const auto& actions = table.info.actions;
  size_t found = actions.size();
  for (size_t i = 0; i < actions.size(); ++i) {
    const auto& full = actions[i].name;
    const bool ends = full.size() > wanted.size() && full.ends_with("." + wanted);
    if (full == wanted || (ends && found == actions.size())) found = i;
  }
  if (found == actions.size()) return Status::bad_action;
  row.action = static_cast<uint32_t>(found);
  if (count != actions[found].parameters.size()) return Status::bad_arguments;
  for (size_t i = 0; i < count; ++i)
    if (!to_limbs(arguments[i], actions[found].parameters[i].width, row.data)) return Status::bad_arguments;
  return Status::done;
}

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made + '"';
}

std::string hex(const uint64_t* limbs, unsigned width) {
  static constexpr char DIGITS[] = "0123456789abcdef";
  std::string made = "\"0x";
  const unsigned digits = width == 0 ? 1 : (width + 3) / 4;
  for (unsigned i = digits; i-- > 0;) made += DIGITS[limbs[i / 16] >> 4 * (i % 16) & 0xf];
  return made + '"';
}

template <class All, class Show>
std::string list(const All& all, Show show) {
  std::string made = "[";
  for (const auto& one : all) made += (made.size() > 1 ? ", " : "") + show(one);
  return made + "]";
}

template <class Field>
std::string show_field(const Field& field) {
  return "{\"name\": " + quoted(field.name) + ", \"width\": " + std::to_string(field.width) + "}";
}

const char* show_bool(bool value) { return value ? "true" : "false"; }

std::string show_table(const p4::Table* table) {
  const auto& info = table->info;
  std::ostringstream out;
  out << "{\"name\": " << quoted(info.name) << ", \"size\": " << info.size << ", \"keys\": "
      << list(info.keys,
              [](const p4::KeyField& key) {
                return "{\"name\": " + quoted(key.name) + ", \"width\": " + std::to_string(key.width) +
                       ", \"match\": \"" + MATCH_NAMES[static_cast<int>(key.match)] + "\"}";
              })
      << ", \"actions\": " << list(info.actions, [](const p4::ActionInfo& action) {
           return "{\"name\": " + quoted(action.name) +
                  ", \"parameters\": " + list(action.parameters, show_field<p4::ActionParameter>) +
                  ", \"in_entries\": " + show_bool(action.in_entries) +
                  ", \"as_default\": " + show_bool(action.as_default) + "}";
         });
  out << ", \"constant_entries\": " << show_bool(info.constant_entries)
      << ", \"constant_default\": " << show_bool(info.constant_default) << "}";
  return out.str();
}

std::string show_extern(const p4::Extern* unit) {
  return "{\"name\": " + quoted(unit->name) + ", \"kind\": " + quoted(unit->kind()) +
         ", \"registers\": " + std::to_string(unit->registers()) +
         ", \"width\": " + std::to_string(unit->register_width()) + "}";
}

std::string show_action(const p4::Table& table, const p4::Row& row) {
  const auto& action = table.info.actions[row.action];
  std::string arguments;
  unsigned at = 0;
  for (const auto& parameter : action.parameters) {
    arguments += (at == 0 ? "" : ", ") + hex(&row.data[at], parameter.width);
    at += p4::limbs_for(parameter.width);
  }
  return "\"action\": " + quoted(action.name) + ", \"arguments\": [" + arguments + "]";
}

std::string show_row(const p4::Table& table, const p4::Row& row) {
  std::string key;
  unsigned at = 0;
  for (const auto& field : table.info.keys) {
    key += (at == 0 ? "[" : ", [") + hex(&row.a[at], field.width) + ", " + hex(&row.b[at], field.width) + "]";
    at += p4::limbs_for(field.width);
  }
  return "{\"key\": [" + key + "], \"priority\": " + std::to_string(row.priority) + ", " + show_action(table, row) +
         "}";
}

const char* keep(p4m_model* handle, std::string text) {
  handle->text = std::move(text);
  return handle->text.c_str();
}

}  // namespace

p4m_model* p4m_create() { return new p4m_model{p4::create_model(), {}}; }
void p4m_destroy(p4m_model* handle) { delete handle; }
void p4m_reset(p4m_model* handle) { handle->model->reset(); }

const char* p4m_describe(p4m_model* handle) {
  const auto& model = *handle->model;
  return keep(handle, "{\"schema\": 1, \"program\": " + quoted(model.program()) +
                          ", \"metadata\": " + list(model.metadata_fields(), show_field<p4::FieldInfo>) +
                          ", \"digest\": " + list(model.digest_fields(), show_field<p4::FieldInfo>) +
                          ", \"metadata_bytes\": " + std::to_string(model.metadata_bytes()) + ", \"digest_bytes\": " +
                          std::to_string(model.digest_bytes()) + ", \"tables\": " + list(model.tables(), show_table) +
                          ", \"externs\": " + list(model.externs(), show_extern) + "}");
}

void p4m_process(p4m_model* handle, const p4m_input* input, p4m_output* output) {
  const auto verdict = handle->model->process(input->packet.data, input->packet.length, input->cycle, input->metadata);
  *output = {verdict.drop_reason, {verdict.data, verdict.length}, verdict.metadata, verdict.digest};
}

uint64_t p4m_run(p4m_model* handle, const p4m_input* inputs, size_t count, uint64_t total) {
  uint64_t forwarded = 0;
  for (uint64_t i = 0; i < total; ++i) {
    const auto& input = inputs[i % count];
    const auto verdict =
        handle->model->process(input.packet.data, input.packet.length, input.cycle + i, input.metadata);
    forwarded += verdict.drop_reason == nullptr ? 1 : 0;
  }
  return forwarded;
}

static int change(p4m_model* handle, const char* name, const p4m_key* keys, size_t key_count, int64_t priority,
                  const char* action, const p4m_bytes* arguments, size_t argument_count,
                  Status (p4::Table::*operation)(p4::Row)) {
  p4::Table* table = handle->model->table(name);
  if (table == nullptr) return static_cast<int>(Status::not_found);
  p4::Row row;
  row.priority = priority;
  Status status = put_keys(*table, keys, key_count, row);
  if (status == Status::done && action != nullptr) status = put_action(*table, action, arguments, argument_count, row);
  if (status == Status::done) status = (table->*operation)(std::move(row));
  return static_cast<int>(status);
}

int p4m_table_add(p4m_model* handle, const char* table, const p4m_key* keys, size_t key_count, int64_t priority,
                  const char* action, const p4m_bytes* arguments, size_t argument_count) {
  return change(handle, table, keys, key_count, priority, action, arguments, argument_count, &p4::Table::add);
}

int p4m_table_modify(p4m_model* handle, const char* table, const p4m_key* keys, size_t key_count, int64_t priority,
                     const char* action, const p4m_bytes* arguments, size_t argument_count) {
  return change(handle, table, keys, key_count, priority, action, arguments, argument_count, &p4::Table::modify);
}

int p4m_table_delete(p4m_model* handle, const char* table, const p4m_key* keys, size_t key_count, int64_t priority) {
  return change(handle, table, keys, key_count, priority, nullptr, nullptr, 0, &p4::Table::remove);
}

int p4m_table_clear(p4m_model* handle, const char* name) {
  p4::Table* table = handle->model->table(name);
  return static_cast<int>(table == nullptr ? Status::not_found : table->clear());
}

int p4m_table_set_default(p4m_model* handle, const char* name, const char* action, const p4m_bytes* arguments,
                          size_t argument_count) {
  p4::Table* table = handle->model->table(name);
  if (table == nullptr) return static_cast<int>(Status::not_found);
  p4::Row row;
  Status status = put_action(*table, action, arguments, argument_count, row);
  if (status == Status::done) status = table->set_default(row.action, row.data);
  return static_cast<int>(status);
}

const char* p4m_table_dump(p4m_model* handle, const char* name) {
  const p4::Table* table = handle->model->table(name);
  if (table == nullptr) return nullptr;
  return keep(handle, "{\"entries\": " + list(table->rows(), [&](const p4::Row& r) { return show_row(*table, r); }) +
                          ", \"default\": {" + show_action(*table, table->default_row()) + "}}");
}

int p4m_register_read(p4m_model* handle, const char* name, uint64_t index, uint8_t* value) {
  p4::Extern* unit = handle->model->unit(name);
  const uint64_t* limbs = unit == nullptr ? nullptr : unit->read(index);
  if (limbs == nullptr) return static_cast<int>(Status::not_found);
  const size_t bytes = (unit->register_width() + 7) / 8;
  for (size_t i = 0; i < bytes; ++i) value[bytes - 1 - i] = static_cast<uint8_t>(limbs[i / 8] >> 8 * (i % 8));
  return 0;
}

int p4m_register_write(p4m_model* handle, const char* name, uint64_t index, p4m_bytes value) {
  p4::Extern* unit = handle->model->unit(name);
  if (unit == nullptr) return static_cast<int>(Status::not_found);
  Limbs limbs;
  if (!to_limbs(value, unit->register_width(), limbs)) return static_cast<int>(Status::bad_arguments);
  return static_cast<int>(unit->write(index, limbs.data()) ? Status::done : Status::not_found);
}

int p4m_configure(p4m_model* handle, const char* name, const char* setting, uint32_t index, uint64_t value) {
  p4::Extern* unit = handle->model->unit(name);
  if (unit == nullptr) return static_cast<int>(Status::not_found);
  for (const auto& known : unit->settings) {
    if (known.name != setting || index >= known.count) continue;
    return static_cast<int>(unit->configure(setting, index, value, 0) ? Status::done : Status::not_found);
  }
  return static_cast<int>(Status::not_found);
}

const char* p4m_counters(p4m_model* handle) {
  std::string text = "{";
  for (const auto& counter : handle->model->counters())
    text += (text.size() > 1 ? ", " : "") + quoted(counter.name) + ": " + std::to_string(counter.count);
  return keep(handle, text + "}");
}
