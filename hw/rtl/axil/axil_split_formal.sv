// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// The contract of axil_split, for axil_split.sby, by induction: each access is asked of its own side alone, once and as
// it came; its answer is that side's; what is offered stays until it is taken.
module axil_split_formal #(
    parameter int ADDRESS_BITS = 3,  // as of axil_split
    parameter int WINDOW_BITS  = 2,  // as of axil_split
    parameter int WINDOW_BASE  = 4   // as of axil_split
) (
    input wire logic clk,
    input wire logic rst,

    input wire logic [ADDRESS_BITS-1:0] s_axil_awaddr,
    input wire logic [             2:0] s_axil_awprot,
    input wire logic                    s_axil_awvalid,
    input wire logic [            31:0] s_axil_wdata,
    input wire logic [             3:0] s_axil_wstrb,
    input wire logic                    s_axil_wvalid,
    input wire logic                    s_axil_bready,
    input wire logic [ADDRESS_BITS-1:0] s_axil_araddr,
    input wire logic [             2:0] s_axil_arprot,
    input wire logic                    s_axil_arvalid,
    input wire logic                    s_axil_rready,
    input wire logic                    m_axil_window_awready,
    input wire logic                    m_axil_window_wready,
    input wire logic [             1:0] m_axil_window_bresp,
    input wire logic                    m_axil_window_bvalid,
    input wire logic                    m_axil_window_arready,
    input wire logic [            31:0] m_axil_window_rdata,
    input wire logic [             1:0] m_axil_window_rresp,
    input wire logic                    m_axil_window_rvalid,
    input wire logic                    m_axil_rest_awready,
    input wire logic                    m_axil_rest_wready,
    input wire logic [             1:0] m_axil_rest_bresp,
    input wire logic                    m_axil_rest_bvalid,
    input wire logic                    m_axil_rest_arready,
    input wire logic [            31:0] m_axil_rest_rdata,
    input wire logic [             1:0] m_axil_rest_rresp,
    input wire logic                    m_axil_rest_rvalid
);
  logic [ADDRESS_BITS-1:0] m_axil_rest_awaddr, m_axil_rest_araddr;
  logic [WINDOW_BITS-1:0] m_axil_window_awaddr, m_axil_window_araddr;
  logic [31:0] s_axil_rdata, m_axil_window_wdata, m_axil_rest_wdata;
  logic [3:0] m_axil_window_wstrb, m_axil_rest_wstrb;
  logic [2:0] m_axil_window_awprot, m_axil_window_arprot, m_axil_rest_awprot, m_axil_rest_arprot;
  logic [1:0] s_axil_bresp, s_axil_rresp;
  logic s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid, m_axil_window_awvalid;
  logic m_axil_window_wvalid, m_axil_window_bready, m_axil_window_arvalid, m_axil_window_rready, m_axil_rest_awvalid;
  logic m_axil_rest_wvalid, m_axil_rest_bready, m_axil_rest_arvalid, m_axil_rest_rready;

  axil_split #(
      .ADDRESS_BITS(ADDRESS_BITS),
      .WINDOW_BITS (WINDOW_BITS),
      .WINDOW_BASE (WINDOW_BASE)
  ) dut (
      .clk,
      .rst,
      .s_axil_awaddr,
      .s_axil_awprot,
      .s_axil_awvalid,
      .s_axil_awready,
      .s_axil_wdata,
      .s_axil_wstrb,
      .s_axil_wvalid,
      .s_axil_wready,
      .s_axil_bresp,
      .s_axil_bvalid,
      .s_axil_bready,
      .s_axil_araddr,
      .s_axil_arprot,
      .s_axil_arvalid,
      .s_axil_arready,
      .s_axil_rdata,
      .s_axil_rresp,
      .s_axil_rvalid,
      .s_axil_rready,
      .m_axil_window_awaddr,
      .m_axil_window_awprot,
      .m_axil_window_awvalid,
      .m_axil_window_awready,
      .m_axil_window_wdata,
      .m_axil_window_wstrb,
      .m_axil_window_wvalid,
      .m_axil_window_wready,
      .m_axil_window_bresp,
      .m_axil_window_bvalid,
      .m_axil_window_bready,
      .m_axil_window_araddr,
      .m_axil_window_arprot,
      .m_axil_window_arvalid,
      .m_axil_window_arready,
      .m_axil_window_rdata,
      .m_axil_window_rresp,
      .m_axil_window_rvalid,
      .m_axil_window_rready,
      .m_axil_rest_awaddr,
      .m_axil_rest_awprot,
      .m_axil_rest_awvalid,
      .m_axil_rest_awready,
      .m_axil_rest_wdata,
      .m_axil_rest_wstrb,
      .m_axil_rest_wvalid,
      .m_axil_rest_wready,
      .m_axil_rest_bresp,
      .m_axil_rest_bvalid,
      .m_axil_rest_bready,
      .m_axil_rest_araddr,
      .m_axil_rest_arprot,
      .m_axil_rest_arvalid,
      .m_axil_rest_arready,
      .m_axil_rest_rdata,
      .m_axil_rest_rresp,
      .m_axil_rest_rvalid,
      .m_axil_rest_rready
  );

  localparam int WINDOW_END = WINDOW_BASE + 2 ** WINDOW_BITS;

  // What was taken and not yet answered, and what of it has been passed on.
  logic begun_reg = 1'b0;
  logic aw_in_reg, w_in_reg, aw_out_reg, w_out_reg, b_in_reg;
  logic ar_in_reg, ar_out_reg, r_in_reg;
  logic [ADDRESS_BITS+2:0] aw_reg, ar_reg;
  logic [35:0] w_reg;
  logic [1:0] b_reg;
  logic [33:0] r_reg;
  logic write_in_window, read_in_window;
  logic [ADDRESS_BITS-1:0] window_awaddr, window_araddr;  // as the side that asks calls them

  assign write_in_window = int'(aw_reg[ADDRESS_BITS+2:3]) >= WINDOW_BASE && int'(aw_reg[ADDRESS_BITS+2:3]) < WINDOW_END;
  assign read_in_window  = int'(ar_reg[ADDRESS_BITS+2:3]) >= WINDOW_BASE && int'(ar_reg[ADDRESS_BITS+2:3]) < WINDOW_END;
  assign window_awaddr   = ADDRESS_BITS'(WINDOW_BASE + int'(m_axil_window_awaddr));
  assign window_araddr   = ADDRESS_BITS'(WINDOW_BASE + int'(m_axil_window_araddr));

  // Where the write stands.
  logic write_asking, write_taking;

  assign write_asking = dut.window_asked_write || dut.rest_asked_write;
  assign write_taking = !write_asking && !m_axil_window_bready && !m_axil_rest_bready && !s_axil_bvalid;

  // The channels that leave the module: valid and payload, and that they wait.
  localparam int CHANNELS = 8;
  localparam int CHANNEL_BITS = 40 + ADDRESS_BITS;

  logic [CHANNELS-1:0] valid, ready, stalled_reg;
  logic [CHANNELS-1:0][CHANNEL_BITS-1:0] beat, before_reg;

  assign valid = {
    m_axil_window_awvalid, m_axil_window_wvalid, m_axil_window_arvalid, m_axil_rest_awvalid, m_axil_rest_wvalid,
    m_axil_rest_arvalid, s_axil_bvalid, s_axil_rvalid
  };
  assign ready = {
    m_axil_window_awready, m_axil_window_wready, m_axil_window_arready, m_axil_rest_awready, m_axil_rest_wready,
    m_axil_rest_arready, s_axil_bready, s_axil_rready
  };
  assign beat[7] = CHANNEL_BITS'({m_axil_window_awaddr, m_axil_window_awprot});
  assign beat[6] = CHANNEL_BITS'({m_axil_window_wdata, m_axil_window_wstrb});
  assign beat[5] = CHANNEL_BITS'({m_axil_window_araddr, m_axil_window_arprot});
  assign beat[4] = CHANNEL_BITS'({m_axil_rest_awaddr, m_axil_rest_awprot});
  assign beat[3] = CHANNEL_BITS'({m_axil_rest_wdata, m_axil_rest_wstrb});
  assign beat[2] = CHANNEL_BITS'({m_axil_rest_araddr, m_axil_rest_arprot});
  assign beat[1] = CHANNEL_BITS'(s_axil_bresp);
  assign beat[0] = CHANNEL_BITS'({s_axil_rdata, s_axil_rresp});

  always_ff @(posedge clk) begin
    begun_reg   <= 1'b1;
    stalled_reg <= valid & ~ready;
    before_reg  <= beat;
    if (s_axil_awvalid && s_axil_awready) begin
      aw_in_reg <= 1'b1;
      aw_reg    <= {s_axil_awaddr, s_axil_awprot};
    end
    if (s_axil_wvalid && s_axil_wready) begin
      w_in_reg <= 1'b1;
      w_reg    <= {s_axil_wdata, s_axil_wstrb};
    end
    if (s_axil_arvalid && s_axil_arready) begin
      ar_in_reg <= 1'b1;
      ar_reg    <= {s_axil_araddr, s_axil_arprot};
    end
    if ((m_axil_window_awvalid && m_axil_window_awready) || (m_axil_rest_awvalid && m_axil_rest_awready)) begin
      aw_out_reg <= 1'b1;
    end
    if ((m_axil_window_wvalid && m_axil_window_wready) || (m_axil_rest_wvalid && m_axil_rest_wready)) begin
      w_out_reg <= 1'b1;
    end
    if ((m_axil_window_arvalid && m_axil_window_arready) || (m_axil_rest_arvalid && m_axil_rest_arready)) begin
      ar_out_reg <= 1'b1;
    end
    if (m_axil_window_bvalid && m_axil_window_bready) begin
      b_in_reg <= 1'b1;
      b_reg    <= m_axil_window_bresp;
    end
    if (m_axil_rest_bvalid && m_axil_rest_bready) begin
      b_in_reg <= 1'b1;
      b_reg    <= m_axil_rest_bresp;
    end
    if (m_axil_window_rvalid && m_axil_window_rready) begin
      r_in_reg <= 1'b1;
      r_reg    <= {m_axil_window_rdata, m_axil_window_rresp};
    end
    if (m_axil_rest_rvalid && m_axil_rest_rready) begin
      r_in_reg <= 1'b1;
      r_reg    <= {m_axil_rest_rdata, m_axil_rest_rresp};
    end
    if (s_axil_bvalid && s_axil_bready) begin
      {aw_in_reg, w_in_reg, aw_out_reg, w_out_reg, b_in_reg} <= '0;
    end
    if (s_axil_rvalid && s_axil_rready) begin
      {ar_in_reg, ar_out_reg, r_in_reg} <= '0;
    end
    if (rst) begin
      stalled_reg <= '0;
      {aw_in_reg, w_in_reg, aw_out_reg, w_out_reg, b_in_reg} <= '0;
      {ar_in_reg, ar_out_reg, r_in_reg} <= '0;
    end
  end

  for (genvar i = 0; i < CHANNELS; i++) begin : gen_channel
    always_comb begin
      if (begun_reg) begin
        valid_stays :   assert (!stalled_reg[i] || valid[i]);
        payload_holds : assert (!stalled_reg[i] || beat[i] == before_reg[i]);
      end
    end
  end

  always_comb begin
    assume (begun_reg || rst);
    if (begun_reg) begin
      one_write :             assert (!(s_axil_awready && aw_in_reg) && !(s_axil_wready && w_in_reg));
      one_read :              assert (!(s_axil_arready && ar_in_reg));
      address_has_its_side :  assert (!m_axil_window_awvalid || write_in_window);
      address_stays_away :    assert (!m_axil_rest_awvalid || !write_in_window);
      data_has_its_side :     assert (!m_axil_window_wvalid || write_in_window);
      data_stays_away :       assert (!m_axil_rest_wvalid || !write_in_window);
      read_has_its_side :     assert (!m_axil_window_arvalid || read_in_window);
      read_stays_away :       assert (!m_axil_rest_arvalid || !read_in_window);
      address_once :          assert (!(m_axil_window_awvalid || m_axil_rest_awvalid) || (aw_in_reg && !aw_out_reg));
      data_once :             assert (!(m_axil_window_wvalid || m_axil_rest_wvalid) || (w_in_reg && !w_out_reg));
      read_once :             assert (!(m_axil_window_arvalid || m_axil_rest_arvalid) || (ar_in_reg && !ar_out_reg));
      window_address_as_it_came :
        assert (!m_axil_window_awvalid || {window_awaddr, m_axil_window_awprot} == aw_reg);
      rest_address_as_it_came :
        assert (!m_axil_rest_awvalid || {m_axil_rest_awaddr, m_axil_rest_awprot} == aw_reg);
      window_data_as_it_came : assert (!m_axil_window_wvalid || {m_axil_window_wdata, m_axil_window_wstrb} == w_reg);
      rest_data_as_it_came :  assert (!m_axil_rest_wvalid || {m_axil_rest_wdata, m_axil_rest_wstrb} == w_reg);
      window_read_as_it_came :
        assert (!m_axil_window_arvalid || {window_araddr, m_axil_window_arprot} == ar_reg);
      rest_read_as_it_came :
        assert (!m_axil_rest_arvalid || {m_axil_rest_araddr, m_axil_rest_arprot} == ar_reg);
      window_owes_write :     assert (!m_axil_window_bready || (aw_out_reg && w_out_reg && write_in_window));
      rest_owes_write :       assert (!m_axil_rest_bready || (aw_out_reg && w_out_reg && !write_in_window));
      window_owes_read :      assert (!m_axil_window_rready || (ar_out_reg && read_in_window));
      rest_owes_read :        assert (!m_axil_rest_rready || (ar_out_reg && !read_in_window));
      write_is_answered :     assert (s_axil_bvalid == b_in_reg && (!s_axil_bvalid || s_axil_bresp == b_reg));
      read_is_answered :
        assert (s_axil_rvalid == r_in_reg && (!s_axil_rvalid || {s_axil_rdata, s_axil_rresp} == r_reg));
      write_goes_on :
        assert (s_axil_awready || s_axil_wready || m_axil_window_awvalid || m_axil_rest_awvalid || m_axil_window_wvalid
            || m_axil_rest_wvalid || m_axil_window_bready || m_axil_rest_bready || s_axil_bvalid);
      read_goes_on :
        assert (s_axil_arready || m_axil_window_arvalid || m_axil_rest_arvalid || m_axil_window_rready
            || m_axil_rest_rready || s_axil_rvalid);
      // What induction needs to know of the inside.
      write_window_agrees :   assert (!aw_in_reg || dut.write_window_reg == write_in_window);
      write_address_agrees :
        assert (!aw_in_reg || {dut.write_address_reg, dut.write_protection_reg} == aw_reg);
      write_data_agrees :     assert (!w_in_reg || {dut.write_data_reg, dut.write_strobe_reg} == w_reg);
      read_window_agrees :    assert (!ar_in_reg || dut.read_window_reg == read_in_window);
      read_address_agrees :   assert (!ar_in_reg || {dut.read_address_reg, dut.read_protection_reg} == ar_reg);
      address_here_agrees :   assert (dut.address_here_reg == (aw_in_reg && !aw_out_reg));
      data_here_agrees :      assert (dut.data_here_reg == (w_in_reg && !w_out_reg));
      taking_agrees :         assert ((aw_in_reg && w_in_reg) != write_taking);
      asking_agrees :         assert ((aw_in_reg && w_in_reg && !(aw_out_reg && w_out_reg)) == write_asking);
      nothing_out_while_taking : assert (!(aw_out_reg || w_out_reg) || (aw_in_reg && w_in_reg));
      reading_agrees :        assert (ar_in_reg != s_axil_arready);
      read_asking_agrees :    assert ((ar_in_reg && !ar_out_reg) == (m_axil_window_arvalid || m_axil_rest_arvalid));
      read_out_after_in :     assert (!ar_out_reg || ar_in_reg);
    end
  end
endmodule

`resetall
