// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// AXI-Lite from one clock to another, one access at a time.
//
// Flow control: an access is taken when the one before it has been answered and, for a write, address and data are
//   both there. Reads and writes that wait together take turns.
// Latency: two accesses' hand-over, each 2 to 3 cycles of the clock that it goes to, and as many to let go.
// Reset: of s_rst, an access under way is carried out and not answered; of m_rst, it is carried out again. Each reset
//   lasts for four cycles of the slower clock, or more.
// Limits: what s_axil_* asks for is carried out as long as m_axil_* answers; there is no time-out.
// Constraints: every `*_sync1_reg` is an asynchronous input, and the registers `request_reg` and `answer_reg` stand
//   still while the other side looks: set_max_delay -datapath_only of one period of the faster clock.
module axil_crossing #(
    parameter int ADDRESS_BITS = 12,  // 1 or more
    parameter int DATA_BITS    = 32   // 32 or 64
) (
    input wire logic s_clk,
    input wire logic s_rst,
    input wire logic m_clk,
    input wire logic m_rst,

    input  wire logic [ADDRESS_BITS-1:0] s_axil_awaddr,
    input  wire logic [             2:0] s_axil_awprot,
    input  wire logic                    s_axil_awvalid,
    output logic                         s_axil_awready,
    input  wire logic [   DATA_BITS-1:0] s_axil_wdata,
    input  wire logic [ DATA_BITS/8-1:0] s_axil_wstrb,
    input  wire logic                    s_axil_wvalid,
    output logic                         s_axil_wready,
    output logic      [             1:0] s_axil_bresp,
    output logic                         s_axil_bvalid,
    input  wire logic                    s_axil_bready,
    input  wire logic [ADDRESS_BITS-1:0] s_axil_araddr,
    input  wire logic [             2:0] s_axil_arprot,
    input  wire logic                    s_axil_arvalid,
    output logic                         s_axil_arready,
    output logic      [   DATA_BITS-1:0] s_axil_rdata,
    output logic      [             1:0] s_axil_rresp,
    output logic                         s_axil_rvalid,
    input  wire logic                    s_axil_rready,

    output logic      [ADDRESS_BITS-1:0] m_axil_awaddr,
    output logic      [             2:0] m_axil_awprot,
    output logic                         m_axil_awvalid,
    input  wire logic                    m_axil_awready,
    output logic      [   DATA_BITS-1:0] m_axil_wdata,
    output logic      [ DATA_BITS/8-1:0] m_axil_wstrb,
    output logic                         m_axil_wvalid,
    input  wire logic                    m_axil_wready,
    input  wire logic [             1:0] m_axil_bresp,
    input  wire logic                    m_axil_bvalid,
    output logic                         m_axil_bready,
    output logic      [ADDRESS_BITS-1:0] m_axil_araddr,
    output logic      [             2:0] m_axil_arprot,
    output logic                         m_axil_arvalid,
    input  wire logic                    m_axil_arready,
    input  wire logic [   DATA_BITS-1:0] m_axil_rdata,
    input  wire logic [             1:0] m_axil_rresp,
    input  wire logic                    m_axil_rvalid,
    output logic                         m_axil_rready
);
  if (ADDRESS_BITS < 1) begin : gen_check_address_bits
    $fatal(1, "ADDRESS_BITS must be 1 or more (instance %m)");
  end
  if (DATA_BITS != 32 && DATA_BITS != 64) begin : gen_check_data_bits
    $fatal(1, "DATA_BITS must be 32 or 64 (instance %m)");
  end

  typedef struct packed {
    logic                    is_write;
    logic [ADDRESS_BITS-1:0] address;
    logic [2:0]              protection;
    logic [DATA_BITS-1:0]    data;
    logic [DATA_BITS/8-1:0]  strobe;
  } request_t;

  typedef struct packed {
    logic [1:0]           response;
    logic [DATA_BITS-1:0] data;
  } answer_t;

  typedef enum logic [1:0] {
    STATE_WAITING,    // for an access, and for the other side to have let go of the one before
    STATE_ASKING,     // the other side is at it
    STATE_ANSWERING
  } s_state_t;

  // ---- the side that is asked

  s_state_t s_state_reg;
  request_t request_reg;
  logic     asking_reg;      // to the other clock: there is a request
  logic     read_next_reg;   // if both wait, the read is next
  answer_t  answer_reg;      // of the other clock
  logic     answered_reg;    // of the other clock: the request is done
  (* async_reg = "true" *)
  logic     answered_sync1_reg;
  (* async_reg = "true" *)
  logic     answered_sync2_reg;
  logic     idle;
  logic     write_waits;
  logic     take_read;
  logic     take_write;

  assign idle           = s_state_reg == STATE_WAITING && !answered_sync2_reg;
  assign write_waits    = s_axil_awvalid && s_axil_wvalid;
  assign take_read      = idle && s_axil_arvalid && (read_next_reg || !write_waits);
  assign take_write     = idle && write_waits && !take_read;
  assign s_axil_arready = take_read;
  assign s_axil_awready = take_write;
  assign s_axil_wready  = take_write;
  assign s_axil_bvalid  = s_state_reg == STATE_ANSWERING && request_reg.is_write;
  assign s_axil_rvalid  = s_state_reg == STATE_ANSWERING && !request_reg.is_write;
  assign s_axil_bresp   = answer_reg.response;
  assign s_axil_rresp   = answer_reg.response;
  assign s_axil_rdata   = answer_reg.data;

  always_ff @(posedge s_clk) begin
    answered_sync1_reg <= answered_reg;
    answered_sync2_reg <= answered_sync1_reg;
    case (s_state_reg)
      STATE_WAITING: begin
        if (take_write) begin
          request_reg <= '{1'b1, s_axil_awaddr, s_axil_awprot, s_axil_wdata, s_axil_wstrb};
        end
        if (take_read) begin
          request_reg <= '{1'b0, s_axil_araddr, s_axil_arprot, '0, '0};
        end
        if (take_write || take_read) begin
          s_state_reg   <= STATE_ASKING;
          asking_reg    <= 1'b1;
          read_next_reg <= take_write;
        end
      end
      STATE_ASKING: begin
        if (answered_sync2_reg) begin
          s_state_reg <= STATE_ANSWERING;
        end
      end
      default: begin
        if (request_reg.is_write ? s_axil_bready : s_axil_rready) begin
          s_state_reg <= STATE_WAITING;
          asking_reg  <= 1'b0;
        end
      end
    endcase
    if (s_rst) begin
      s_state_reg        <= STATE_WAITING;
      asking_reg         <= 1'b0;
      read_next_reg      <= 1'b0;
      answered_sync1_reg <= 1'b0;
      answered_sync2_reg <= 1'b0;
    end
  end

  // ---- the side that asks

  (* async_reg = "true" *)
  logic     asking_sync1_reg;
  (* async_reg = "true" *)
  logic     asking_sync2_reg;
  logic     busy_reg;       // an access is under way
  logic     abandoned_reg;  // and nobody waits for it any more
  request_t access_reg;
  logic     address_reg;    // the address has still to be taken
  logic     data_reg;       // the data of a write too
  logic     done;

  assign m_axil_awaddr  = access_reg.address;
  assign m_axil_araddr  = access_reg.address;
  assign m_axil_awprot  = access_reg.protection;
  assign m_axil_arprot  = access_reg.protection;
  assign m_axil_wdata   = access_reg.data;
  assign m_axil_wstrb   = access_reg.strobe;
  assign m_axil_awvalid = address_reg && access_reg.is_write;
  assign m_axil_arvalid = address_reg && !access_reg.is_write;
  assign m_axil_wvalid  = data_reg;
  assign m_axil_bready  = busy_reg && access_reg.is_write;
  assign m_axil_rready  = busy_reg && !access_reg.is_write;
  assign done           = access_reg.is_write ? m_axil_bvalid : m_axil_rvalid;

  always_ff @(posedge m_clk) begin
    asking_sync1_reg <= asking_reg;
    asking_sync2_reg <= asking_sync1_reg;
    if (!asking_sync2_reg) begin
      answered_reg <= 1'b0;
    end
    if (busy_reg) begin
      if (access_reg.is_write ? m_axil_awready : m_axil_arready) begin
        address_reg <= 1'b0;
      end
      if (m_axil_wready) begin
        data_reg <= 1'b0;
      end
      if (!asking_sync2_reg) begin
        abandoned_reg <= 1'b1;
      end
      if (done) begin
        busy_reg     <= 1'b0;
        answered_reg <= asking_sync2_reg && !abandoned_reg;
        answer_reg   <= '{access_reg.is_write ? m_axil_bresp : m_axil_rresp, m_axil_rdata};
      end
    end else if (asking_sync2_reg && !answered_reg) begin
      access_reg    <= request_reg;
      address_reg   <= 1'b1;
      data_reg      <= request_reg.is_write;
      busy_reg      <= 1'b1;
      abandoned_reg <= 1'b0;
    end
    if (m_rst) begin
      asking_sync1_reg <= 1'b0;
      asking_sync2_reg <= 1'b0;
      busy_reg         <= 1'b0;
      address_reg      <= 1'b0;
      data_reg         <= 1'b0;
      answered_reg     <= 1'b0;
    end
  end
endmodule

`resetall
