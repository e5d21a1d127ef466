// SPDX-License-Identifier: Apache-2.0
// The block RAMs of Xilinx 7-series parts, RAMB36E1 and RAMB18E1, as Yosys uses them: no output registers, no cascades,
// no error correction. Yosys itself has no model that computes. Xilinx UG473, chapter 1.
//
// A word has a parity bit for every eight others from a width of 9 on. Where one port writes what the other reads in
// the same clock, the reader gets the old bits if the writer is READ_FIRST; else they are unknown: they come inverted.
module block_ram #(
    parameter BYTES = 4096,
    parameter READ_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_A = 0, WRITE_WIDTH_B = 0,
    parameter WRITE_MODE_A = "READ_FIRST", WRITE_MODE_B = "READ_FIRST",
    parameter UNKNOWN = 0,  // 1: has something that is not modelled
    parameter [8*BYTES-1:0] DATA = 0,
    parameter [BYTES-1:0] PARITY = 0
) (
    input [1:0] clk, enable, clear,  // of ports A (0) and B (1)
    input [2*72-1:0] cleared,
    input [2*15-1:0] address,  // of bits, without those of parity
    input [2*8-1:0] write,     // byte by byte
    input [2*64-1:0] in,
    input [2*8-1:0] in_parity,
    output [2*64-1:0] out,
    output [2*8-1:0] out_parity
);
  localparam BYTE_BITS = $clog2(BYTES);
  reg [8:0] bytes[0:BYTES-1];
  initial for (int i = 0; i < BYTES; i++) bytes[i] = {PARITY[i], DATA[8*i+:8]};

  function integer bytes_of(input integer width);
    bytes_of = width < 18 ? 1 : width / 9;
  endfunction

  wire [2*BYTE_BITS-1:0] written;  // the first byte of the word at each port that writes
  wire [1:0] writes;
  for (genvar p = 0; p < 2; p++) begin : g_port
    localparam READ_WIDTH = p == 0 ? READ_WIDTH_A : READ_WIDTH_B;
    localparam WRITE_WIDTH = p == 0 ? WRITE_WIDTH_A : WRITE_WIDTH_B;
    localparam OTHER_WIDTH = p == 0 ? WRITE_WIDTH_B : WRITE_WIDTH_A;
    localparam FRESH = p == 0 ? WRITE_MODE_A == "WRITE_FIRST" : WRITE_MODE_B == "WRITE_FIRST";
    localparam HOLDS = p == 0 ? WRITE_MODE_A == "NO_CHANGE" : WRITE_MODE_B == "NO_CHANGE";
    localparam OTHER_OLD = p == 0 ? WRITE_MODE_B == "READ_FIRST" : WRITE_MODE_A == "READ_FIRST";
    localparam [BYTE_BITS-1:0] READ_ALIGN = ~(BYTE_BITS'(bytes_of(READ_WIDTH)) - 1'b1);
    localparam [BYTE_BITS-1:0] WRITE_ALIGN = ~(BYTE_BITS'(bytes_of(WRITE_WIDTH)) - 1'b1);
    localparam [BYTE_BITS-1:0] OTHER_ALIGN = ~(BYTE_BITS'(bytes_of(OTHER_WIDTH)) - 1'b1);
    // A port that reads what it writes does both in words of one width.
    if (UNKNOWN || (FRESH && READ_WIDTH != 0 && WRITE_WIDTH != 0 && READ_WIDTH != WRITE_WIDTH))
      initial $fatal(1, "a block RAM that is not modelled");

    wire [14:0] place = address[15*p+:15];
    wire [BYTE_BITS-1:0] place_byte = place[3+:BYTE_BITS];
    assign writes[p] = enable[p] && WRITE_WIDTH != 0 && write[8*p+:8] != 8'd0;
    assign written[BYTE_BITS*p+:BYTE_BITS] = place_byte & WRITE_ALIGN;
    wire reads = enable[p] && READ_WIDTH != 0 && !(writes[p] && HOLDS);

    reg [2:0] bit_read;  // in its byte: of a narrow word
    always @(posedge clk[p]) if (reads) bit_read <= place[2:0] & ~3'(READ_WIDTH - 1);
    for (genvar k = 0; k < 8; k++) begin : g_byte
      wire [BYTE_BITS-1:0] from = (place_byte & READ_ALIGN) + BYTE_BITS'(k);
      wire [BYTE_BITS-1:0] to = written[BYTE_BITS*p+:BYTE_BITS] + BYTE_BITS'(k);
      wire [8:0] wide = {in_parity[8*p+k], in[64*p+8*k+:8]};
      wire unknown = writes[1-p] && !OTHER_OLD && (from & OTHER_ALIGN) == written[BYTE_BITS*(1-p)+:BYTE_BITS];
      reg [8:0] value;
      always @(posedge clk[p])
        if (reads && k < bytes_of(READ_WIDTH))
          value <= clear[p] ? cleared[72*p+9*k+:9] :
              FRESH && writes[p] && write[8*p+k] ? wide : bytes[from] ^ {9{unknown}};

      // A narrow word is some bits of a byte.
      wire [2:0] shift = WRITE_WIDTH < 9 ? place[2:0] & ~3'(WRITE_WIDTH - 1) : 3'd0;
      wire [8:0] mask = WRITE_WIDTH < 9 ? 9'((9'd1 << WRITE_WIDTH) - 9'd1) << shift : 9'h1ff;
      wire [8:0] shifted = wide << shift;
      always @(posedge clk[p])
        if (writes[p] && write[8*p+k] && k < bytes_of(WRITE_WIDTH)) bytes[to] <= (bytes[to] & ~mask) | (shifted & mask);

      assign out[64*p+8*k+:8] = READ_WIDTH < 9 ? (k == 0 ? value[7:0] >> bit_read : 8'd0) : value[7:0];
      assign out_parity[8*p+k] = READ_WIDTH < 9 ? 1'b0 : value[8];
    end
  end
endmodule

module RAMB36E1 #(
    parameter DOA_REG = 0, DOB_REG = 0, READ_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_A = 0, WRITE_WIDTH_B = 0,
    parameter RAM_MODE = "TDP", WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST",
    parameter RAM_EXTENSION_A = "NONE", RAM_EXTENSION_B = "NONE",
    parameter [71:0] INIT_A = 0, parameter [71:0] INIT_B = 0,
    parameter [71:0] SRVAL_A = 0, parameter [71:0] SRVAL_B = 0,
    parameter [255:0] INIT_00 = 0, parameter [255:0] INIT_01 = 0, parameter [255:0] INIT_02 = 0,
    parameter [255:0] INIT_03 = 0, parameter [255:0] INIT_04 = 0, parameter [255:0] INIT_05 = 0,
    parameter [255:0] INIT_06 = 0, parameter [255:0] INIT_07 = 0, parameter [255:0] INIT_08 = 0,
    parameter [255:0] INIT_09 = 0, parameter [255:0] INIT_0A = 0, parameter [255:0] INIT_0B = 0,
    parameter [255:0] INIT_0C = 0, parameter [255:0] INIT_0D = 0, parameter [255:0] INIT_0E = 0,
    parameter [255:0] INIT_0F = 0, parameter [255:0] INIT_10 = 0, parameter [255:0] INIT_11 = 0,
    parameter [255:0] INIT_12 = 0, parameter [255:0] INIT_13 = 0, parameter [255:0] INIT_14 = 0,
    parameter [255:0] INIT_15 = 0, parameter [255:0] INIT_16 = 0, parameter [255:0] INIT_17 = 0,
    parameter [255:0] INIT_18 = 0, parameter [255:0] INIT_19 = 0, parameter [255:0] INIT_1A = 0,
    parameter [255:0] INIT_1B = 0, parameter [255:0] INIT_1C = 0, parameter [255:0] INIT_1D = 0,
    parameter [255:0] INIT_1E = 0, parameter [255:0] INIT_1F = 0, parameter [255:0] INIT_20 = 0,
    parameter [255:0] INIT_21 = 0, parameter [255:0] INIT_22 = 0, parameter [255:0] INIT_23 = 0,
    parameter [255:0] INIT_24 = 0, parameter [255:0] INIT_25 = 0, parameter [255:0] INIT_26 = 0,
    parameter [255:0] INIT_27 = 0, parameter [255:0] INIT_28 = 0, parameter [255:0] INIT_29 = 0,
    parameter [255:0] INIT_2A = 0, parameter [255:0] INIT_2B = 0, parameter [255:0] INIT_2C = 0,
    parameter [255:0] INIT_2D = 0, parameter [255:0] INIT_2E = 0, parameter [255:0] INIT_2F = 0,
    parameter [255:0] INIT_30 = 0, parameter [255:0] INIT_31 = 0, parameter [255:0] INIT_32 = 0,
    parameter [255:0] INIT_33 = 0, parameter [255:0] INIT_34 = 0, parameter [255:0] INIT_35 = 0,
    parameter [255:0] INIT_36 = 0, parameter [255:0] INIT_37 = 0, parameter [255:0] INIT_38 = 0,
    parameter [255:0] INIT_39 = 0, parameter [255:0] INIT_3A = 0, parameter [255:0] INIT_3B = 0,
    parameter [255:0] INIT_3C = 0, parameter [255:0] INIT_3D = 0, parameter [255:0] INIT_3E = 0,
    parameter [255:0] INIT_3F = 0, parameter [255:0] INIT_40 = 0, parameter [255:0] INIT_41 = 0,
    parameter [255:0] INIT_42 = 0, parameter [255:0] INIT_43 = 0, parameter [255:0] INIT_44 = 0,
    parameter [255:0] INIT_45 = 0, parameter [255:0] INIT_46 = 0, parameter [255:0] INIT_47 = 0,
    parameter [255:0] INIT_48 = 0, parameter [255:0] INIT_49 = 0, parameter [255:0] INIT_4A = 0,
    parameter [255:0] INIT_4B = 0, parameter [255:0] INIT_4C = 0, parameter [255:0] INIT_4D = 0,
    parameter [255:0] INIT_4E = 0, parameter [255:0] INIT_4F = 0, parameter [255:0] INIT_50 = 0,
    parameter [255:0] INIT_51 = 0, parameter [255:0] INIT_52 = 0, parameter [255:0] INIT_53 = 0,
    parameter [255:0] INIT_54 = 0, parameter [255:0] INIT_55 = 0, parameter [255:0] INIT_56 = 0,
    parameter [255:0] INIT_57 = 0, parameter [255:0] INIT_58 = 0, parameter [255:0] INIT_59 = 0,
    parameter [255:0] INIT_5A = 0, parameter [255:0] INIT_5B = 0, parameter [255:0] INIT_5C = 0,
    parameter [255:0] INIT_5D = 0, parameter [255:0] INIT_5E = 0, parameter [255:0] INIT_5F = 0,
    parameter [255:0] INIT_60 = 0, parameter [255:0] INIT_61 = 0, parameter [255:0] INIT_62 = 0,
    parameter [255:0] INIT_63 = 0, parameter [255:0] INIT_64 = 0, parameter [255:0] INIT_65 = 0,
    parameter [255:0] INIT_66 = 0, parameter [255:0] INIT_67 = 0, parameter [255:0] INIT_68 = 0,
    parameter [255:0] INIT_69 = 0, parameter [255:0] INIT_6A = 0, parameter [255:0] INIT_6B = 0,
    parameter [255:0] INIT_6C = 0, parameter [255:0] INIT_6D = 0, parameter [255:0] INIT_6E = 0,
    parameter [255:0] INIT_6F = 0, parameter [255:0] INIT_70 = 0, parameter [255:0] INIT_71 = 0,
    parameter [255:0] INIT_72 = 0, parameter [255:0] INIT_73 = 0, parameter [255:0] INIT_74 = 0,
    parameter [255:0] INIT_75 = 0, parameter [255:0] INIT_76 = 0, parameter [255:0] INIT_77 = 0,
    parameter [255:0] INIT_78 = 0, parameter [255:0] INIT_79 = 0, parameter [255:0] INIT_7A = 0,
    parameter [255:0] INIT_7B = 0, parameter [255:0] INIT_7C = 0, parameter [255:0] INIT_7D = 0,
    parameter [255:0] INIT_7E = 0, parameter [255:0] INIT_7F = 0, parameter [255:0] INITP_00 = 0,
    parameter [255:0] INITP_01 = 0, parameter [255:0] INITP_02 = 0, parameter [255:0] INITP_03 = 0,
    parameter [255:0] INITP_04 = 0, parameter [255:0] INITP_05 = 0, parameter [255:0] INITP_06 = 0,
    parameter [255:0] INITP_07 = 0, parameter [255:0] INITP_08 = 0, parameter [255:0] INITP_09 = 0,
    parameter [255:0] INITP_0A = 0, parameter [255:0] INITP_0B = 0, parameter [255:0] INITP_0C = 0,
    parameter [255:0] INITP_0D = 0, parameter [255:0] INITP_0E = 0, parameter [255:0] INITP_0F = 0
) (
    input CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, REGCEAREGCE, REGCEB, RSTRAMARSTRAM, RSTRAMB, RSTREGARSTREG, RSTREGB,
    input [15:0] ADDRARDADDR, ADDRBWRADDR,
    input [31:0] DIADI, DIBDI,
    input [3:0] DIPADIP, DIPBDIP,
    input [3:0] WEA,
    input [7:0] WEBWE,
    output [31:0] DOADO, DOBDO,
    output [3:0] DOPADOP, DOPBDOP
);
  localparam SDP = RAM_MODE == "SDP";
  wire [63:0] a_read, b_read;
  wire [7:0] a_read_parity, b_read_parity;
  block_ram #(
      .BYTES(4096), .READ_WIDTH_A(READ_WIDTH_A), .READ_WIDTH_B(READ_WIDTH_B), .WRITE_WIDTH_A(WRITE_WIDTH_A),
      .WRITE_WIDTH_B(WRITE_WIDTH_B), .WRITE_MODE_A(WRITE_MODE_A), .WRITE_MODE_B(WRITE_MODE_B),
      .UNKNOWN(DOA_REG != 0 || DOB_REG != 0 || RAM_EXTENSION_A != "NONE" || RAM_EXTENSION_B != "NONE"),
      .DATA({
      INIT_7F, INIT_7E, INIT_7D, INIT_7C, INIT_7B, INIT_7A, INIT_79, INIT_78,
      INIT_77, INIT_76, INIT_75, INIT_74, INIT_73, INIT_72, INIT_71, INIT_70,
      INIT_6F, INIT_6E, INIT_6D, INIT_6C, INIT_6B, INIT_6A, INIT_69, INIT_68,
      INIT_67, INIT_66, INIT_65, INIT_64, INIT_63, INIT_62, INIT_61, INIT_60,
      INIT_5F, INIT_5E, INIT_5D, INIT_5C, INIT_5B, INIT_5A, INIT_59, INIT_58,
      INIT_57, INIT_56, INIT_55, INIT_54, INIT_53, INIT_52, INIT_51, INIT_50,
      INIT_4F, INIT_4E, INIT_4D, INIT_4C, INIT_4B, INIT_4A, INIT_49, INIT_48,
      INIT_47, INIT_46, INIT_45, INIT_44, INIT_43, INIT_42, INIT_41, INIT_40,
      INIT_3F, INIT_3E, INIT_3D, INIT_3C, INIT_3B, INIT_3A, INIT_39, INIT_38,
      INIT_37, INIT_36, INIT_35, INIT_34, INIT_33, INIT_32, INIT_31, INIT_30,
      INIT_2F, INIT_2E, INIT_2D, INIT_2C, INIT_2B, INIT_2A, INIT_29, INIT_28,
      INIT_27, INIT_26, INIT_25, INIT_24, INIT_23, INIT_22, INIT_21, INIT_20,
      INIT_1F, INIT_1E, INIT_1D, INIT_1C, INIT_1B, INIT_1A, INIT_19, INIT_18,
      INIT_17, INIT_16, INIT_15, INIT_14, INIT_13, INIT_12, INIT_11, INIT_10,
      INIT_0F, INIT_0E, INIT_0D, INIT_0C, INIT_0B, INIT_0A, INIT_09, INIT_08,
      INIT_07, INIT_06, INIT_05, INIT_04, INIT_03, INIT_02, INIT_01, INIT_00}),
      .PARITY({
      INITP_0F, INITP_0E, INITP_0D, INITP_0C, INITP_0B, INITP_0A, INITP_09, INITP_08,
      INITP_07, INITP_06, INITP_05, INITP_04, INITP_03, INITP_02, INITP_01, INITP_00})
  ) block (
      .clk({CLKBWRCLK, CLKARDCLK}), .enable({ENBWREN, ENARDEN}), .clear({RSTRAMB, RSTRAMARSTRAM}),
      .cleared({SRVAL_B, SRVAL_A}), .address({15'(ADDRBWRADDR[14:0]), 15'(ADDRARDADDR[14:0])}),
      .write({8'(WEBWE), 8'(WEA)}),
      .in({WRITE_WIDTH_B == 72 ? 64'({DIBDI, DIADI}) : 64'(DIBDI), 64'(DIADI)}),
      .in_parity({WRITE_WIDTH_B == 72 ? 8'({DIPBDIP, DIPADIP}) : 8'(DIPBDIP), 8'(DIPADIP)}),
      .out({b_read, a_read}), .out_parity({b_read_parity, a_read_parity})
  );
  assign DOADO = a_read[31:0];
  assign DOPADOP = a_read_parity[3:0];
  assign DOBDO = SDP ? a_read[63:32] : b_read[31:0];
  assign DOPBDOP = SDP ? a_read_parity[7:4] : b_read_parity[3:0];
endmodule

module RAMB18E1 #(
    parameter DOA_REG = 0, DOB_REG = 0, READ_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_A = 0, WRITE_WIDTH_B = 0,
    parameter RAM_MODE = "TDP", WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST",
    parameter RAM_EXTENSION_A = "NONE", RAM_EXTENSION_B = "NONE",
    parameter [71:0] INIT_A = 0, parameter [71:0] INIT_B = 0,
    parameter [71:0] SRVAL_A = 0, parameter [71:0] SRVAL_B = 0,
    parameter [255:0] INIT_00 = 0, parameter [255:0] INIT_01 = 0, parameter [255:0] INIT_02 = 0,
    parameter [255:0] INIT_03 = 0, parameter [255:0] INIT_04 = 0, parameter [255:0] INIT_05 = 0,
    parameter [255:0] INIT_06 = 0, parameter [255:0] INIT_07 = 0, parameter [255:0] INIT_08 = 0,
    parameter [255:0] INIT_09 = 0, parameter [255:0] INIT_0A = 0, parameter [255:0] INIT_0B = 0,
    parameter [255:0] INIT_0C = 0, parameter [255:0] INIT_0D = 0, parameter [255:0] INIT_0E = 0,
    parameter [255:0] INIT_0F = 0, parameter [255:0] INIT_10 = 0, parameter [255:0] INIT_11 = 0,
    parameter [255:0] INIT_12 = 0, parameter [255:0] INIT_13 = 0, parameter [255:0] INIT_14 = 0,
    parameter [255:0] INIT_15 = 0, parameter [255:0] INIT_16 = 0, parameter [255:0] INIT_17 = 0,
    parameter [255:0] INIT_18 = 0, parameter [255:0] INIT_19 = 0, parameter [255:0] INIT_1A = 0,
    parameter [255:0] INIT_1B = 0, parameter [255:0] INIT_1C = 0, parameter [255:0] INIT_1D = 0,
    parameter [255:0] INIT_1E = 0, parameter [255:0] INIT_1F = 0, parameter [255:0] INIT_20 = 0,
    parameter [255:0] INIT_21 = 0, parameter [255:0] INIT_22 = 0, parameter [255:0] INIT_23 = 0,
    parameter [255:0] INIT_24 = 0, parameter [255:0] INIT_25 = 0, parameter [255:0] INIT_26 = 0,
    parameter [255:0] INIT_27 = 0, parameter [255:0] INIT_28 = 0, parameter [255:0] INIT_29 = 0,
    parameter [255:0] INIT_2A = 0, parameter [255:0] INIT_2B = 0, parameter [255:0] INIT_2C = 0,
    parameter [255:0] INIT_2D = 0, parameter [255:0] INIT_2E = 0, parameter [255:0] INIT_2F = 0,
    parameter [255:0] INIT_30 = 0, parameter [255:0] INIT_31 = 0, parameter [255:0] INIT_32 = 0,
    parameter [255:0] INIT_33 = 0, parameter [255:0] INIT_34 = 0, parameter [255:0] INIT_35 = 0,
    parameter [255:0] INIT_36 = 0, parameter [255:0] INIT_37 = 0, parameter [255:0] INIT_38 = 0,
    parameter [255:0] INIT_39 = 0, parameter [255:0] INIT_3A = 0, parameter [255:0] INIT_3B = 0,
    parameter [255:0] INIT_3C = 0, parameter [255:0] INIT_3D = 0, parameter [255:0] INIT_3E = 0,
    parameter [255:0] INIT_3F = 0, parameter [255:0] INITP_00 = 0, parameter [255:0] INITP_01 = 0,
    parameter [255:0] INITP_02 = 0, parameter [255:0] INITP_03 = 0, parameter [255:0] INITP_04 = 0,
    parameter [255:0] INITP_05 = 0, parameter [255:0] INITP_06 = 0, parameter [255:0] INITP_07 = 0
) (
    input CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, REGCEAREGCE, REGCEB, RSTRAMARSTRAM, RSTRAMB, RSTREGARSTREG, RSTREGB,
    input [13:0] ADDRARDADDR, ADDRBWRADDR,
    input [15:0] DIADI, DIBDI,
    input [1:0] DIPADIP, DIPBDIP,
    input [1:0] WEA,
    input [3:0] WEBWE,
    output [15:0] DOADO, DOBDO,
    output [1:0] DOPADOP, DOPBDOP
);
  localparam SDP = RAM_MODE == "SDP";
  wire [63:0] a_read, b_read;
  wire [7:0] a_read_parity, b_read_parity;
  block_ram #(
      .BYTES(2048), .READ_WIDTH_A(READ_WIDTH_A), .READ_WIDTH_B(READ_WIDTH_B), .WRITE_WIDTH_A(WRITE_WIDTH_A),
      .WRITE_WIDTH_B(WRITE_WIDTH_B), .WRITE_MODE_A(WRITE_MODE_A), .WRITE_MODE_B(WRITE_MODE_B),
      .UNKNOWN(DOA_REG != 0 || DOB_REG != 0 || RAM_EXTENSION_A != "NONE" || RAM_EXTENSION_B != "NONE"),
      .DATA({
      INIT_3F, INIT_3E, INIT_3D, INIT_3C, INIT_3B, INIT_3A, INIT_39, INIT_38,
      INIT_37, INIT_36, INIT_35, INIT_34, INIT_33, INIT_32, INIT_31, INIT_30,
      INIT_2F, INIT_2E, INIT_2D, INIT_2C, INIT_2B, INIT_2A, INIT_29, INIT_28,
      INIT_27, INIT_26, INIT_25, INIT_24, INIT_23, INIT_22, INIT_21, INIT_20,
      INIT_1F, INIT_1E, INIT_1D, INIT_1C, INIT_1B, INIT_1A, INIT_19, INIT_18,
      INIT_17, INIT_16, INIT_15, INIT_14, INIT_13, INIT_12, INIT_11, INIT_10,
      INIT_0F, INIT_0E, INIT_0D, INIT_0C, INIT_0B, INIT_0A, INIT_09, INIT_08,
      INIT_07, INIT_06, INIT_05, INIT_04, INIT_03, INIT_02, INIT_01, INIT_00}),
      .PARITY({
      INITP_07, INITP_06, INITP_05, INITP_04, INITP_03, INITP_02, INITP_01, INITP_00})
  ) block (
      .clk({CLKBWRCLK, CLKARDCLK}), .enable({ENBWREN, ENARDEN}), .clear({RSTRAMB, RSTRAMARSTRAM}),
      .cleared({SRVAL_B, SRVAL_A}), .address({15'(ADDRBWRADDR[13:0]), 15'(ADDRARDADDR[13:0])}),
      .write({8'(WEBWE), 8'(WEA)}),
      .in({WRITE_WIDTH_B == 36 ? 64'({DIBDI, DIADI}) : 64'(DIBDI), 64'(DIADI)}),
      .in_parity({WRITE_WIDTH_B == 36 ? 8'({DIPBDIP, DIPADIP}) : 8'(DIPBDIP), 8'(DIPADIP)}),
      .out({b_read, a_read}), .out_parity({b_read_parity, a_read_parity})
  );
  assign DOADO = a_read[15:0];
  assign DOPADOP = a_read_parity[1:0];
  assign DOBDO = SDP ? a_read[31:16] : b_read[15:0];
  assign DOPBDOP = SDP ? a_read_parity[3:2] : b_read_parity[1:0];
endmodule
