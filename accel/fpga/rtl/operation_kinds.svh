// SPDX-License-Identifier: Apache-2.0
// What the datapath computes, one engine each: the values of its input `kind`.
// Included inside modules, each of which uses some.
// verilator lint_off UNUSEDPARAM
localparam logic [2:0] SUM = 3'd0;
localparam logic [2:0] SPARSE = 3'd1;
localparam logic [2:0] BLOCKS = 3'd2;
localparam logic [2:0] STREAM = 3'd3;
localparam logic [2:0] SERIAL = 3'd4;
localparam logic [2:0] SUPER = 3'd5;
localparam logic [2:0] POLYNOMIALS = 3'd6;
localparam int ENGINES = 7;
// verilator lint_on UNUSEDPARAM
