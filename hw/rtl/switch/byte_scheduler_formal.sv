// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of byte_scheduler, for byte_scheduler.sby, by induction: packets do not mix, a waiting port sees each
// other port pass once before its turn, a visit takes no more than the header says, and no cycle is lost for nothing.
module byte_scheduler_formal
  import switch_pkg::*;
#(
    parameter int N_PORTS          = 3,  // as of byte_scheduler, 2 or more
    parameter int DATA_BYTES       = 2,  // as of byte_scheduler
    parameter int MAX_PACKET_BYTES = 7,  // as of byte_scheduler
    parameter int QUANTUM_BYTES    = 9   // as of byte_scheduler
) (
    input wire logic                                clk,
    input wire logic                                rst,
    input wire logic [N_PORTS-1:0]                  request,
    input wire logic [N_PORTS-1:0]                  more,
    input wire logic [N_PORTS-1:0][LENGTH_BITS-1:0] length,
    input wire logic                                ready,
    input wire logic                                last
);
  localparam int ID_BITS = $clog2(N_PORTS);

  typedef logic signed [LENGTH_BITS+1:0] credit_t;

  logic [ID_BITS-1:0] chosen;
  logic first, pass;

  assign pass = ready && request[chosen];

  byte_scheduler #(
      .N_PORTS         (N_PORTS),
      .DATA_BYTES      (DATA_BYTES),
      .MAX_PACKET_BYTES(MAX_PACKET_BYTES),
      .QUANTUM_BYTES   (QUANTUM_BYTES)
  ) dut (
      .clk,
      .rst,
      .request,
      .more,
      .length,
      .pass,
      .last,
      .chosen,
      .first
  );

  logic begun_reg = 1'b0;
  logic inside_reg;  // a packet has begun to pass and not ended
  logic [ID_BITS-1:0] inside_id_reg;
  logic [N_PORTS-1:0] waited_reg;
  logic [N_PORTS-1:0][N_PORTS-1:0] visited_reg;  // [i][j]: j was served while i waited, and its visit has ended
  logic idle_reg;  // nothing passed although a port waited and the output was ready
  logic [LENGTH_BITS+1:0] taken_reg;  // bytes of this visit
  logic leaves;  // a visit ends, another begins
  logic begins;

  assign leaves = dut.leave;
  assign begins = pass && first;

  always_ff @(posedge clk) begin
    begun_reg  <= 1'b1;
    waited_reg <= request & ~(N_PORTS'(pass) << chosen);
    idle_reg   <= ready && !pass && |request;
    if (pass) begin
      inside_reg    <= !last;
      inside_id_reg <= chosen;
    end
    taken_reg <= leaves ? '0 : taken_reg + (begins ? (LENGTH_BITS + 2)'(length[chosen]) : '0);
    for (int i = 0; i < N_PORTS; i++) begin
      if (!request[i] || ID_BITS'(i) == chosen) begin
        visited_reg[i] <= '0;
      end else if (leaves) begin
        visited_reg[i][chosen] <= 1'b1;
      end
    end
    if (rst) begin
      inside_reg  <= 1'b0;
      waited_reg  <= '0;
      idle_reg    <= 1'b0;
      taken_reg   <= '0;
      visited_reg <= '0;
    end
  end

  // How many turns from the chosen port to this one.
  logic [N_PORTS-1:0][ID_BITS:0] turns;

  for (genvar i = 0; i < N_PORTS; i++) begin : gen_port
    assign turns[i] = chosen > ID_BITS'(i) ? (ID_BITS + 1)'(i + N_PORTS) - (ID_BITS + 1)'(chosen)
        : (ID_BITS + 1)'(i) - (ID_BITS + 1)'(chosen);

    always_comb begin
      // A beat that waits goes on waiting, and is of a packet of the promised lengths.
      assume (!waited_reg[i] || request[i]);
      assume (length[i] >= 1 && length[i] <= LENGTH_BITS'(MAX_PACKET_BYTES));
      if (begun_reg) begin
        credit_is_bounded :  assert (dut.credit_reg[i] <= credit_t'(QUANTUM_BYTES)
            && dut.credit_reg[i] >= -credit_t'(MAX_PACKET_BYTES + DATA_BYTES));
        one_visit_each :     assert (!(request[i] && ID_BITS'(i) != chosen) || !visited_reg[i][chosen]);
      end
    end

    // What induction needs: whoever has had a visit lies behind this port, seen from the chosen one.
    for (genvar j = 0; j < N_PORTS; j++) begin : gen_other
      always_comb begin
        if (begun_reg) begin
          visited_are_behind : assert (!visited_reg[i][j] || (j != i && (ID_BITS'(i) == chosen || turns[j] > turns[i])));
        end
      end
    end
  end

  always_comb begin
    assume (begun_reg || rst);
    // A packet that begins with its last beat is not longer than a beat.
    assume (!(begins && last) || length[chosen] <= LENGTH_BITS'(DATA_BYTES));
    if (begun_reg) begin
      chosen_in_range :    assert (int'(chosen) < N_PORTS);
      first_agrees :       assert (first == !inside_reg);
      not_mixed :          assert (!inside_reg || chosen == inside_id_reg);
      visit_is_bounded :   assert (taken_reg <= (LENGTH_BITS + 2)'(QUANTUM_BYTES + MAX_PACKET_BYTES + DATA_BYTES));
      one_idle_cycle :     assert (!(idle_reg && !inside_reg) || request[chosen]);
      // What induction needs to know of the inside.
      served_from_credit : assert (credit_t'(taken_reg) + dut.credit_reg[chosen] <= credit_t'(QUANTUM_BYTES));
      little_debt_between : assert (inside_reg || dut.credit_reg[chosen] >= -credit_t'(DATA_BYTES));
    end
  end
endmodule

`resetall
