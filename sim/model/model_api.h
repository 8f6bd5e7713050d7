/* SPDX-License-Identifier: Apache-2.0
 * The C interface of a compiled model, one for all programs. Load libSTEM_model.so with dlopen (RTLD_LOCAL, so that
 * several programs can be loaded) and take the functions by name.
 *
 * Numbers are bytes with the most significant first. They may be shorter than the field (zeros are put before) or
 * longer (the surplus bytes have to be zero). Names are those of P4: a table is "TopPipe.ipv4_lpm", or any end of
 * that, from a dot on, that only one table has.
 */
#ifndef P4SUME_MODEL_API_H
#define P4SUME_MODEL_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct p4m_model p4m_model;

typedef struct {
  const uint8_t* data;
  size_t length;
} p4m_bytes;

/* One field of a key. `second` is the mask of ternary, lpm and optional, the upper end of range, and unused for
 * exact. A null `second.data` means: every bit (ternary, optional), the value itself (range), `prefix` leading bits
 * (lpm). A null `value.data` matches everything (not for exact). */
typedef struct {
  p4m_bytes value;
  p4m_bytes second;
  uint32_t prefix;
} p4m_key;

typedef struct {
  p4m_bytes packet;
  uint64_t cycle;          /* of 5 ns */
  const uint8_t* metadata; /* the architecture's struct, packed: metadata_bytes of p4m_describe */
} p4m_input;

/* The memory is the model's and holds until its next packet. */
typedef struct {
  const char* drop_reason; /* null: the packet goes on */
  p4m_bytes packet;        /* also given for the reason no_port */
  const uint8_t* metadata;
  const uint8_t* digest;
} p4m_output;

/* What the calls below that give an int return: 0 done; 1 full; 2 exists; 3 not found; 4 constant; 5 bad key;
 * 6 bad action; 7 bad arguments. Nothing is changed unless it is 0. */

p4m_model* p4m_create(void);
void p4m_destroy(p4m_model*);
void p4m_reset(p4m_model*); /* state, tables and counters as after p4m_create */

/* JSON: {schema, program, metadata: [{name, width}], digest: […], metadata_bytes, digest_bytes,
 * tables: [{name, size, keys: [{name, width, match}], actions: [{name, parameters: [{name, width}], in_entries,
 * as_default}], constant_entries, constant_default}], externs: [{name, kind, registers, width}]} */
const char* p4m_describe(p4m_model*);

void p4m_process(p4m_model*, const p4m_input*, p4m_output*);
/* Runs the `count` packets in turn, `total` in all; the number that went on. For measurements. */
uint64_t p4m_run(p4m_model*, const p4m_input*, size_t count, uint64_t total);

int p4m_table_add(p4m_model*, const char* table, const p4m_key* keys, size_t key_count, int64_t priority,
                  const char* action, const p4m_bytes* arguments, size_t argument_count);
int p4m_table_modify(p4m_model*, const char* table, const p4m_key* keys, size_t key_count, int64_t priority,
                     const char* action, const p4m_bytes* arguments, size_t argument_count);
int p4m_table_delete(p4m_model*, const char* table, const p4m_key* keys, size_t key_count, int64_t priority);
int p4m_table_clear(p4m_model*, const char* table);
int p4m_table_set_default(p4m_model*, const char* table, const char* action, const p4m_bytes* arguments,
                          size_t argument_count);
/* JSON: {entries: [{key: [["value", "second"]], priority, action, arguments: ["hex"]}], default: {action,
 * arguments}}, or null. Valid until the next call. */
const char* p4m_table_dump(p4m_model*, const char* table);

/* Registers of externs: register_bytes = (width + 7) / 8 bytes. */
int p4m_register_read(p4m_model*, const char* unit, uint64_t index, uint8_t* value);
int p4m_register_write(p4m_model*, const char* unit, uint64_t index, p4m_bytes value);

/* A setting of an extern's engine; `index` is that of the port where there is one for each port, else 0. */
int p4m_configure(p4m_model*, const char* unit, const char* setting, uint32_t index, uint64_t value);

/* JSON: {name: count}: packets, drop.<reason>, table.<name>.hit, table.<name>.miss, extern.<name>. Valid until the
 * next call. */
const char* p4m_counters(p4m_model*);

#ifdef __cplusplus
}
#endif

#endif
