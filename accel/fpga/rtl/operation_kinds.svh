// What the datapath computes: the values of its input `kind`.
// Included inside modules, each of which uses some.
// verilator lint_off UNUSEDPARAM
localparam logic [1:0] SUM = 2'd0;
localparam logic [1:0] PRODUCT = 2'd1;
localparam logic [1:0] GATHER = 2'd2;
localparam logic [1:0] SPARSE = 2'd3;
// verilator lint_on UNUSEDPARAM
