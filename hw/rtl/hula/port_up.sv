// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Which ports are up: those whose link is, but for what the control plane takes out.
//
// Flow control: none; works every cycle, input_valid or not.
// Latency: LATENCY_CYCLES.
// Limits: none.
module port_up #(
    parameter int PORTS          = 4,  // 1 to 32
    parameter int LATENCY_CYCLES = 1   // 1 or more
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [PORTS-1:0] ports_up,  // port_up of switch_shell
    input wire logic [PORTS-1:0] cfg_down,  // ports that count as down

    input  wire logic             input_valid,
    output logic      [PORTS-1:0] up_result
);
  if (PORTS < 1 || PORTS > 32) begin : gen_check_ports
    $fatal(1, "PORTS must be 1 to 32 (instance %m)");
  end
  if (LATENCY_CYCLES < 1) begin : gen_check_latency
    $fatal(1, "LATENCY_CYCLES must be 1 or more (instance %m)");
  end

  pipeline_delay #(
      .BITS  (PORTS),
      .CYCLES(LATENCY_CYCLES)
  ) delay_inst (
      .clk,
      .rst,
      .in (ports_up & ~cfg_down),
      .out(up_result)
  );

  // What is shown passes no request.
  logic unused;
  assign unused = input_valid;
endmodule

`resetall
