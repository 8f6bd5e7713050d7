// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// AXI-Lite to two sides: accesses whose address lies in a window go to one, all others to the other.
//
// Flow control: a write and a read at a time, neither waits for the other; the next is taken when the one before it
//   has been answered. Address and data of a write are taken as they come, and passed on when both are there. An
//   answer is taken from the side that was asked, once it has taken the request.
// Latency: a cycle to pass on what was taken, and a cycle to pass on the answer; an access takes four or more.
// Reset: what is under way is forgotten on both sides. Whoever is asked has to be reset with it, or answers the next
//   access with what belongs to this one.
// Limits: there is no time-out: a side that does not answer holds up all that comes after, also for the other side.
//   No address is refused, and none is altered but for what an address in the window loses: the bits above the window.
module axil_split #(
    parameter int ADDRESS_BITS = 23,       // of s_axil_* and m_axil_rest_*
    parameter int WINDOW_BITS  = 12,       // of an address in the window, 2 to ADDRESS_BITS - 1
    parameter int WINDOW_BASE  = 'h2_0000  // address where the window begins, a multiple of its size
) (
    input wire logic clk,
    input wire logic rst,

    input  wire logic [ADDRESS_BITS-1:0] s_axil_awaddr,
    input  wire logic [             2:0] s_axil_awprot,
    input  wire logic                    s_axil_awvalid,
    output logic                         s_axil_awready,
    input  wire logic [            31:0] s_axil_wdata,
    input  wire logic [             3:0] s_axil_wstrb,
    input  wire logic                    s_axil_wvalid,
    output logic                         s_axil_wready,
    output logic      [             1:0] s_axil_bresp,
    output logic                         s_axil_bvalid,
    input  wire logic                    s_axil_bready,
    input  wire logic [ADDRESS_BITS-1:0] s_axil_araddr,
    input  wire logic [             2:0] s_axil_arprot,
    input  wire logic                    s_axil_arvalid,
    output logic                         s_axil_arready,
    output logic      [            31:0] s_axil_rdata,
    output logic      [             1:0] s_axil_rresp,
    output logic                         s_axil_rvalid,
    input  wire logic                    s_axil_rready,

    output logic      [WINDOW_BITS-1:0] m_axil_window_awaddr,
    output logic      [            2:0] m_axil_window_awprot,
    output logic                        m_axil_window_awvalid,
    input  wire logic                   m_axil_window_awready,
    output logic      [           31:0] m_axil_window_wdata,
    output logic      [            3:0] m_axil_window_wstrb,
    output logic                        m_axil_window_wvalid,
    input  wire logic                   m_axil_window_wready,
    input  wire logic [            1:0] m_axil_window_bresp,
    input  wire logic                   m_axil_window_bvalid,
    output logic                        m_axil_window_bready,
    output logic      [WINDOW_BITS-1:0] m_axil_window_araddr,
    output logic      [            2:0] m_axil_window_arprot,
    output logic                        m_axil_window_arvalid,
    input  wire logic                   m_axil_window_arready,
    input  wire logic [           31:0] m_axil_window_rdata,
    input  wire logic [            1:0] m_axil_window_rresp,
    input  wire logic                   m_axil_window_rvalid,
    output logic                        m_axil_window_rready,

    output logic      [ADDRESS_BITS-1:0] m_axil_rest_awaddr,
    output logic      [             2:0] m_axil_rest_awprot,
    output logic                         m_axil_rest_awvalid,
    input  wire logic                    m_axil_rest_awready,
    output logic      [            31:0] m_axil_rest_wdata,
    output logic      [             3:0] m_axil_rest_wstrb,
    output logic                         m_axil_rest_wvalid,
    input  wire logic                    m_axil_rest_wready,
    input  wire logic [             1:0] m_axil_rest_bresp,
    input  wire logic                    m_axil_rest_bvalid,
    output logic                         m_axil_rest_bready,
    output logic      [ADDRESS_BITS-1:0] m_axil_rest_araddr,
    output logic      [             2:0] m_axil_rest_arprot,
    output logic                         m_axil_rest_arvalid,
    input  wire logic                    m_axil_rest_arready,
    input  wire logic [            31:0] m_axil_rest_rdata,
    input  wire logic [             1:0] m_axil_rest_rresp,
    input  wire logic                    m_axil_rest_rvalid,
    output logic                         m_axil_rest_rready
);
  if (WINDOW_BITS < 2 || WINDOW_BITS >= ADDRESS_BITS) begin : gen_check_window_bits
    $fatal(1, "WINDOW_BITS must be 2 to ADDRESS_BITS - 1 (instance %m)");
  end
  if ((WINDOW_BASE >> WINDOW_BITS) << WINDOW_BITS != WINDOW_BASE) begin : gen_check_window_base
    $fatal(1, "WINDOW_BASE must be a multiple of 2 ** WINDOW_BITS (instance %m)");
  end
  if (WINDOW_BASE < 0 || WINDOW_BASE >> ADDRESS_BITS != 0) begin : gen_check_window_end
    $fatal(1, "WINDOW_BASE must be an address of ADDRESS_BITS (instance %m)");
  end

  localparam int WINDOW_NUMBER = WINDOW_BASE >> WINDOW_BITS;  // if the addresses are cut into pieces of its size

  typedef logic [ADDRESS_BITS-1:0] address_t;

  typedef enum logic [1:0] {
    STATE_TAKING,    // the request
    STATE_ASKING,    // the side has not taken all of the request
    STATE_WAITING,   // for the side's answer
    STATE_ANSWERING
  } state_t;

  function automatic logic in_window(address_t address);
    return address >> WINDOW_BITS == address_t'(WINDOW_NUMBER);
  endfunction

  // ---- writes

  state_t      write_state_reg;
  address_t    write_address_reg;
  logic [ 2:0] write_protection_reg;
  logic        write_window_reg;      // the window is asked
  logic [31:0] write_data_reg;
  logic [ 3:0] write_strobe_reg;
  logic [ 1:0] write_response_reg;
  logic        address_here_reg;      // taken and not passed on
  logic        data_here_reg;
  logic        address_here_next;
  logic        data_here_next;
  logic        window_asked_write;
  logic        rest_asked_write;
  logic        address_passes;
  logic        data_passes;
  logic        write_answered;

  assign s_axil_awready        = write_state_reg == STATE_TAKING && !address_here_reg;
  assign s_axil_wready         = write_state_reg == STATE_TAKING && !data_here_reg;
  assign s_axil_bvalid         = write_state_reg == STATE_ANSWERING;
  assign s_axil_bresp          = write_response_reg;

  assign window_asked_write    = write_state_reg == STATE_ASKING && write_window_reg;
  assign m_axil_window_awaddr  = WINDOW_BITS'(write_address_reg);
  assign m_axil_window_awprot  = write_protection_reg;
  assign m_axil_window_awvalid = window_asked_write && address_here_reg;
  assign m_axil_window_wdata   = write_data_reg;
  assign m_axil_window_wstrb   = write_strobe_reg;
  assign m_axil_window_wvalid  = window_asked_write && data_here_reg;
  assign m_axil_window_bready  = write_state_reg == STATE_WAITING && write_window_reg;

  assign rest_asked_write      = write_state_reg == STATE_ASKING && !write_window_reg;
  assign m_axil_rest_awaddr    = write_address_reg;
  assign m_axil_rest_awprot    = write_protection_reg;
  assign m_axil_rest_awvalid   = rest_asked_write && address_here_reg;
  assign m_axil_rest_wdata     = write_data_reg;
  assign m_axil_rest_wstrb     = write_strobe_reg;
  assign m_axil_rest_wvalid    = rest_asked_write && data_here_reg;
  assign m_axil_rest_bready    = write_state_reg == STATE_WAITING && !write_window_reg;

  assign address_passes        = write_window_reg ? m_axil_window_awready : m_axil_rest_awready;
  assign data_passes           = write_window_reg ? m_axil_window_wready : m_axil_rest_wready;
  assign write_answered        = write_window_reg ? m_axil_window_bvalid : m_axil_rest_bvalid;

  always_comb begin
    address_here_next = address_here_reg;
    data_here_next    = data_here_reg;
    if (write_state_reg == STATE_TAKING) begin
      address_here_next = address_here_reg || s_axil_awvalid;
      data_here_next    = data_here_reg || s_axil_wvalid;
    end
    if (write_state_reg == STATE_ASKING) begin
      address_here_next = address_here_reg && !address_passes;
      data_here_next    = data_here_reg && !data_passes;
    end
  end

  always_ff @(posedge clk) begin
    address_here_reg <= address_here_next;
    data_here_reg    <= data_here_next;
    if (s_axil_awready) begin
      write_address_reg    <= s_axil_awaddr;
      write_protection_reg <= s_axil_awprot;
      write_window_reg     <= in_window(s_axil_awaddr);
    end
    if (s_axil_wready) begin
      write_data_reg   <= s_axil_wdata;
      write_strobe_reg <= s_axil_wstrb;
    end
    case (write_state_reg)
      STATE_TAKING: begin
        if (address_here_next && data_here_next) begin
          write_state_reg <= STATE_ASKING;
        end
      end
      STATE_ASKING: begin
        if (!address_here_next && !data_here_next) begin
          write_state_reg <= STATE_WAITING;
        end
      end
      STATE_WAITING: begin
        write_response_reg <= write_window_reg ? m_axil_window_bresp : m_axil_rest_bresp;
        if (write_answered) begin
          write_state_reg <= STATE_ANSWERING;
        end
      end
      default: begin
        if (s_axil_bready) begin
          write_state_reg <= STATE_TAKING;
        end
      end
    endcase
    if (rst) begin
      write_state_reg  <= STATE_TAKING;
      address_here_reg <= 1'b0;
      data_here_reg    <= 1'b0;
    end
  end

  // ---- reads

  state_t      read_state_reg;
  address_t    read_address_reg;
  logic [ 2:0] read_protection_reg;
  logic        read_window_reg;      // the window is asked
  logic [31:0] read_data_reg;
  logic [ 1:0] read_response_reg;
  logic        read_passes;
  logic        read_answered;

  assign s_axil_arready        = read_state_reg == STATE_TAKING;
  assign s_axil_rvalid         = read_state_reg == STATE_ANSWERING;
  assign s_axil_rdata          = read_data_reg;
  assign s_axil_rresp          = read_response_reg;

  assign m_axil_window_araddr  = WINDOW_BITS'(read_address_reg);
  assign m_axil_window_arprot  = read_protection_reg;
  assign m_axil_window_arvalid = read_state_reg == STATE_ASKING && read_window_reg;
  assign m_axil_window_rready  = read_state_reg == STATE_WAITING && read_window_reg;

  assign m_axil_rest_araddr    = read_address_reg;
  assign m_axil_rest_arprot    = read_protection_reg;
  assign m_axil_rest_arvalid   = read_state_reg == STATE_ASKING && !read_window_reg;
  assign m_axil_rest_rready    = read_state_reg == STATE_WAITING && !read_window_reg;

  assign read_passes           = read_window_reg ? m_axil_window_arready : m_axil_rest_arready;
  assign read_answered         = read_window_reg ? m_axil_window_rvalid : m_axil_rest_rvalid;

  always_ff @(posedge clk) begin
    case (read_state_reg)
      STATE_TAKING: begin
        read_address_reg    <= s_axil_araddr;
        read_protection_reg <= s_axil_arprot;
        read_window_reg     <= in_window(s_axil_araddr);
        if (s_axil_arvalid) begin
          read_state_reg <= STATE_ASKING;
        end
      end
      STATE_ASKING: begin
        if (read_passes) begin
          read_state_reg <= STATE_WAITING;
        end
      end
      STATE_WAITING: begin
        read_data_reg     <= read_window_reg ? m_axil_window_rdata : m_axil_rest_rdata;
        read_response_reg <= read_window_reg ? m_axil_window_rresp : m_axil_rest_rresp;
        if (read_answered) begin
          read_state_reg <= STATE_ANSWERING;
        end
      end
      default: begin
        if (s_axil_rready) begin
          read_state_reg <= STATE_TAKING;
        end
      end
    endcase
    if (rst) begin
      read_state_reg <= STATE_TAKING;
    end
  end
endmodule

`resetall
