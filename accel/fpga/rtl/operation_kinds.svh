// SPDX-License-Identifier: Apache-2.0
// What the datapath computes, one engine each: the values of its input `kind`.
// Included inside modules, each of which uses some.
// verilator lint_off UNUSEDPARAM
localparam logic [3:0] SUM = 4'd0;
localparam logic [3:0] SPARSE = 4'd1;
localparam logic [3:0] BLOCKS = 4'd2;
localparam logic [3:0] STREAM = 4'd3;
localparam logic [3:0] SERIAL = 4'd4;
localparam logic [3:0] SUPER = 4'd5;
localparam logic [3:0] POLYNOMIALS = 4'd6;
localparam logic [3:0] SELECTION = 4'd7;
localparam logic [3:0] WINDOWS = 4'd8;
localparam logic [3:0] THROUGHPUT = 4'd9;
localparam int ENGINES = 10;
// verilator lint_on UNUSEDPARAM
