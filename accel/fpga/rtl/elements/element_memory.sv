// SPDX-License-Identifier: Apache-2.0
// The elements of a public stream, as a memory in which they lie and nothing is stored: every line is made
// when it is read.
//
//   start                     with what follows: from now on the elements are these
//     seed, purpose             of the stream
//     bits                      of every element, at least 1
//   read_valid, read_ready    read_address: requests; none is taken before all round keys are there
//   read_line                   1: of the line of words, on a multiple of their bytes, that the address is in;
//                               0: of the word there
//   line_valid, word_valid    line, word: the answers, in the order of the requests, 12 clocks later
//
//   LINE_WORDS   power of two, at least 2: words of a line
//
// Element i lies from 2^32 i on; above its bits are zeros. Word w of it is the blocks 4 w to 4 w + 3 of the
// generator "aes128ctr-v1" (libfhe/random/public_stream.hpp): AES-128 of counters whose bytes are, the most
// significant one first, 4 of the purpose, 4 of i, 8 of the block's number.
`default_nettype none
module element_memory #(
    parameter int LINE_WORDS = 4
) (
    input  logic                      clk,
    input  logic                      reset,
    input  logic                      start,
    input  logic [             127:0] seed,
    input  logic [              31:0] purpose,
    input  logic [              31:0] bits,
    input  logic                      read_valid,
    output logic                      read_ready,
    input  logic                      read_line,
    input  logic [              63:0] read_address,
    output logic                      line_valid,
    output logic [512*LINE_WORDS-1:0] line,
    output logic                      word_valid,
    output logic [             511:0] word
);
  localparam int PLACE_BITS = $clog2(LINE_WORDS);  // of a word in its line
  localparam int LINE_BITS = 26 - PLACE_BITS;  // of the number of a line
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

  // The last line of an element, which words are below the last one in it, which one is the last, and its bits.
  logic [31:0] purpose_kept, last_bit;
  logic [LINE_BITS-1:0] last_line;
  logic [LINE_WORDS-1:0] below_last, last_word;
  logic [511:0] last_mask;
  assign last_bit = bits - 32'd1;
  always_ff @(posedge clk)
    if (start) begin
      purpose_kept <= purpose;
      last_line <= LINE_BITS'(last_bit >> (9 + PLACE_BITS));
      last_word <= LINE_WORDS'(1) << last_bit[9+:PLACE_BITS];
      below_last <= ~({LINE_WORDS{1'b1}} << last_bit[9+:PLACE_BITS]);
      last_mask <= {512{1'b1}} >> (9'd0 - bits[8:0]);
    end

  logic [LINE_BITS-1:0] asked;
  logic [512*LINE_WORDS-1:0] words;
  assign asked = read_address[31:32-LINE_BITS];
  for (genvar i = 0; i < 4 * LINE_WORDS; i++) begin : g_block
    aes_cipher cipher (
        .clk,
        .keys,
        .in ({reversed({36'd0, asked, (PLACE_BITS + 2)'(i)}), reversed({purpose_kept, read_address[63:32]})}),
        .out(words[128*i+:128])
    );
  end

  // What becomes of the line: whether it is the last one, or behind that, and which word of it is wanted.
  logic is_last, is_behind;
  logic [PLACE_BITS-1:0] place, place_wanted;
  delay_line #(
      .WIDTH (2 + PLACE_BITS),
      .CLOCKS(CIPHER_CLOCKS)
  ) places (
      .clk,
      .in ({asked == last_line, asked > last_line, read_address[6+:PLACE_BITS]}),
      .out({is_last, is_behind, place})
  );
  for (genvar i = 0; i < LINE_WORDS; i++) begin : g_word
    always_ff @(posedge clk)
      if (is_behind) line[512*i+:512] <= 512'd0;
      else line[512*i+:512] <= words[512*i+:512] & ({512{!is_last || below_last[i]}} | (last_mask & {512{last_word[i]}}));
  end
  always_ff @(posedge clk) place_wanted <= place;
  assign word = line[512*place_wanted+:512];

  logic [CIPHER_CLOCKS-1:0] lines_under_way, words_under_way;
  always_ff @(posedge clk)
    if (reset || start) {line_valid, lines_under_way, word_valid, words_under_way} <= '0;
    else begin
      {line_valid, lines_under_way} <= {lines_under_way, read_valid && read_ready && read_line};
      {word_valid, words_under_way} <= {words_under_way, read_valid && read_ready && !read_line};
    end

  logic unused;
  assign unused = &{1'b0, read_address[5:0]};
endmodule
`default_nettype wire
