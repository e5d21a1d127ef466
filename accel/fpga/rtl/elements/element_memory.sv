// SPDX-License-Identifier: Apache-2.0
// The elements of a public stream, as a memory in which they lie and nothing is stored: every word is made
// when it is read.
//
//   start                     with what follows: from now on the elements are these
//     seed, purpose             of the stream
//     bits                      of every element, at least 1
//   read_valid, read_ready    read_address: requests; none is taken before all round keys are there
//   response_valid            response_data: the answers, in the order of the requests, 12 clocks later
//
// Element i lies from 2^32 i on; above its bits are zeros. Word w of it is the blocks 4 w to 4 w + 3 of the
// generator "aes128ctr-v1" (libfhe/random/public_stream.hpp): AES-128 of counters whose bytes are, the most
// significant one first, 4 of the purpose, 4 of i, 8 of the block's number.
`default_nettype none
module element_memory (
    input  logic         clk,
    input  logic         reset,
    input  logic         start,
    input  logic [127:0] seed,
    input  logic [ 31:0] purpose,
    input  logic [ 31:0] bits,
    input  logic         read_valid,
    output logic         read_ready,
    input  logic [ 63:0] read_address,
    output logic         response_valid,
    output logic [511:0] response_data
);
  localparam int CIPHER_CLOCKS = 11;

  // The bytes in the other order.
  function automatic logic [63:0] reversed(input logic [63:0] x);
    for (int i = 0; i < 8; i++) reversed[8*i+:8] = x[8*(7-i)+:8];
  endfunction

  logic [1407:0] keys;
  aes_key_schedule schedule (
      .clk,
      .reset,
      .start,
      .key  (seed),
      .ready(read_ready),
      .keys
  );

  // The last word of an element, and its bits.
  logic [31:0] purpose_kept;
  logic [22:0] last_word;
  logic [511:0] last_mask;
  always_ff @(posedge clk)
    if (start) begin
      purpose_kept <= purpose;
      last_word <= 23'((bits - 32'd1) >> 9);
      last_mask <= {512{1'b1}} >> (9'd0 - bits[8:0]);
    end

  logic [511:0] words;
  for (genvar i = 0; i < 4; i++) begin : g_block
    aes_cipher cipher (
        .clk,
        .keys,
        .in ({reversed({36'd0, read_address[31:6], 2'(i)}), reversed({purpose_kept, read_address[63:32]})}),
        .out(words[128*i+:128])
    );
  end

  // Whether a word is the last one, and whether it is behind that.
  logic is_last, is_behind;
  delay_line #(
      .WIDTH (2),
      .CLOCKS(CIPHER_CLOCKS)
  ) places (
      .clk,
      .in ({read_address[31:6] == {3'd0, last_word}, read_address[31:6] > {3'd0, last_word}}),
      .out({is_last, is_behind})
  );
  always_ff @(posedge clk)
    response_data <= is_behind ? 512'd0 : is_last ? words & last_mask : words;

  logic [CIPHER_CLOCKS-1:0] under_way;
  always_ff @(posedge clk)
    if (reset || start) {response_valid, under_way} <= '0;
    else {response_valid, under_way} <= {under_way, read_valid && read_ready};

  logic unused;
  assign unused = &{1'b0, read_address[5:0]};
endmodule
`default_nettype wire
