// SPDX-License-Identifier: Apache-2.0
// Engine of the datapath: products, reductions and encryption sums by super_size_encrypt.
//
//   operation      of super_size_encrypt:
//                    0: d = a b; with `accumulate` d = d + a b
//                    1: d = a mod A_0
//                    2: d = sum of A_i B_i over `terms` pairs; with `affine` 2 d + T takes its place, with
//                       `reduces` its remainder modulo A_0
//                    3: d = sum over i of A_i1 (sum over j of B_ij A_j0 mod A_0), i and j over `terms`; with
//                       `affine` 2 d + T; modulo A_0
//   pair_*         of 2: A_i, B_i; of 3: A_j0, B_ij for all j, then A_i1 (and anything), for all i
//   a_.., b_..     of 2 and 3: lengths of every A and B
//   a_bits, b_bits   what is multiplied: bits above need not take part
//   addend         address of T
//   row_excess     of 3: the sums over j are below 2^(phi + row_excess), row_excess <= gamma
//   record         the context's, see context_record in register_map.svh, and its sizes
//                  (context_sizes): phi_words, input_words, reciprocal_words, remainder_words
//   remainder_reduced   from done on: y >= A_0 was found in the last reduction
//   carry          a sum exceeded d
//   all others     see datapath
//
// Scratch memory: sum, row, multiple (input_words each), product (input_words + reciprocal_words),
// difference, reduced (remainder_words each).
//
//   LATENCY        clocks of memory that the ports hide from a machine that takes a word a clock
//
// Each of the machine's ports is a word_port; the machine stands still until all that it asks for in a clock is
// there. Lines come through reader a. The operands' numbers are the upper bits of its addresses. What one port
// has written another may read only after `settled`: then all lines go to memory.
`default_nettype none
module super_size_engine #(
    parameter logic [64:0] MODULUS = 65'h0_ffff_ffff_0000_0001,
    parameter int POINTS = 16,
    parameter int DIGIT = 28,
    parameter int LATENCY = 32
) (
    input  logic          clk,
    input  logic          reset,
    input  logic          start,
    input  logic [   1:0] operation,
    input  logic          accumulate,
    input  logic          affine,
    input  logic          reduces,
    input  logic [  15:0] terms,
    input  logic [  63:0] a_address,
    input  logic [  23:0] a_words,
    input  logic [   8:0] a_tail,
    input  logic [  31:0] a_bits,
    input  logic [  63:0] b_address,
    input  logic [  23:0] b_words,
    input  logic [   8:0] b_tail,
    input  logic [  31:0] b_bits,
    input  logic [  63:0] d_address,
    input  logic [  23:0] d_words,
    input  logic [  63:0] addend,
    input  logic [  31:0] row_excess,
    input  logic [ 511:0] record,
    input  logic [  23:0] phi_words,
    input  logic [  23:0] input_words,
    input  logic [  23:0] reciprocal_words,
    input  logic [  23:0] remainder_words,
    input  logic          pair_valid,
    output logic          pair_ready,
    input  logic [  63:0] pair_a,
    input  logic [  63:0] pair_b,
    output logic          busy,
    output logic          done,
    output logic          carry,
    output logic          remainder_reduced,
    output logic [   3:0] segment_valid,
    input  logic [   3:0] segment_ready,
    output logic [ 255:0] segment_address,
    output logic [ 127:0] segment_words,
    output logic [  95:0] segment_zeros,
    output logic [  26:0] segment_tail,
    input  logic [   2:0] in_valid,
    output logic [   2:0] in_ready,
    input  logic [1535:0] in_data,
    output logic          out_valid,
    input  logic          out_ready,
    output logic [ 511:0] out_data,
    input  logic          writer_idle,
    input  logic          written
);
  `include "register_map.svh"
  localparam int BITS = POINTS / 16 * DIGIT;
  localparam int AHEAD = (LATENCY * BITS + 511) / 512;  // lines that a port fetches ahead
  localparam int SLOT = $clog2(2 * AHEAD + 4);  // bits of a line's place in a port
  localparam int UNWRITTEN = 16;

  localparam logic [1:0] PRODUCT_OF_TWO = 2'd0;  // of operation
  localparam logic [1:0] REMAINDER_ONLY = 2'd1;
  localparam logic [1:0] SUM_OF_PAIRS = 2'd2;
  localparam logic [1:0] FROM_NOTHING = 2'd0;  // of initial_sum
  localparam logic [1:0] FROM_ITSELF = 2'd2;

  // Operands.
  localparam logic [3:0] ELEMENT = 4'd0;
  localparam logic [3:0] WEIGHT = 4'd1;
  localparam logic [3:0] A_0 = 4'd2;
  localparam logic [3:0] RECIPROCAL = 4'd3;
  localparam logic [3:0] NOISE = 4'd4;  // not in memory
  localparam logic [3:0] TOTAL = 4'd5;
  localparam logic [3:0] ROW = 4'd6;
  localparam logic [3:0] PRODUCT = 4'd7;
  localparam logic [3:0] MULTIPLE = 4'd8;
  localparam logic [3:0] DIFFERENCE = 4'd9;
  localparam logic [3:0] REDUCED = 4'd10;

  typedef enum logic [3:0] {
    IDLE,
    NOISE_ASKED,   // T comes from memory
    NOISE_COMING,
    BEGIN,
    RUN,
    SETTLE,        // lines go to memory in the middle of an operation
    SETTLED,
    DRAIN,         // and at its end
    COPY           // the remainder goes to d
  } state_t;
  state_t state;
  assign busy = state != IDLE;

  // What the machine is told.
  logic [1:0] machine_operation;
  logic adds, remainder_wanted;
  assign adds = operation == PRODUCT_OF_TWO && accumulate;
  assign machine_operation = adds ? SUM_OF_PAIRS : operation;
  assign remainder_wanted = operation == REMAINDER_ONLY || (operation[1] && reduces);

  // T = 2 R + M.
  logic [511:0] noise;
  logic message, noise_read;
  logic [BITS-1:0] noise_word;

  // Where the operands are, and how many lines they have.
  logic [63:0] scratch, element_base, weight_base;
  logic [64*16-1:0] bases;
  logic [24*16-1:0] sizes;
  logic [63:0] row_base, multiple_base, product_base, difference_base, reduced_base;
  logic [23:0] product_words;
  function automatic logic [63:0] behind(input logic [63:0] base, input logic [23:0] words);
    behind = base + {34'd0, words, 6'd0};
  endfunction
  assign scratch = record[32*CONTEXT_SCRATCH+:64];
  assign product_words = input_words + reciprocal_words;
  assign row_base = behind(scratch, input_words);
  assign multiple_base = behind(row_base, input_words);
  assign product_base = behind(multiple_base, input_words);
  assign difference_base = behind(product_base, product_words);
  assign reduced_base = behind(difference_base, remainder_words);
  always_comb begin
    bases = '0;
    sizes = '0;
    bases[64*ELEMENT+:64] = element_base;
    sizes[24*ELEMENT+:24] = a_words;
    bases[64*WEIGHT+:64] = weight_base;
    sizes[24*WEIGHT+:24] = b_words;
    bases[64*A_0+:64] = record[32*CONTEXT_MODULUS+:64];
    sizes[24*A_0+:24] = phi_words;
    bases[64*RECIPROCAL+:64] = record[32*CONTEXT_RECIPROCAL+:64];
    sizes[24*RECIPROCAL+:24] = reciprocal_words;
    bases[64*TOTAL+:64] = operation == REMAINDER_ONLY ? a_address : remainder_wanted ? scratch : d_address;
    sizes[24*TOTAL+:24] = operation == REMAINDER_ONLY ? a_words : remainder_wanted ? input_words : d_words;
    bases[64*ROW+:64] = row_base;
    sizes[24*ROW+:24] = input_words;
    bases[64*PRODUCT+:64] = remainder_wanted ? product_base : d_address;
    sizes[24*PRODUCT+:24] = remainder_wanted ? product_words : d_words;
    bases[64*MULTIPLE+:64] = multiple_base;
    sizes[24*MULTIPLE+:24] = input_words;
    bases[64*DIFFERENCE+:64] = difference_base;
    sizes[24*DIFFERENCE+:24] = remainder_words;
    bases[64*REDUCED+:64] = reduced_base;
    sizes[24*REDUCED+:24] = remainder_words;
  end

  // The machine.
  logic advance, machine_done, machine_busy, settled, fenced;
  logic machine_pair_valid, machine_pair_ready, takes_pair;
  logic x_read, y_read, partial_read, sum_read, product_write, total_write;
  logic [31:0] x_at, y_at, partial_at, sum_at, product_at, total_at, unused_cycles;
  logic [BITS-1:0] x_word, y_word, partial_word, sum_word, product_word, total_word;
  logic [3:0] served;
  assign machine_pair_valid = operation == PRODUCT_OF_TWO || pair_valid;
  assign takes_pair = advance && machine_pair_valid && machine_pair_ready;
  assign pair_ready = advance && machine_pair_ready && operation != PRODUCT_OF_TWO;
  assign advance = reset || state == BEGIN || (state == RUN && (&served) && (!settled || fenced));

  super_size_encrypt #(
      .MODULUS(MODULUS),
      .POINTS (POINTS),
      .DIGIT  (DIGIT)
  ) machine (
      .clk,
      .reset,
      .advance,
      .start          (state == BEGIN),
      .operation      (machine_operation),
      .initial_sum    (adds ? FROM_ITSELF : FROM_NOTHING),
      .affine         (affine && operation[1]),
      .reduces        (reduces && operation[1]),
      .element_bits   (a_bits == 32'd0 ? 32'd1 : a_bits),
      .weight_bits    (b_bits == 32'd0 ? 32'd1 : b_bits),
      .modulus_bits   (record[32*CONTEXT_PHI+:32]),
      .excess_bits    (record[32*CONTEXT_GAMMA+:32]),
      .row_excess_bits(row_excess),
      .shift_low      (record[32*CONTEXT_SHIFT_LOW+:32]),
      .shift_high     (record[32*CONTEXT_SHIFT_HIGH+:32]),
      .result_bits    (d_words[23] ? 32'hffff_ffff : {d_words[22:0], 9'd0}),
      .overlap        (1'b1),
      .message,
      .count          (adds ? 32'd1 : {16'd0, terms}),
      .pair_valid     (machine_pair_valid),
      .pair_ready     (machine_pair_ready),
      .pair_element   ({ELEMENT, 28'd0}),
      .pair_weight    ({WEIGHT, 28'd0}),
      .modulus_at     ({A_0, 28'd0}),
      .reciprocal_at  ({RECIPROCAL, 28'd0}),
      .noise_at       ({NOISE, 28'd0}),
      .noise_words    (32'(WORD_BITS / BITS + 1)),
      .sum_at         ({TOTAL, 28'd0}),
      .row_at         ({ROW, 28'd0}),
      .product_at     ({PRODUCT, 28'd0}),
      .multiple_at    ({MULTIPLE, 28'd0}),
      .difference_at  ({DIFFERENCE, 28'd0}),
      .reduced_at     ({REDUCED, 28'd0}),
      .busy           (machine_busy),
      .done           (machine_done),
      .cycles         (unused_cycles),
      .remainder_reduced,
      .settled,
      .x_read,
      .x_address      (x_at),
      .x_word         (noise_read ? noise_word : x_word),
      .y_read,
      .y_address      (y_at),
      .y_word,
      .partial_read,
      .partial_address(partial_at),
      .partial_word,
      .sum_read,
      .sum_address    (sum_at),
      .sum_word,
      .product_write,
      .product_address(product_at),
      .product_word,
      .total_write,
      .total_address  (total_at),
      .total_word
  );

  // Its ports: x, y, partial and product, sum and total.
  logic [3:0] reads, writes, clean, spills, fetches, granted, fills, filled_ready, stores, stored;
  logic [4*32-1:0] reads_at, writes_at;
  logic [4*BITS-1:0] words_read, words_written;
  logic [4*31-1:0] fetch_lines, store_lines;
  logic [4*SLOT-1:0] fetch_slots;
  logic [4*512-1:0] stores_data;
  logic [SLOT-1:0] fill_slot;
  logic flush, noise_wanted;
  assign noise_wanted = x_read && x_at[31:28] == NOISE;
  assign reads = {sum_read, partial_read, y_read, x_read && !noise_wanted};
  assign reads_at = {sum_at, partial_at, y_at, x_at};
  assign writes = {total_write, product_write, 2'b00};
  assign writes_at = {total_at, product_at, 64'd0};
  assign words_written = {total_word, product_word, {2 * BITS{1'b0}}};
  assign {sum_word, partial_word, y_word, x_word} = words_read;
  assign flush = state == SETTLE || state == SETTLED || state == DRAIN;
  for (genvar i = 0; i < 4; i++) begin : g_port
    word_port #(
        .BITS (BITS),
        .AHEAD(AHEAD),
        .LINES(1 << SLOT)
    ) words (
        .clk,
        .reset,
        .forget     (state == SETTLED || state == BEGIN || (i < 2 && takes_pair)),
        .advance,
        .read       (reads[i]),
        .read_at    (reads_at[32*i+:32]),
        .read_lines (sizes[24*reads_at[32*i+28+:4]+:24]),
        .word       (words_read[BITS*i+:BITS]),
        .write      (writes[i]),
        .write_at   (writes_at[32*i+:32]),
        .write_lines(sizes[24*writes_at[32*i+28+:4]+:24]),
        .write_word (words_written[BITS*i+:BITS]),
        .served     (served[i]),
        .flush,
        .clean      (clean[i]),
        .spilled    (spills[i]),
        .fetch_valid(fetches[i]),
        .fetch_ready(granted[i]),
        .fetch_line (fetch_lines[31*i+:31]),
        .fetch_slot (fetch_slots[SLOT*i+:SLOT]),
        .fill       (fills[i]),
        .fill_ready (filled_ready[i]),
        .fill_slot,
        .fill_data  (in_data[511:0]),
        .store_valid(stores[i]),
        .store_ready(stored[i]),
        .store_line (store_lines[31*i+:31]),
        .store_data (stores_data[512*i+:512])
    );
  end

  // Lines on their way to memory; the newest is number 0.
  logic [UNWRITTEN*31-1:0] unwritten;
  logic [$clog2(UNWRITTEN+1)-1:0] unwritten_lines;
  logic store_free, storing;
  logic [30:0] store_line;
  logic [1:0] store_wanted, store_left, copy_wanted;  // of the writer: its segment, its word; of it and reader a
  logic [63:0] store_address;
  logic [511:0] store_word;
  assign store_left = store_wanted & ~{segment_ready[3], out_ready};
  assign store_free = store_left == 2'd0 && unwritten_lines != $bits(unwritten_lines)'(UNWRITTEN);
  assign storing = store_free && (stores[2] || stores[3]);
  assign stored = {store_free && !stores[2], store_free, 2'b00};
  assign store_line = stores[2] ? store_lines[62+:31] : store_lines[93+:31];

  // The line that is fetched: that of the first port whose line is in memory.
  logic [3:0] fetchable, operand;
  logic [1:0] port, filled;
  logic fetching, order_ready, coming, ends;
  logic [30:0] line;
  for (genvar i = 0; i < 4; i++) begin : g_fetchable
    always_comb begin
      fetchable[i] = fetches[i];
      for (int k = 0; k < UNWRITTEN; k++)
        if (k < 32'(unwritten_lines) && unwritten[31*k+:31] == fetch_lines[31*i+:31]) fetchable[i] = 1'b0;
    end
  end
  assign port = fetchable[0] ? 2'd0 : fetchable[1] ? 2'd1 : fetchable[2] ? 2'd2 : 2'd3;
  assign fetching = fetchable != 4'd0 && order_ready;
  assign granted = fetching && segment_ready[0] ? 4'b0001 << port : 4'd0;
  assign line = fetch_lines[31*port+:31];
  assign operand = line[30:27];
  assign ends = line[26:0] + 27'd1 == {3'd0, sizes[24*operand+:24]};
  assign fills = in_valid[0] && coming ? 4'b0001 << filled : 4'd0;
  fifo #(
      .WIDTH(2 + SLOT),
      .DEPTH(32)
  ) order (
      .clk,
      .reset,
      .in_valid (granted != 4'd0),
      .in_ready (order_ready),
      .in_data  ({port, fetch_slots[SLOT*port+:SLOT]}),
      .out_valid(coming),
      .out_ready(in_valid[0] && filled_ready[filled]),
      .out_data ({filled, fill_slot})
  );

  // Segments: of a line each, or of the whole remainder.
  logic copies;
  logic [23:0] remainder_lines;
  assign copies = state == COPY;
  assign remainder_lines = phi_words < d_words ? phi_words : d_words;
  assign segment_valid = copies ? {copy_wanted[1], 2'b00, copy_wanted[0]}
      : {store_wanted[1], 1'b0, state == NOISE_ASKED, fetching};
  assign segment_address = {copies ? d_address : store_address, 64'd0, addend,
                            copies ? (remainder_reduced ? reduced_base : difference_base)
                                : bases[64*operand+:64] + {31'd0, line[26:0], 6'd0}};
  assign segment_words = {copies ? {8'd0, d_words} : 32'd1, 32'd0, 32'd1,
                          copies ? {8'd0, remainder_lines} : 32'd1};
  assign segment_zeros = {64'd0, copies ? {8'd0, d_words - remainder_lines} : 32'd0};
  always_comb begin
    segment_tail = '0;
    if (!copies && ends) begin
      if (operand == ELEMENT || (operand == TOTAL && operation == REMAINDER_ONLY)) segment_tail[8:0] = a_tail;
      if (operand == WEIGHT) segment_tail[8:0] = b_tail;
    end
  end

  // Words. What lies above phi bits in the last line of a remainder does not belong to it.
  logic [23:0] copied;
  logic [8:0] phi_tail;
  logic [511:0] copied_mask;
  assign phi_tail = record[32*CONTEXT_PHI+:9];
  assign copied_mask = copied + 24'd1 == phi_words && phi_tail != 9'd0 ? ~({512{1'b1}} << phi_tail)
      : {512{1'b1}};
  assign in_ready = {1'b0, state == NOISE_COMING, copies ? out_ready : filled_ready[filled]};
  assign out_valid = copies ? in_valid[0] : store_wanted[0];
  assign out_data = copies ? in_data[511:0] & copied_mask : store_word;

  always_ff @(posedge clk) begin
    if (storing) begin
      unwritten <= {unwritten[UNWRITTEN*31-32:0], store_line};
      store_address <= bases[64*store_line[30:27]+:64] + {31'd0, store_line[26:0], 6'd0};
      store_word <= stores[2] ? stores_data[1024+:512] : stores_data[1536+:512];
    end
    copied <= !copies ? 24'd0 : in_valid[0] && out_ready ? copied + 24'd1 : copied;
    if (takes_pair) begin
      element_base <= operation == PRODUCT_OF_TWO ? a_address : pair_a;
      weight_base <= operation == PRODUCT_OF_TWO ? b_address : pair_b;
    end
    if (advance) begin
      noise_read <= noise_wanted;
      if (noise_wanted) {noise, noise_word} <= {{BITS{noise[511]}}, noise};
    end
    if (state == NOISE_COMING) {noise, message} <= {in_data[1023], in_data[1023:512]};
  end

  always_ff @(posedge clk)
    if (reset) begin
      unwritten_lines <= '0;
      store_wanted <= 2'd0;
    end else begin
      if (storing != (written && unwritten_lines != '0))
        unwritten_lines <= storing ? unwritten_lines + 1'b1 : unwritten_lines - 1'b1;
      store_wanted <= storing ? 2'b11 : store_left;
    end

  logic all_written;
  assign all_written = (&clean) && store_wanted == 2'd0 && writer_idle;
  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done <= 1'b0;
      fenced <= 1'b0;
      copy_wanted <= 2'd0;
    end else begin
      done <= 1'b0;
      if (spills[3] && adds) carry <= 1'b1;
      case (state)
        IDLE:
        if (start) begin
          state <= affine && operation[1] ? NOISE_ASKED : BEGIN;
          carry <= 1'b0;
        end
        NOISE_ASKED: if (segment_ready[1]) state <= NOISE_COMING;
        NOISE_COMING: if (in_valid[1]) state <= BEGIN;
        BEGIN: state <= RUN;
        RUN:
        if (advance) begin
          fenced <= 1'b0;
          if (machine_done) state <= DRAIN;
        end else if (settled && !fenced) state <= SETTLE;
        SETTLE: if (all_written) state <= SETTLED;
        SETTLED: begin
          state <= RUN;
          fenced <= 1'b1;
        end
        DRAIN:
        if (all_written && !coming) begin
          state <= remainder_wanted ? COPY : IDLE;
          done <= !remainder_wanted;
          copy_wanted <= 2'b11;
        end
        COPY: begin
          copy_wanted <= copy_wanted & ~{segment_ready[3], segment_ready[0]};
          if (copy_wanted == 2'd0 && writer_idle) begin
            state <= IDLE;
            done <= 1'b1;
          end
        end
        default: state <= IDLE;
      endcase
    end

  logic unused;
  assign unused = &{1'b0, machine_busy, unused_cycles, in_data[1535:1024], in_valid[2], segment_ready[2], stores[1:0],
                    store_lines[61:0], stores_data[1023:0], spills[2:0], record};
endmodule
`default_nettype wire
