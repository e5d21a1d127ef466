// SPDX-License-Identifier: Apache-2.0
// The round keys of AES-128, one a clock.
//
//   start    with `key`; any time
//   ready    from 11 clocks after a start to the next one: `keys` are the 11 round keys, the first one lowest
//
// Byte 0 of a key is its lowest. FIPS 197, section 5.2.
`default_nettype none
module aes_key_schedule (
    input  logic          clk,
    input  logic          reset,
    input  logic          start,
    input  logic [ 127:0] key,
    output logic          ready,
    output logic [1407:0] keys
);
  localparam logic [3:0] ROUNDS = 4'd10;

  logic [3:0] made;  // of the keys after the first
  logic [127:0] last, next;
  logic [7:0] constant;  // x^made
  logic [31:0] substituted;
  aes_substitute #(
      .BYTES(4)
  ) substitute (
      .in ({last[103:96], last[127:104]}),
      .out(substituted)
  );
  always_comb begin
    next = last;
    next[31:0] = next[31:0] ^ substituted ^ {24'd0, constant};
    for (int i = 1; i < 4; i++) next[32*i+:32] = next[32*i+:32] ^ next[32*(i-1)+:32];
  end

  always_ff @(posedge clk)
    if (reset) begin
      ready <= 1'b0;
      made <= ROUNDS;
    end else if (start) begin
      ready <= 1'b0;
      made <= 4'd0;
    end else if (made != ROUNDS) begin
      ready <= made == ROUNDS - 4'd1;
      made <= made + 4'd1;
    end
  always_ff @(posedge clk) begin
    last <= start ? key : next;
    constant <= start ? 8'h01 : {constant[6:0], 1'b0} ^ (constant[7] ? 8'h1b : 8'h00);
    if (start) keys[127:0] <= key;
  end
  for (genvar i = 1; i <= 10; i++) begin : g_key
    always_ff @(posedge clk) if (made == 4'(i - 1)) keys[128*i+:128] <= next;
  end
endmodule
`default_nettype wire
