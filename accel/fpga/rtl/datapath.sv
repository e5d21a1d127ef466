// One operation at a time on integers in memory: readers, execution units, writer.
//
//   reset           to idle, whatever is under way; requests to the memory stay outstanding
//   power_reset     and these are forgotten too
//   start           heard when busy = 0; what follows goes with it and stays until `done`:
//   kind            what is computed, see below
//   accumulate      product, gather, sparse: d = d + result
//   subtract, double_a, sign_extend_b, drop     sum: see sum_unit
//   slots, slot_words   gather: see operand_segments; the numbers come through pair_write before start
//   weight          sparse: number of indices
//   a_*, b_*, d_*   address, words; tail: bits used in the last word, 0 = all
//   check_pad       bits above the tails must be 0
//   busy, done      done is one clock, when all results are in memory
//   carry           with done, sum: carry or borrow; else: the result exceeds d
//   pad_error       with done: check_pad found a one
//   bad_index       with done, sparse: an index is 4096 or more; nothing was written
//
//   kind    SUM       d = a +- b
//           PRODUCT   d = a b, by blocks
//           GATHER    d = sum of the products of the pairs, a_words and b_words words each
//           SPARSE    d = a times the number whose indices are the word b
//
// d_words >= 1; the result fills d with zeros above. d may be a or b for sums only. See PROGRAMMING.md.
`default_nettype none
module datapath #(
    parameter ROM_DIR = ""
) (
    input  logic         clk,
    input  logic         reset,
    input  logic         power_reset,
    input  logic         start,
    input  logic [  1:0] kind,
    input  logic         accumulate,
    input  logic         subtract,
    input  logic         double_a,
    input  logic         sign_extend_b,
    input  logic         drop,
    input  logic [  4:0] slots,
    input  logic [ 23:0] slot_words,
    input  logic [  3:0] weight,
    input  logic         check_pad,
    input  logic [ 63:0] a_address,
    input  logic [ 23:0] a_words,
    input  logic [  8:0] a_tail,
    input  logic [ 63:0] b_address,
    input  logic [ 23:0] b_words,
    input  logic [  8:0] b_tail,
    input  logic [ 63:0] d_address,
    input  logic [ 23:0] d_words,
    input  logic         pair_write,
    input  logic [  3:0] pair_slot,
    input  logic [ 63:0] pair_a,
    input  logic [ 63:0] pair_b,
    output logic         busy,
    output logic         done,
    output logic         carry,
    output logic         pad_error,
    output logic         bad_index,
    // three clients of the read port, the lowest 64 bits of the addresses the first's
    output logic [  2:0] read_valid,
    input  logic [  2:0] read_ready,
    output logic [191:0] read_address,
    input  logic [  2:0] response_valid,
    input  logic [511:0] response_data,
    output logic         write_valid,
    input  logic         write_ready,
    output logic [ 63:0] write_address,
    output logic [511:0] write_data,
    input  logic         written_valid,
    input  logic         written_error,
    output logic         write_error,
    output logic [ 31:0] writes_outstanding
);
  `include "register_map.svh"
  `include "operation_kinds.svh"

  typedef enum logic [2:0] {
    IDLE,
    BLOCK,    // the next block of a product is being found
    FEED,     // readers, writer and unit get their commands
    INDICES,  // the word of indices is awaited
    RUN,
    DRAIN     // results are on their way to memory
  } state_t;
  state_t state;

  logic product, sum, gather, sparse;
  assign sum = kind == SUM;
  assign product = kind == PRODUCT;
  assign gather = kind == GATHER;
  assign sparse = kind == SPARSE;

  // Blocks of a product: the longer operand first.
  logic b_longer, block_valid, block_next, block_full, block_last;
  logic [23:0] long_at, long_count, short_at, short_count, block_at, block_result, block_old;
  assign b_longer = b_words > a_words;
  product_blocks blocks (
      .clk,
      .reset,
      .start            (start && !busy && product),
      .accumulate,
      .long_words       (b_longer ? b_words : a_words),
      .short_words      (b_longer ? a_words : b_words),
      .destination_words(d_words),
      .next             (block_next),
      .valid            (block_valid),
      .long_at,
      .long_count,
      .short_at,
      .short_count,
      .full_load        (block_full),
      .at               (block_at),
      .result_words     (block_result),
      .old_words        (block_old),
      .last             (block_last)
  );

  // What the readers, the writer and the unit do for a block, or for the whole operation.
  logic [23:0] a_at, a_count, a_total, b_at, b_count, b_total, d_at, d_count, old_count;
  logic full, full_load;
  assign full = gather || block_full;
  always_ff @(posedge clk) begin
    a_at <= product ? (b_longer ? short_at : long_at) : 24'd0;
    b_at <= product ? (b_longer ? long_at : short_at) : 24'd0;
    a_count <= product ? (b_longer ? short_count : long_count) : a_words;
    b_count <= product ? (b_longer ? long_count : short_count) : b_words;
    d_at <= product ? block_at : 24'd0;
    d_count <= product ? block_result : d_words;
    old_count <= product ? block_old : accumulate ? d_words : 24'd0;
    full_load <= full;
    case (kind)
      SUM: begin
        a_total <= d_words;
        b_total <= sign_extend_b ? 24'd1 : d_words;
      end
      SPARSE: begin
        a_total <= a_words == 24'd0 ? 24'd1 : a_words;
        b_total <= 24'd1;
      end
      default: begin
        a_total <= full ? 24'(PRODUCT_WORDS) : 24'(PRODUCT_WORDS / 2);
        b_total <= full ? 24'(PRODUCT_WORDS) : 24'(PRODUCT_WORDS / 2);
      end
    endcase
  end

  logic feed, settled;
  assign feed = state == FEED && settled;

  // Readers: a, b, and what is already in the destination.
  logic a_feeding, b_feeding, old_feeding, write_feeding;
  logic [2:0] segment_valid, segment_ready, pad_errors, stream_valid, stream_ready;
  logic [191:0] segment_address;
  logic [95:0] segment_words, segment_zeros;
  logic [26:0] segment_tail;
  logic [1535:0] stream_data;

  operand_segments segments_a (
      .clk,
      .reset,
      .write          (pair_write),
      .write_slot     (pair_slot),
      .write_address  (pair_a),
      .start          (feed),
      .gather,
      .address        (a_address + {34'd0, a_at, 6'd0}),
      .words          (a_count),
      .tail           (check_pad && a_at + a_count == a_words ? a_tail : 9'd0),
      .slots,
      .slot_words,
      .total          (a_total),
      .busy           (a_feeding),
      .segment_valid  (segment_valid[0]),
      .segment_ready  (segment_ready[0]),
      .segment_address(segment_address[63:0]),
      .segment_words  (segment_words[31:0]),
      .segment_zeros  (segment_zeros[31:0]),
      .segment_tail   (segment_tail[8:0])
  );
  operand_segments #(
      .REVERSED(1)
  ) segments_b (
      .clk,
      .reset,
      .write          (pair_write),
      .write_slot     (pair_slot),
      .write_address  (pair_b),
      .start          (feed),
      .gather,
      .address        (b_address + {34'd0, b_at, 6'd0}),
      .words          (b_count),
      .tail           (check_pad && b_at + b_count == b_words ? b_tail : 9'd0),
      .slots,
      .slot_words,
      .total          (b_total),
      .busy           (b_feeding),
      .segment_valid  (segment_valid[1]),
      .segment_ready  (segment_ready[1]),
      .segment_address(segment_address[127:64]),
      .segment_words  (segment_words[63:32]),
      .segment_zeros  (segment_zeros[63:32]),
      .segment_tail   (segment_tail[17:9])
  );

  always_ff @(posedge clk)
    if (reset) begin
      old_feeding <= 1'b0;
      write_feeding <= 1'b0;
    end else if (feed) begin
      old_feeding <= !sum;
      write_feeding <= !drop;
    end else begin
      if (segment_ready[2]) old_feeding <= 1'b0;
      if (write_segment_ready) write_feeding <= 1'b0;
    end
  assign segment_valid[2] = old_feeding;
  assign segment_address[191:128] = d_address + {34'd0, d_at, 6'd0};
  assign segment_words[95:64] = {8'd0, old_count};
  assign segment_zeros[95:64] = {8'd0, d_count - old_count};
  assign segment_tail[26:18] = 9'd0;

  for (genvar i = 0; i < 3; i++) begin : g_reader
    logic unused_idle;
    memory_reader reader (
        .clk,
        .reset,
        .clear          (start && !busy),
        .segment_valid  (segment_valid[i]),
        .segment_ready  (segment_ready[i]),
        .segment_address(segment_address[64*i+:64]),
        .segment_words  (segment_words[32*i+:32]),
        .segment_zeros  (segment_zeros[32*i+:32]),
        .segment_tail   (segment_tail[9*i+:9]),
        .out_valid      (stream_valid[i]),
        .out_ready      (stream_ready[i]),
        .out_data       (stream_data[512*i+:512]),
        .pad_error      (pad_errors[i]),
        .idle           (unused_idle),
        .read_valid     (read_valid[i]),
        .read_ready     (read_ready[i]),
        .read_address   (read_address[64*i+:64]),
        .response_valid (response_valid[i]),
        .response_data
    );
  end
  assign pad_error = |pad_errors;

  // Units.
  logic unit_start, product_start, sparse_start, sum_start;
  logic product_busy, product_done, product_carry, sparse_busy, sparse_done, sparse_overflow;
  logic sum_busy, sum_done, sum_carry, unit_done;
  logic [2:0] product_ready;
  logic [1:0] sum_ready;
  logic sparse_x_ready, sparse_old_ready;
  logic product_valid, sparse_valid, sum_valid, out_valid, out_ready;
  logic [511:0] product_data, sparse_data, sum_data, out_data;
  logic [239:0] indices;
  assign product_start = unit_start && (product || gather);
  assign sparse_start = unit_start && sparse;
  assign sum_start = unit_start && sum;
  assign unit_done = product_done || sparse_done || sum_done;

  product_unit #(
      .ROM_DIR(ROM_DIR)
  ) products (
      .clk,
      .reset,
      .start       (product_start),
      .full_load,
      .skip_words  (gather ? {8'd0, gather_skip} : 32'd0),
      .take_words  (gather ? {8'd0, slot_words} : 32'(PRODUCT_WORDS)),
      .result_words({8'd0, d_count}),
      .busy        (product_busy),
      .done        (product_done),
      .carry_out   (product_carry),
      .a_valid     (stream_valid[0] && product_busy),
      .a_ready     (product_ready[0]),
      .a_data      (stream_data[511:0]),
      .b_valid     (stream_valid[1] && product_busy),
      .b_ready     (product_ready[1]),
      .b_data      (stream_data[1023:512]),
      .old_valid   (stream_valid[2] && product_busy),
      .old_ready   (product_ready[2]),
      .old_data    (stream_data[1535:1024]),
      .out_valid   (product_valid),
      .out_ready   (out_ready && product_busy),
      .out_data    (product_data)
  );
  logic [23:0] gather_skip;
  always_ff @(posedge clk) gather_skip <= {19'd0, slots - 5'd1} * slot_words;

  sparse_unit #(
      .BLOCK_BITS(SPARSE_BLOCK_BITS)
  ) sparse_products (
      .clk,
      .reset,
      .start       (sparse_start),
      .weight,
      .indices,
      .x_words     ({8'd0, a_total}),
      .result_words({8'd0, d_count}),
      .busy        (sparse_busy),
      .done        (sparse_done),
      .overflow    (sparse_overflow),
      .x_valid     (stream_valid[0] && sparse_busy),
      .x_ready     (sparse_x_ready),
      .x_data      (stream_data[511:0]),
      .old_valid   (stream_valid[2] && sparse_busy),
      .old_ready   (sparse_old_ready),
      .old_data    (stream_data[1535:1024]),
      .out_valid   (sparse_valid),
      .out_ready   (out_ready && sparse_busy),
      .out_data    (sparse_data)
  );

  sum_unit sums (
      .clk,
      .reset,
      .start        (sum_start),
      .words        ({8'd0, d_count}),
      .subtract,
      .double_a,
      .sign_extend_b,
      .drop,
      .busy         (sum_busy),
      .done         (sum_done),
      .carry_out    (sum_carry),
      .a_valid      (stream_valid[0] && sum_busy),
      .a_ready      (sum_ready[0]),
      .a_data       (stream_data[511:0]),
      .b_valid      (stream_valid[1] && sum_busy),
      .b_ready      (sum_ready[1]),
      .b_data       (stream_data[1023:512]),
      .out_valid    (sum_valid),
      .out_ready    (out_ready && sum_busy),
      .out_data     (sum_data)
  );

  logic index_taken;
  assign index_taken = state == INDICES && stream_valid[1];
  assign stream_ready = product_busy ? product_ready : sum_busy ? {1'b0, sum_ready}
      : {sparse_busy && sparse_old_ready, index_taken, sparse_busy && sparse_x_ready};
  assign out_valid = product_valid || sparse_valid || sum_valid;
  assign out_data = product_busy ? product_data : sparse_busy ? sparse_data : sum_data;

  logic write_segment_ready, writer_idle;
  memory_writer writer (
      .clk,
      .reset,
      .power_reset,
      .clear          (start && !busy),
      .segment_valid  (write_feeding),
      .segment_ready  (write_segment_ready),
      .segment_address(segment_address[191:128]),
      .segment_words  ({8'd0, d_count}),
      .in_valid       (out_valid),
      .in_ready       (out_ready),
      .in_data        (out_data),
      .idle           (writer_idle),
      .error          (write_error),
      .outstanding    (writes_outstanding),
      .write_valid,
      .write_ready,
      .write_address,
      .write_data,
      .written_valid,
      .written_error
  );

  // Indices of a sparse number: 16 bits each, of which 12 may be set.
  logic [14:0] index_too_large;
  for (genvar i = 0; i < 15; i++) begin : g_index
    assign index_too_large[i] = 4'(i) < weight && stream_data[512+16*i+12+:4] != 4'd0;
  end
  always_ff @(posedge clk) if (index_taken) indices <= stream_data[512+:240];

  // The operation.
  assign busy = state != IDLE;
  assign block_next = state == DRAIN && writer_idle && product;
  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      done <= 1'b0;
      unit_start <= 1'b0;
      settled <= 1'b0;
      bad_index <= 1'b0;
    end else begin
      done <= 1'b0;
      unit_start <= 1'b0;
      settled <= state == FEED && !settled;
      case (state)
        IDLE:
        if (start) begin
          state <= product ? BLOCK : FEED;
          bad_index <= 1'b0;
          carry <= 1'b0;
        end
        BLOCK: if (block_valid) state <= FEED;
        FEED:
        if (settled) begin
          state <= sparse ? INDICES : RUN;
          unit_start <= !sparse;
        end
        INDICES:
        if (stream_valid[1]) begin
          if (|index_too_large) begin
            state <= IDLE;
            done <= 1'b1;
            bad_index <= 1'b1;
          end else begin
            state <= RUN;
            unit_start <= 1'b1;
          end
        end
        RUN:
        if (unit_done) begin
          state <= DRAIN;
          // Any block of a product that is added can be the one whose sum runs over.
          carry <= carry || (product_done ? product_carry : sparse_done ? sparse_overflow : sum_carry);
        end
        DRAIN:
        if (writer_idle) begin
          if (product && !block_last) state <= BLOCK;
          else begin
            state <= IDLE;
            done <= 1'b1;
          end
        end
        default: state <= IDLE;
      endcase
    end

  logic unused;
  assign unused = &{1'b0, a_feeding, b_feeding};
endmodule
`default_nettype wire
