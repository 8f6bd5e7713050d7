// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// What all register externs are: one of two operations, each on a register, as a comparison with a register decides.
//
// Operation 1 is done where `compared RELATION register` holds, else operation 2. The codes are P4-NetFPGA's:
//   operations READ 0, WRITE 1, ADD 2, SUB 3, NULL 4, READ_WRITE 5, ADD_SAT 6, SUB_SAT 7, others are NULL;
//   relations EQ 0, NEQ 1, GT 2, LT 3, others never hold; values are unsigned.
// Every request sees what all earlier ones have left, as if they were done one after the other.
//
//   request ─► memory ─► operands: memory, or a request that is under way ─► compare, operate ─► result, memory
//
// Flow control: none for requests, one every cycle; commands of the control plane by valid and ready, one at a time.
// Latency: LATENCY_CYCLES from a request to its result, at least extern_pkg::register_latency; a shorter engine's
//   result waits. A command is answered within READS + 3 cycles whatever the packets do; CLEAR takes up to READS + 2
//   cycles a register.
// Limits: a command stands between two requests: before it are all whose result could be seen when it was taken, after
//   it all that are made from the cycle after it was taken on. CLEAR is one such command for each register. After rst
//   all registers are cleared one by one; until then, as long as control_ready is low, they read as zero and keep
//   nothing: who must not lose a count holds the packets back until control_ready is high once. Without input_valid
//   the result means nothing.
module register_engine
  import extern_pkg::*;
#(
    parameter int INDEX_BITS = 10,  // bits of an index, from 1 to 16: there are two to their power registers
    parameter int VALUE_BITS = 32,  // bits of a register, 1 or more
    parameter int READS = 1,  // 1: index[0] is the register of both operations and of the comparison; 3: of operation
                              // 2, index[1] of operation 1, index[2] of the comparison
    parameter bit RESULT_AFTER = 1'b0,  // 1: the result is the register afterwards; 0: but before READ_WRITE, zero of NULL
    parameter int DISTRIBUTED_WORDS = 64,  // registers up to which the memory is distributed RAM, 1 or more
    parameter int LATENCY_CYCLES = register_latency(INDEX_BITS, DISTRIBUTED_WORDS)  // that much or more
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic                             input_valid,
    input  wire logic [READS-1:0][INDEX_BITS-1:0] index,
    input  wire logic [VALUE_BITS-1:0]            new_value_2,
    input  wire logic [VALUE_BITS-1:0]            increment_2,
    input  wire logic [7:0]                       operation_2,
    input  wire logic [VALUE_BITS-1:0]            new_value_1,
    input  wire logic [VALUE_BITS-1:0]            increment_1,
    input  wire logic [7:0]                       operation_1,
    input  wire logic [VALUE_BITS-1:0]            compared,
    input  wire logic [7:0]                       relation,
    output logic      [VALUE_BITS-1:0]            result,
    output logic                                  holds_result,

    input  wire logic                  control_valid,
    output logic                       control_ready,
    input  wire control_op_t           control_op,
    input  wire logic [INDEX_BITS-1:0] control_index,
    input  wire logic [VALUE_BITS-1:0] control_value,

    output logic                  status_valid,
    output logic [VALUE_BITS-1:0] status_value
);
  // INDEX_BITS, VALUE_BITS, READS and DISTRIBUTED_WORDS are checked by register_memory.
  if (LATENCY_CYCLES < register_latency(INDEX_BITS, DISTRIBUTED_WORDS)) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be %0d or more (instance %m)", register_latency(INDEX_BITS, DISTRIBUTED_WORDS));
  end

  localparam int MEMORY_CYCLES = memory_cycles(INDEX_BITS, DISTRIBUTED_WORDS);
  localparam int WAITS         = LATENCY_CYCLES - register_latency(INDEX_BITS, DISTRIBUTED_WORDS);
  localparam int WRITE_STEPS   = MEMORY_CYCLES == 1 ? 1 : READS + 1;
  // Requests whose value was not in the memory when an operand was read, the one just ahead aside.
  localparam int RECENT = MEMORY_CYCLES + 1;
  localparam int AT_2   = 0;
  localparam int AT_1   = READS > 1 ? 1 : 0;
  localparam int AT_COMPARED = READS - 1;

  localparam logic [7:0] OP_READ       = 8'd0;
  localparam logic [7:0] OP_WRITE      = 8'd1;
  localparam logic [7:0] OP_ADD        = 8'd2;
  localparam logic [7:0] OP_SUB        = 8'd3;
  localparam logic [7:0] OP_NULL       = 8'd4;
  localparam logic [7:0] OP_READ_WRITE = 8'd5;
  localparam logic [7:0] OP_ADD_SAT    = 8'd6;
  localparam logic [7:0] OP_SUB_SAT    = 8'd7;

  localparam logic [7:0] RELATION_EQ  = 8'd0;
  localparam logic [7:0] RELATION_NEQ = 8'd1;
  localparam logic [7:0] RELATION_GT  = 8'd2;
  localparam logic [7:0] RELATION_LT  = 8'd3;

  typedef logic [INDEX_BITS-1:0] index_t;
  typedef logic [VALUE_BITS-1:0] value_t;

  // As in register_sum.
  typedef struct packed {
    value_t summand;
    logic   carry;
    logic   limit_high;
    logic   limit_low;
    logic   replaces;
    value_t replacement;
    logic   hides;
    value_t disguise;
  } operation_t;

  typedef struct packed {
    logic [7:0] code;
    value_t     new_value;
    value_t     increment;
  } asked_t;

  typedef struct packed {
    index_t [READS-1:0] index;
    asked_t             operation_1;
    asked_t             operation_2;
    value_t             compared;
    logic [7:0]         relation;
  } request_t;

  typedef struct packed {
    logic   stored;
    index_t index;
    value_t value;
  } recent_t;

  function automatic operation_t decoded(input asked_t asked);
    operation_t made;
    made = '0;
    case (asked.code)
      OP_READ: ;
      OP_WRITE, OP_READ_WRITE: begin
        made.replaces    = 1'b1;
        made.replacement = asked.new_value;
        made.hides       = asked.code == OP_WRITE || RESULT_AFTER;
        made.disguise    = made.hides ? asked.new_value : '0;
      end
      OP_ADD, OP_ADD_SAT: begin
        made.summand    = asked.increment;
        made.limit_high = asked.code == OP_ADD_SAT;
      end
      OP_SUB, OP_SUB_SAT: begin
        made.summand   = ~asked.increment;
        made.carry     = 1'b1;
        made.limit_low = asked.code == OP_SUB_SAT;
      end
      default: made.hides = !RESULT_AFTER;
    endcase
    return made;
  endfunction

  function automatic logic stores(input logic [7:0] code);
    return code != OP_READ && code != OP_NULL && code <= OP_SUB_SAT;
  endfunction

  // ---- the request, while its words are read

  request_t request;
  request_t request_reg [MEMORY_CYCLES];
  request_t ready;  // the request whose words are there
  logic     live;
  logic     live_reg [MEMORY_CYCLES];
  logic     ready_live;
  logic     swept_reg;

  // The request whose words come in the next cycle.
  index_t [READS-1:0] early_index;
  logic               early_live;

  assign request.index       = index;
  assign request.operation_1 = '{code: operation_1, new_value: new_value_1, increment: increment_1};
  assign request.operation_2 = '{code: operation_2, new_value: new_value_2, increment: increment_2};
  assign request.compared    = compared;
  assign request.relation    = relation;
  assign live                = input_valid && swept_reg;
  assign ready               = request_reg[MEMORY_CYCLES-1];
  assign ready_live          = live_reg[MEMORY_CYCLES-1];
  if (MEMORY_CYCLES == 1) begin : gen_early_now
    assign early_index = index;
    assign early_live  = live;
  end else begin : gen_early_register
    assign early_index = request_reg[0].index;
    assign early_live  = live_reg[0];
  end

  always_ff @(posedge clk) begin
    request_reg[0] <= request;
    live_reg[0]    <= live;
    for (int i = 1; i < MEMORY_CYCLES; i++) begin
      request_reg[i] <= request_reg[i-1];
      live_reg[i]    <= live_reg[i-1];
    end
    if (rst) begin
      for (int i = 0; i < MEMORY_CYCLES; i++) live_reg[i] <= 1'b0;
    end
  end

  // ---- a control write, from the cycle in which it takes its place among the requests until all memory has it

  logic   taking;   // its first cycle: requests from `early` on are after it, the others before
  logic   holding;  // taking, or not yet in all memory
  index_t held_index_reg;
  value_t held_value_reg;

  // ---- operands

  value_t [READS-1:0] word;
  value_t [READS-1:0] operand;
  value_t [READS-1:0] operand_reg;
  logic   [READS-1:0] near_reg;    // the request just ahead has stored to this register
  logic   [READS-1:0] held_reg;    // the control write is newer than the memory
  logic   [READS-1:0][RECENT-1:0] recent_hit_reg;

  index_t [READS-1:0] executed_index_reg;
  operation_t         executed_1_reg;
  operation_t         executed_2_reg;
  logic               may_store_1_reg;  // there is something to store, and no control write has come after it
  logic               may_store_2_reg;
  value_t             executed_compared_reg;
  logic               if_equal_reg;     // the relation holds where the compared value is the register
  logic               if_above_reg;     // is above it
  logic               if_below_reg;
  logic               holds;
  value_t             stored;
  recent_t            recent_reg [RECENT];  // the latest first

  function automatic logic is_held(input index_t at);
    return holding && at == held_index_reg;
  endfunction

  function automatic logic is_overruled(input index_t at);
    return taking && at == held_index_reg;
  endfunction

  function automatic logic stores_now(input index_t at);
    return holds ? may_store_1_reg && executed_index_reg[AT_1] == at :
        may_store_2_reg && executed_index_reg[AT_2] == at;
  endfunction

  always_comb begin
    for (int i = 0; i < READS; i++) begin
      operand[i] = ready_live ? word[i] : '0;
      if (held_reg[i]) operand[i] = held_value_reg;
      for (int age = RECENT - 1; age >= 0; age--) begin
        if (recent_hit_reg[i][age]) operand[i] = recent_reg[age].value;
      end
    end
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < READS; i++) begin
      held_reg[i]          <= early_live && is_held(early_index[i]);
      recent_hit_reg[i][0] <= early_live && stores_now(early_index[i]) && !is_overruled(early_index[i]);
      for (int age = 1; age < RECENT; age++) begin
        recent_hit_reg[i][age] <= early_live && recent_reg[age-1].stored &&
            recent_reg[age-1].index == early_index[i] && !is_overruled(early_index[i]);
      end
      near_reg[i] <= ready_live && stores_now(ready.index[i]);
    end
    operand_reg           <= operand;
    executed_index_reg    <= ready.index;
    executed_1_reg        <= decoded(ready.operation_1);
    executed_2_reg        <= decoded(ready.operation_2);
    executed_compared_reg <= ready.compared;
    if_equal_reg          <= ready.relation == RELATION_EQ;
    if_above_reg          <= ready.relation == RELATION_NEQ || ready.relation == RELATION_GT;
    if_below_reg          <= ready.relation == RELATION_NEQ || ready.relation == RELATION_LT;
    may_store_1_reg       <= ready_live && stores(ready.operation_1.code) && !is_overruled(ready.index[AT_1]);
    may_store_2_reg       <= ready_live && stores(ready.operation_2.code) && !is_overruled(ready.index[AT_2]);
    if (rst) begin
      // Which keeps them from becoming shift-register LUTs: they are slow at their output.
      executed_index_reg    <= '0;
      executed_compared_reg <= '0;
      may_store_1_reg <= 1'b0;
      may_store_2_reg <= 1'b0;
    end
  end

  // ---- compare, operate

  localparam int SEGMENT_BITS = 32;  // that are compared in one carry chain
  localparam int SEGMENTS     = (VALUE_BITS + SEGMENT_BITS - 1) / SEGMENT_BITS;

  typedef logic [SEGMENTS*SEGMENT_BITS-1:0] segments_t;

  value_t [READS-1:0] old;
  value_t stored_1;
  value_t stored_2;
  value_t shown_1;
  value_t shown_2;

  for (genvar i = 0; i < READS; i++) begin : gen_old
    assign old[i] = near_reg[i] ? recent_reg[0].value : operand_reg[i];
  end

  register_sum #(
      .VALUE_BITS(VALUE_BITS)
  ) sum_1_inst (
      .old        (old[AT_1]),
      .summand    (executed_1_reg.summand),
      .carry      (executed_1_reg.carry),
      .limit_high (executed_1_reg.limit_high),
      .limit_low  (executed_1_reg.limit_low),
      .replaces   (executed_1_reg.replaces),
      .replacement(executed_1_reg.replacement),
      .hides      (executed_1_reg.hides),
      .disguise   (executed_1_reg.disguise),
      .stored     (stored_1),
      .shown      (shown_1)
  );

  register_sum #(
      .VALUE_BITS(VALUE_BITS)
  ) sum_2_inst (
      .old        (old[AT_2]),
      .summand    (executed_2_reg.summand),
      .carry      (executed_2_reg.carry),
      .limit_high (executed_2_reg.limit_high),
      .limit_low  (executed_2_reg.limit_low),
      .replaces   (executed_2_reg.replaces),
      .replacement(executed_2_reg.replacement),
      .hides      (executed_2_reg.hides),
      .disguise   (executed_2_reg.disguise),
      .stored     (stored_2),
      .shown      (shown_2)
  );

  segments_t compared_segments;
  segments_t old_segments;
  logic      above;
  logic      equal;

  assign compared_segments = segments_t'({1'b0, executed_compared_reg});
  assign old_segments      = segments_t'({1'b0, old[AT_COMPARED]});

  always_comb begin
    above = 1'b0;
    equal = 1'b1;
    for (int i = 0; i < SEGMENTS; i++) begin
      if (compared_segments[SEGMENT_BITS*i+:SEGMENT_BITS] != old_segments[SEGMENT_BITS*i+:SEGMENT_BITS]) begin
        above = compared_segments[SEGMENT_BITS*i+:SEGMENT_BITS] > old_segments[SEGMENT_BITS*i+:SEGMENT_BITS];
        equal = 1'b0;
      end
    end
    holds  = equal ? if_equal_reg : above ? if_above_reg : if_below_reg;
    stored = holds ? stored_1 : stored_2;
  end

  value_t result_reg;
  logic   holds_reg;

  always_ff @(posedge clk) begin
    holds_reg            <= holds;
    result_reg           <= holds ? shown_1 : shown_2;
    recent_reg[0].value  <= stored;
    recent_reg[0].index  <= holds ? executed_index_reg[AT_1] : executed_index_reg[AT_2];
    recent_reg[0].stored <= holds ? may_store_1_reg && !is_overruled(executed_index_reg[AT_1]) :
        may_store_2_reg && !is_overruled(executed_index_reg[AT_2]);
    for (int age = 1; age < RECENT; age++) begin
      recent_reg[age]        <= recent_reg[age-1];
      recent_reg[age].stored <= recent_reg[age-1].stored && !is_overruled(recent_reg[age-1].index);
    end
    if (rst) begin
      for (int age = 0; age < RECENT; age++) recent_reg[age].stored <= 1'b0;
    end
  end

  if (WAITS == 0) begin : gen_result
    assign result       = result_reg;
    assign holds_result = holds_reg;
  end else begin : gen_late_result
    pipeline_delay #(
        .BITS  (VALUE_BITS + 1),
        .CYCLES(WAITS)
    ) delay_inst (
        .clk,
        .rst,
        .in ({holds_reg, result_reg}),
        .out({holds_result, result})
    );
  end

  // ---- the control plane

  typedef enum logic [2:0] {
    STATE_TAKING,    // the control write takes its place among the requests
    STATE_WRITING,   // it goes into the memory
    STATE_WAITING,   // for a command
    STATE_READING,
    STATE_ANSWERING
  } state_t;

  localparam int WAIT_BITS = 2;

  state_t               state_reg;
  logic [WAIT_BITS-1:0] wait_reg;  // cycles that the state goes on
  logic                 clearing_reg;
  value_t               status_value_reg;
  logic                 control_write;
  logic                 overtaken;
  value_t               control_word;

  assign taking        = state_reg == STATE_TAKING;
  assign holding       = taking || state_reg == STATE_WRITING;
  assign overtaken     = recent_reg[0].stored && recent_reg[0].index == held_index_reg;
  assign control_write = state_reg == STATE_WRITING && !overtaken;
  assign control_ready = state_reg == STATE_WAITING;
  assign status_valid  = state_reg == STATE_ANSWERING;
  assign status_value  = status_value_reg;

  register_memory #(
      .INDEX_BITS       (INDEX_BITS),
      .VALUE_BITS       (VALUE_BITS),
      .READS            (READS),
      .DISTRIBUTED_WORDS(DISTRIBUTED_WORDS)
  ) memory_inst (
      .clk,
      .rst,
      .read_index        (index),
      .read_word         (word),
      .write             (recent_reg[0].stored),
      .write_index       (recent_reg[0].index),
      .write_word        (recent_reg[0].value),
      .control_write,
      .control_index     (held_index_reg),
      .control_write_word(held_value_reg),
      .control_word
  );

  always_ff @(posedge clk) begin
    wait_reg <= wait_reg - 1'b1;
    case (state_reg)
      STATE_TAKING: begin
        wait_reg  <= WAIT_BITS'(unsigned'(WRITE_STEPS - 1));
        state_reg <= STATE_WRITING;
      end

      STATE_WRITING: begin
        if (overtaken || wait_reg == 0) begin
          if (clearing_reg && !(&held_index_reg)) begin
            held_index_reg <= held_index_reg + 1'b1;
            state_reg      <= STATE_TAKING;
          end else begin
            swept_reg <= 1'b1;
            state_reg <= swept_reg ? STATE_ANSWERING : STATE_WAITING;
          end
        end
      end

      STATE_WAITING: begin
        clearing_reg   <= control_op == CONTROL_CLEAR;
        held_index_reg <= control_op == CONTROL_CLEAR ? '0 : control_index;
        held_value_reg <= control_op == CONTROL_CLEAR ? '0 : control_value;
        wait_reg       <= WAIT_BITS'(unsigned'(MEMORY_CYCLES));
        if (control_valid) begin
          state_reg <= control_op == CONTROL_WRITE || control_op == CONTROL_CLEAR ? STATE_TAKING : STATE_READING;
        end
      end

      STATE_READING: begin
        status_value_reg <= overtaken ? recent_reg[0].value : control_word;
        if (overtaken || wait_reg == 0) begin
          state_reg <= STATE_ANSWERING;
        end
      end

      default: state_reg <= STATE_WAITING;
    endcase

    if (rst) begin
      clearing_reg   <= 1'b1;
      held_index_reg <= '0;
      held_value_reg <= '0;
      swept_reg      <= 1'b0;
      state_reg      <= STATE_TAKING;
    end
  end
endmodule

`resetall
