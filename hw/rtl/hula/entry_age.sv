// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The age of an entry of which a row keeps the time, modulo two to the power of TIME_BITS: is it there, is it live?
//
// Seen by a request, an entry is there while its age is below half of that range, and live while its age is not above
// the time-out, which is below half the range too. A sweeper visits it with the module's own time, and drops it from
// three quarters on: a request's time may be a quarter older than that, and another quarter is the sweeper's for its
// round. So an entry that a request or a visit drops is there for no later request, and none lives to see its age wrap.
//
// Flow control: none.
// Latency: none, combinational: two sums side by side, and a LUT.
// Limits: a request's time is at most a quarter of the range behind the module's own, and never goes back. Whoever sees the entry, a request too, drops it if it is not there.
module entry_age #(
    parameter int TIME_BITS = 16  // bits of a time, 3 or more
) (
    input wire logic                 valid,      // there is an entry
    input wire logic [TIME_BITS-1:0] made,       // its time
    input wire logic                 visit,      // by the sweeper, not a request
    input wire logic [TIME_BITS-1:0] seen,       // the request's time, or the module's own
    input wire logic [TIME_BITS-1:0] limit,      // the request's time less the time-out: the oldest that is live

    output logic there,
    output logic live  // at a visit of no meaning
);
  if (TIME_BITS < 3) begin : gen_check_time_bits
    $fatal(1, "TIME_BITS must be 3 or more (instance %m)");
  end

  logic [TIME_BITS-1:0] age;
  logic [TIME_BITS-1:0] rest;  // of the time-out; its top bit is set, below half of the range of age, if there is none

  assign age   = seen - made;
  assign rest  = made - limit;
  assign there = valid && !(age[TIME_BITS-1] && (age[TIME_BITS-2] || !visit));
  assign live  = valid && !age[TIME_BITS-1] && !rest[TIME_BITS-1];

  // Of both sums only the top is looked at.
  logic unused;
  assign unused = ^{age[TIME_BITS-3:0], rest[TIME_BITS-2:0]};
endmodule

`resetall
