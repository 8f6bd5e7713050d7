// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Whose packet goes next, fair by bytes: deficit round robin that keeps debts instead of looking at lengths first.
//
// Each visit to a port gives it QUANTUM_BYTES. It is served until it is in debt, which it keeps, or has no other packet,
// which ends its credit. Thus a port that always waits gets, between two visits, QUANTUM_BYTES on average.
// Flow control: none; the user says which beats of the chosen port pass, and serves no other.
// Latency: the choice is a register. It changes with the last beat of a packet, so that no cycle is lost between two
//   packets that wait; where the chosen port has nothing, a cycle later.
// Limits: a visit serves at least one packet, since a debt is smaller than a quantum; it serves at most
//   QUANTUM_BYTES, and one packet of MAX_PACKET_BYTES and one of a beat more. So a waiting port sees each other port
//   pass at most that before its turn. A packet of one beat is charged after the choice behind it.
module byte_scheduler
  import switch_pkg::*;
#(
    parameter int N_PORTS          = 6,     // 1 to 64
    parameter int DATA_BYTES       = 32,    // of a beat, 1 or more
    parameter int MAX_PACKET_BYTES = 1600,  // 1 or more
    parameter int QUANTUM_BYTES    = 2048   // MAX_PACKET_BYTES and a beat, or more, and below 65536
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [N_PORTS-1:0]                  request,  // a beat waits, which is of the packet that came last
                                                              // from this port or begins its next one
    input wire logic [N_PORTS-1:0]                  more,     // a whole packet waits behind that beat's packet
    input wire logic [N_PORTS-1:0][LENGTH_BITS-1:0] length,   // bytes of that beat's packet
    input wire logic                                pass,     // the chosen port's beat passes
    input wire logic                                last,     // it ends its packet

    output logic [index_bits(N_PORTS)-1:0] chosen,
    output logic                           first   // the chosen port's next beat begins a packet
);
  if (N_PORTS < 1 || N_PORTS > 64) begin : gen_check_n_ports
    $fatal(1, "N_PORTS must be 1 to 64 (instance %m)");
  end
  if (DATA_BYTES < 1) begin : gen_check_data_bytes
    $fatal(1, "DATA_BYTES must be 1 or more (instance %m)");
  end
  if (MAX_PACKET_BYTES < 1) begin : gen_check_max_packet_bytes
    $fatal(1, "MAX_PACKET_BYTES must be 1 or more (instance %m)");
  end
  if (QUANTUM_BYTES < MAX_PACKET_BYTES + DATA_BYTES || QUANTUM_BYTES >= 2 ** LENGTH_BITS) begin : gen_check_quantum_bytes
    $fatal(1, "QUANTUM_BYTES must be MAX_PACKET_BYTES and a beat, or more, and below 65536 (instance %m)");
  end

  typedef logic [index_bits(N_PORTS)-1:0] port_t;
  typedef logic signed [LENGTH_BITS+1:0] credit_t;

  port_t   chosen_reg;
  port_t   next;
  logic    above;      // next is above the chosen port
  logic    first_reg;
  logic    ends;
  logic    leave;      // the chosen port's visit ends
  credit_t [N_PORTS-1:0] credit_reg;
  logic    [N_PORTS-1:0] in_debt;

  assign chosen = chosen_reg;
  assign first  = first_reg;
  assign ends   = pass && last;

  always_comb begin
    for (int i = 0; i < N_PORTS; i++) begin
      in_debt[i] = credit_reg[i][LENGTH_BITS+1];
    end
  end

  // With nobody else waiting a visit of the chosen port follows its own.
  assign leave = ends ? in_debt[chosen_reg] || !more[chosen_reg] : first_reg && !request[chosen_reg] && |request;

  // The nearest waiting port above the chosen one, else the lowest, else the chosen one.
  always_comb begin
    next  = chosen_reg;
    above = 1'b0;
    for (int i = N_PORTS - 1; i >= 0; i--) begin
      if (request[i] && (port_t'(i) > chosen_reg || !above)) begin
        next  = port_t'(i);
        above = port_t'(i) > chosen_reg;
      end
    end
  end

  for (genvar i = 0; i < N_PORTS; i++) begin : gen_credit
    credit_t kept;    // what an earlier visit leaves to this one
    credit_t fresh;   // at the beginning of a visit
    logic    begins;  // a packet of this port does
    logic    visit;

    assign kept   = in_debt[i] ? credit_reg[i] : credit_t'(0);
    assign fresh  = kept + credit_t'(QUANTUM_BYTES);
    assign begins = pass && first_reg && chosen_reg == port_t'(i);
    assign visit  = leave && next == port_t'(i);

    // All four sums at once: what chooses among them comes late.
    always_ff @(posedge clk) begin
      case ({visit, begins})
        2'b00:   credit_reg[i] <= credit_reg[i];
        2'b01:   credit_reg[i] <= credit_reg[i] - credit_t'({2'b0, length[i]});
        2'b10:   credit_reg[i] <= fresh;
        default: credit_reg[i] <= fresh - credit_t'({2'b0, length[i]});
      endcase
      if (rst) begin
        credit_reg[i] <= '0;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (leave) begin
      chosen_reg <= next;
    end
    if (pass) begin
      first_reg <= last;
    end
    if (rst) begin
      chosen_reg <= '0;
      first_reg  <= 1'b1;
    end
  end
endmodule

`resetall
