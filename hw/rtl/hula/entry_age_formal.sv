// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of entry_age, for entry_age.sby, by induction and so for any time: an entry that requests and visits see
// and drop as entry_age says looks to every request like one of which the time never wraps and that is never dropped.
//
// Ages are kept as such, from the module's own time back, so that no counter has to run on for ever.
module entry_age_formal #(
    parameter int TIME_BITS = 5  // as of entry_age
) (
    input wire logic                 clk,
    input wire logic                 tick,     // the module's own time goes on
    input wire logic                 request,
    input wire logic                 visit,
    input wire logic                 store,    // the request makes the entry anew
    input wire logic [TIME_BITS-1:0] lag,      // of its time behind the module's own
    input wire logic [TIME_BITS-2:0] timeout
);
  localparam int RANGE    = 2 ** TIME_BITS;
  localparam int QUARTER  = RANGE / 4;
  localparam int AGE_BITS = TIME_BITS + 2;

  typedef logic [TIME_BITS-1:0] tick_t;
  typedef logic [AGE_BITS-1:0]  age_t;

  logic  begun_reg = 1'b0;
  logic  valid_reg;
  tick_t made_reg;
  tick_t own_reg;
  tick_t since_reg;       // ticks since the entry was seen last
  tick_t lag_bound_reg;   // a packet's time never goes back
  logic  ever_reg;        // an entry was made
  age_t  age_reg;         // and so long ago; the greatest stays

  tick_t now;
  age_t  seen_age;  // by the request
  logic  there;
  logic  live;

  assign now      = own_reg - lag;
  assign seen_age = age_reg - age_t'(lag);

  entry_age #(
      .TIME_BITS(TIME_BITS)
  ) dut (
      .valid(valid_reg),
      .made (made_reg),
      .visit(!request),
      .seen (request ? now : own_reg),
      .limit(now - tick_t'(timeout)),
      .there,
      .live
  );

  always_ff @(posedge clk) begin
    begun_reg <= 1'b1;
    if (request || visit) begin
      valid_reg <= there || (request && store);
      since_reg <= tick_t'(tick);
    end else begin
      since_reg <= since_reg + tick_t'(tick);
    end
    if (request) begin
      lag_bound_reg <= lag + tick_t'(tick && lag != tick_t'(QUARTER));
    end else begin
      lag_bound_reg <= lag_bound_reg + tick_t'(tick && lag_bound_reg != tick_t'(QUARTER));
    end
    own_reg <= own_reg + tick_t'(tick);
    age_reg <= age_reg + age_t'(tick && age_reg != '1);
    if (request && store) begin
      made_reg <= now;
      ever_reg <= 1'b1;
      age_reg  <= age_t'(lag) + age_t'(tick);
    end
    if (!begun_reg) begin
      valid_reg     <= 1'b0;
      ever_reg      <= 1'b0;
      since_reg     <= '0;
      lag_bound_reg <= '0;
    end
  end

  always_comb begin
    assume (!request || !visit);
    assume (lag <= lag_bound_reg);
    // The sweeper comes round in a quarter of the range.
    assume (!tick || request || visit || since_reg < tick_t'(QUARTER));
    if (begun_reg) begin
      if (request) begin
        there_is_right : assert (there == (ever_reg && seen_age < age_t'(RANGE / 2)));
        live_is_right  : assert (live == (ever_reg && seen_age <= age_t'(timeout)));
      end
      // What induction needs besides.
      since_bounded : assert (since_reg <= tick_t'(QUARTER));
      lag_bounded   : assert (lag_bound_reg <= tick_t'(QUARTER));
      made_before   : assert (!ever_reg || age_reg >= age_t'(lag_bound_reg));
      not_wrapped   : assert (!valid_reg || (ever_reg && age_reg < age_t'(3 * QUARTER) + age_t'(since_reg)));
      time_kept     : assert (!valid_reg || made_reg == own_reg - tick_t'(age_reg));
      dropped_late  : assert (valid_reg || !ever_reg || age_reg - age_t'(lag_bound_reg) >= age_t'(RANGE / 2));
    end
  end
endmodule

`resetall
