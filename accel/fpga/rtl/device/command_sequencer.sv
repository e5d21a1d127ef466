// SPDX-License-Identifier: Apache-2.0
// Commands, one after the other: checks each, runs the operations that it consists of, completes it.
//
//   reset             to idle; contexts are forgotten
//   memory_base, memory_size   of the memory, in bytes; constant
//   enable            commands are taken from the queue
//   halt_on_error     after a failure none is taken until `reset` or `stop`: halted = 1
//   stop              the command under way and those in the queue complete as aborted, contexts are
//                     forgotten; to be held until stopped = 1
//   watchdog          clocks that a command may take, 0 = any number; of a program each
//   command_*         the queue: 16 words of a descriptor, and its sequence number
//   program_*         commands of a program: see command_program; program_start: the one at program_address
//   completion        one clock; status, tag, cycles (clocks from the taking of the command), info and
//                     sequence number go with it. One for all commands of a program
//   error_address     with a completion whose status is bus_error
//   busy, reducing    a command is under way; one of its reductions is
//   quiet             memory has answered all requests
//   unit_reset        to the datapath, the read arbiter and the reader here, until `quiet`
//   read_error, read_error_address, write_error   of the operation under way
//   start .. bad_index   the operations of the datapath
//   seed_found        seed, purpose: those of the stream whose elements the command takes
//
//   FEATURES, KARAT_PARAM   what the datapath has, as the registers say it; ROW_WORDS: see engine_choice;
//                     SHIFT_BITS: see context_sizes
//
// What the commands mean and in which order they are checked: PROGRAMMING.md.
`default_nettype none
module command_sequencer #(
    parameter logic [31:0] FEATURES = 32'd0,
    parameter logic [31:0] KARAT_PARAM = 32'd0,
    parameter logic [23:0] ROW_WORDS = 24'd7,
    parameter int SHIFT_BITS = 512
) (
    input  logic         clk,
    input  logic         reset,
    input  logic [ 63:0] memory_base,
    input  logic [ 63:0] memory_size,
    input  logic         enable,
    input  logic         halt_on_error,
    input  logic         stop,
    output logic         stopped,
    output logic         halted,
    input  logic [ 31:0] watchdog,
    input  logic         command_valid,
    output logic         command_ready,
    input  logic [511:0] command_words,
    input  logic [ 31:0] command_sequence,
    output logic         program_start,
    output logic [ 63:0] program_address,
    output logic [ 15:0] program_commands,
    input  logic         program_more,
    input  logic         program_valid,
    output logic         program_ready,
    input  logic [511:0] program_command,
    input  logic [ 63:0] program_command_address,
    input  logic         program_error,
    output logic         completion,
    output logic [ 15:0] completion_status,
    output logic [ 15:0] completion_tag,
    output logic [ 31:0] completion_cycles,
    output logic [ 31:0] completion_info,
    output logic [ 31:0] completion_sequence,
    output logic         completion_irq,
    output logic [ 63:0] error_address,
    output logic         busy,
    output logic         reducing,
    input  logic         quiet,
    output logic         unit_reset,
    input  logic         read_error,
    input  logic [ 63:0] read_error_address,
    input  logic         write_error,
    output logic         read_valid,
    input  logic         read_ready,
    output logic [ 63:0] read_address,
    input  logic         response_valid,
    input  logic [511:0] response_data,
    output logic         start,
    output logic [  3:0] kind,
    output logic         accumulate,
    output logic         subtract,
    output logic         carry_in,
    output logic         double_a,
    output logic         sign_extend_b,
    output logic         drop,
    output logic         in_pairs,
    output logic [ 15:0] terms,
    output logic [  3:0] weight,
    output logic [  3:0] log2_size,
    output logic [ 63:0] record_address,
    output logic [  7:0] skip,
    output logic [ 31:0] a_bits,
    output logic [ 31:0] b_bits,
    output logic [  1:0] operation,
    output logic         affine,
    output logic         reduces,
    output logic [ 63:0] addend,
    output logic [ 31:0] row_excess,
    output logic [511:0] record,
    output logic         generated,
    output logic         seed_found,
    output logic [127:0] seed,
    output logic [ 31:0] purpose,
    output logic [ 23:0] phi_words,
    output logic [ 23:0] input_words,
    output logic [ 23:0] reciprocal_words,
    output logic [ 23:0] remainder_words,
    output logic [ 63:0] a_address,
    output logic [ 23:0] a_words,
    output logic [  8:0] a_tail,
    output logic [ 63:0] b_address,
    output logic [ 23:0] b_words,
    output logic [  8:0] b_tail,
    output logic [ 63:0] d_address,
    output logic [ 23:0] d_words,
    output logic [ 23:0] d_from,
    output logic [  2:0] four_step,
    output logic         cyclic,
    output logic         keeps,
    output logic         kept,
    output logic [ 63:0] b_points,
    output logic         pair_valid,
    input  logic         pair_ready,
    output logic [ 63:0] pair_a,
    output logic [ 63:0] pair_b,
    input  logic         done,
    input  logic         carry,
    input  logic         pad_error,
    input  logic         bad_index,
    input  logic         remainder_reduced
);
  `include "register_map.svh"
  `include "operation_kinds.svh"
  localparam logic SUPER_SIZE = FEATURES[FEATURE_SSMUL];

  typedef enum logic [4:0] {
    IDLE,
    FETCH,          // of a program: its next command comes
    CHECKSUM,
    CONTEXT,        // the context's record comes out of its memory
    SIZES,
    LENGTHS,
    REGIONS,        // the next operand that must be inside the memory
    REGION,
    RECORD,         // a context: its record comes from memory
    RECORD_SIZES,
    RECORD_LENGTHS,
    RECORD_REGIONS,
    SEED,           // of a stream: its record comes from memory
    ENTRY,          // of a list: the next term's addresses
    ENTRY_REGIONS,
    PAIR,
    SINGLE,         // operations: the only one of a command
    EMPTY_SUM,      //   sum = 0
    BEGIN_SUM,      //   sum = all terms, whose addresses follow
    TERMS,          //   sum += a term; or the end of all
    AFFINE,         //   sum = 2 sum + T
    QUOTIENT,       //   q = high part of x times A_01
    REMAINDER,      //   r = high part of q times A_0
    DIFFERENCE,     //   y = x - r
    FOLD,           //   y += the upper part of x: where r is that modulo 2^M - 1
    COMPARE,        //   y - A_0, or SRC0 - SRC1: only its borrow
    SELECT,         //   DST = y - A_0 or y
    REDUCE,         //   DST = x mod A_0, in one
    CLEAN,          // after a failure, until memory has answered all requests
    COMPLETE
  } state_t;
  state_t state, after_region;

  function automatic logic [23:0] words(input logic [63:0] bits);
    words = 24'((bits + 64'd511) >> 9);
  endfunction

  // The descriptor.
  logic [511:0] command;
  logic [7:0] opcode, flags;
  logic [15:0] context_number, aux, count;
  logic [63:0] src0, src1, dst, param;
  logic [32:0] len0, len1;
  assign opcode = command[7:0];
  assign flags = command[15:8];
  assign context_number = command[32*DESCRIPTOR_CONTEXT+:16];
  assign aux = command[32*DESCRIPTOR_CONTEXT+16+:16];
  assign src0 = command[32*DESCRIPTOR_SRC0+:64];
  assign src1 = command[32*DESCRIPTOR_SRC1+:64];
  assign dst = command[32*DESCRIPTOR_DST+:64];
  assign len0 = {1'b0, command[32*DESCRIPTOR_LEN0+:32]};
  assign len1 = {1'b0, command[32*DESCRIPTOR_LEN1+:32]};
  assign count = command[32*DESCRIPTOR_AUX2+:16];
  assign param = command[32*DESCRIPTOR_PARAM+:64];

  // What the table of opcodes says of it.
  logic [3:0] procedure;
  logic [2:0] named_engine;
  logic known, names_context, needs_context, lengths_fit, src0_may_be_dst, src1_may_be_dst;
  logic [63:0] dst_bits, src0_bits, src1_bits, param_bits;
  command_rules #(
      .FEATURES   (FEATURES),
      .KARAT_PARAM(KARAT_PARAM)
  ) rules (
      .clk,
      .command,
      .context_phi  (record[32*CONTEXT_PHI+:32]),
      .context_gamma(record[32*CONTEXT_GAMMA+:32]),
      .procedure,
      .engine       (named_engine),
      .known,
      .names_context,
      .needs_context,
      .lengths_fit,
      .dst_bits,
      .src0_bits,
      .src1_bits,
      .param_bits,
      .src0_may_be_dst,
      .src1_may_be_dst
  );
  logic is_product, is_sparse, is_reduction, is_choice, is_nested, is_list, is_polynomials, is_selection, is_windows;
  logic is_weighted, is_program, is_sqr, is_affine, is_cyclic;
  assign is_product = procedure == PROCEDURE_PRODUCT;
  assign is_sparse = procedure == PROCEDURE_SPARSE_PRODUCT;
  assign is_reduction = procedure == PROCEDURE_REDUCTION;
  assign is_choice = procedure == PROCEDURE_CHOICE;
  assign is_nested = procedure == PROCEDURE_ROWS;
  assign is_list = procedure == PROCEDURE_TERMS || is_nested;
  assign is_polynomials = procedure == PROCEDURE_POLYNOMIALS;
  assign is_selection = procedure == PROCEDURE_SELECTION;
  assign is_windows = procedure == PROCEDURE_WINDOWS;
  assign is_weighted = procedure == PROCEDURE_WEIGHTED;
  assign is_program = procedure == PROCEDURE_PROGRAM;
  assign is_sqr = opcode == OP_SQR;
  assign is_affine = opcode == OP_AFFINE;
  assign is_cyclic = is_reduction && reduction_steps != 3'd0;

  // A reduction whose second product is in four steps: modulo 2^M - 1, M the bits of so many words.
  logic [2:0] reduction_steps;
  logic [23:0] cyclic_words;
  assign reduction_steps = aux[FIELD_MODRED_FOUR_STEP+:FIELD_MODRED_FOUR_STEP_BITS];
  assign cyclic_words = 24'(FOUR_STEP_WORDS) << (reduction_steps - 3'd1);
  // And the first one in four steps too, of twice as many points, if it fits: transforms of A_0, then of A_01, at SRC1.
  logic keeps_transforms;
  assign keeps_transforms = is_cyclic && aux[FIELD_MODRED_KEEPS];
  assign keeps = four_step != 3'd0 && keeps_transforms;
  assign kept = keeps && aux[FIELD_MODRED_KEPT];
  assign b_points = src1 + (state == QUOTIENT ? 64'h10_0000 << reduction_steps : 64'd0);

  // Variants of a list, and of elements.
  logic sparse_terms, affine_sum, reduced, streams, row_holds, rows_are_slower, super_size_sum, of_elements, stored, of_stream;
  logic [2:0] engine;
  logic [23:0] len0_words;
  assign sparse_terms = procedure == PROCEDURE_TERMS && aux[FIELD_PRODUCT_SUM_SPARSE];
  assign affine_sum = is_list && (is_nested ? aux[FIELD_NESTED_SUM_AFFINE] : aux[FIELD_PRODUCT_SUM_AFFINE]);
  assign reduced = is_list && needs_context;
  assign of_elements = is_selection || is_windows || is_weighted;
  assign skip = aux[FIELD_WINDOWS_SKIP+:FIELD_WINDOWS_SKIP_BITS];
  assign stored = is_selection ? aux[FIELD_SELECTION_STORED] : is_windows && aux[FIELD_WINDOWS_STORED];
  assign of_stream = (of_elements && !stored) || (procedure == PROCEDURE_TERMS && aux[FIELD_PRODUCT_SUM_GENERATED]);
  assign engine = sparse_terms ? 3'(ENGINE_FASTEST) : named_engine;
  assign super_size_sum = is_nested || (SUPER_SIZE && is_list && !sparse_terms &&
      (engine == 3'(ENGINE_FASTEST) || engine == 3'(ENGINE_SSMUL)));
  // In rows a term takes 128 + 64 / 7 clocks for each word of A_i, by THROUGHPUT 1,170 and 8 / 3 for each. Both in time for
  // the last of REGIONS.
  always_ff @(posedge clk) begin
    rows_are_slower <= FEATURES[FEATURE_THROUGHPUT] && len0_words > 24'd168;
    row_holds <= len1 + 33'(SUM_MARGIN) <= {ROW_WORDS, 9'd0};
  end
  assign streams = sparse_terms || super_size_sum || (FEATURES[FEATURE_FFTMUL] && row_holds &&
      ((engine == 3'(ENGINE_FASTEST) && !rows_are_slower) || engine == 3'(ENGINE_FFTMUL)));

  // Operands of the descriptor in words; 0 for those that it does not have.
  logic [23:0] len1_words, src0_words, src1_words, dst_words, param_words;
  logic [26:0] entries_listed;
  always_ff @(posedge clk) begin
    len0_words <= words(64'(len0));
    len1_words <= words(64'(len1));
    src0_words <= words(src0_bits);
    src1_words <= words(src1_bits);
    dst_words <= words(dst_bits);
    param_words <= words(param_bits);
    entries_listed <= 27'(param_bits >> $clog2(ENTRY_BITS));
  end

  // Contexts, and the sizes of the one in use.
  logic [511:0] contexts[CONTEXTS];
  logic [CONTEXTS-1:0] context_set;
  logic [23:0] low_words, shift_words, quotient_words, kept_words, sum_words;
  logic [25:0] scratch_words;
  logic sound, judged, may_lose;
  logic [63:0] modulus, reciprocal, quotient, context_remainder, remainder, sum;
  context_sizes #(
      .SHIFT_BITS(SHIFT_BITS)
  ) sizes (
      .clk,
      .reset,
      .start (state == RECORD_SIZES),
      .ready (judged),
      .record(record[127:0]),
      .phi_words,
      .input_words,
      .low_words,
      .shift_words,
      .reciprocal_words,
      .quotient_words,
      .kept_words,
      .remainder_words,
      .sum_words,
      .scratch_words,
      .sound,
      .may_lose
  );
  assign modulus = record[32*CONTEXT_MODULUS+:64];
  assign reciprocal = record[32*CONTEXT_RECIPROCAL+:64];
  assign quotient = record[32*CONTEXT_SCRATCH+:64];
  always_ff @(posedge clk) begin  // in time for REGION, four and five clocks after the record is there
    context_remainder <= quotient + {34'd0, quotient_words, 6'd0};
    sum <= SUPER_SIZE ? quotient : context_remainder + {34'd0, remainder_words, 6'd0};
  end
  assign remainder = is_cyclic ? param : context_remainder;

  // What multiplies: in a command or its terms, in QUOTIENT, in REMAINDER. In time for the last of REGIONS, as are the
  // lengths of parts of what is reduced.
  logic multiplies, input_is_short;
  logic [71:0] factor_words, other_factor_words;
  logic [11:0] product_kinds;
  logic [23:0] input_length, upper_words, difference_words, lower_words, folded_words, selected_words;
  assign input_length = is_reduction ? src0_words : input_words;
  assign difference_words = is_cyclic ? cyclic_words : remainder_words;
  assign factor_words = {kept_words, upper_words, is_list ? len0_words : src0_words};
  assign other_factor_words = {phi_words, reciprocal_words, is_list ? len1_words : is_sqr ? src0_words : src1_words};
  for (genvar i = 0; i < 3; i++) begin : g_choice
    logic [3:0] chosen;
    engine_choice #(
        .FEATURES (FEATURES),
        .ROW_WORDS(ROW_WORDS)
    ) choice (
        .engine (i == 0 ? engine : 3'(ENGINE_FASTEST)),
        .a_words(factor_words[24*i+:24]),
        .b_words(other_factor_words[24*i+:24]),
        .kind   (chosen)
    );
    always_ff @(posedge clk) product_kinds[4*i+:4] <= chosen;
  end
  always_ff @(posedge clk) begin
    upper_words <= input_length > low_words ? input_length - low_words : 24'd0;
    lower_words <= input_length < difference_words ? input_length : difference_words;
    input_is_short <= input_length <= difference_words;
    folded_words <= input_length > difference_words ? input_length - difference_words : 24'd0;
    selected_words <= remainder_words < dst_words ? remainder_words : dst_words;
  end

  logic context_exists;
  assign context_exists = context_number < 16'(CONTEXTS);

  // Bits by which the sum of a row may exceed the modulus.
  logic [33:0] row, phi;
  assign phi = {2'd0, record[32*CONTEXT_PHI+:32]};
  assign row = {1'b0, len0} + {1'b0, len1} + 34'(SUM_MARGIN);
  always_ff @(posedge clk) row_excess <= row > phi ? 32'(row - phi) : 32'd0;

  assign log2_size = aux[FIELD_KARAT_LOG2_SIZE+:FIELD_KARAT_LOG2_SIZE_BITS];
  assign record_address = param;

  // The list of terms.
  logic [511:0] entries;
  logic [2:0] entries_here;
  logic [26:0] terms_left;
  logic [15:0] column;  // of rows: the terms in this one
  logic [23:0] weight_words;
  logic [3:0] term_weight;
  logic no_weight;  // a row's factor
  logic entry_b, entry_taken, first_term, streaming;  // an operation takes the pairs as they come
  assign pair_a = is_list ? entries[63:0] : src0;
  assign pair_b = is_list ? entries[127:64] : src1;
  assign entry_taken = (state == PAIR && pair_ready) || (state == TERMS && !streaming && done);
  assign pair_valid = state == PAIR || (state == SINGLE && is_sparse);
  assign term_weight = aux[FIELD_PRODUCT_SUM_WEIGHT+:FIELD_PRODUCT_SUM_WEIGHT_BITS];
  assign weight_words = sparse_terms ? {23'd0, term_weight != 4'd0} : len1_words;
  always_ff @(posedge clk) no_weight <= is_nested && column == count;  // an entry is looked at two clocks after it came

  // One region of memory, named the clock before REGION: inside, and apart from the destination where it must be. No sum
  // of an address and a length wraps around.
  logic [1:0] region;
  logic [63:0] named_address, region_address;
  logic [65:0] region_end, dst_end, memory_end;
  logic [25:0] named_words, region_words, scratch_region_words;
  logic region_apart, region_may_equal, overlaps, outside;
  always_comb begin
    named_address = dst;
    named_words = {2'd0, dst_words};
    case (state)
      RECORD_REGIONS:
      case (region)
        2'd0: begin
          named_address = modulus;
          named_words = {2'd0, phi_words};
        end
        2'd1: begin
          named_address = reciprocal;
          named_words = {2'd0, reciprocal_words};
        end
        default: begin
          named_address = quotient;
          named_words = scratch_region_words;
        end
      endcase
      ENTRY_REGIONS: begin
        named_address = entry_b ? pair_b : pair_a;
        named_words = {2'd0, !entry_b ? (of_stream ? 24'd0 : len0_words) : no_weight ? 24'd0 : weight_words};
      end
      default:
      case (region)
        2'd1: begin
          named_address = src0;
          named_words = {2'd0, src0_words};
        end
        2'd2: begin
          named_address = src1;
          named_words = {2'd0, src1_words};
        end
        2'd3: begin
          named_address = param;
          named_words = {2'd0, param_words};
        end
        default: ;
      endcase
    endcase
  end
  always_ff @(posedge clk) begin
    region_address <= named_address;
    region_words <= named_words;
    scratch_region_words <= scratch_words;
    region_end <= {2'd0, named_address} + {34'd0, named_words, 6'd0};
    dst_end <= {2'd0, dst} + {36'd0, dst_words, 6'd0};
    memory_end <= {2'd0, memory_base} + {2'd0, memory_size};
  end
  assign outside = region_address < memory_base || region_end > memory_end;
  assign overlaps = region_apart && dst_words != 24'd0 && {2'd0, region_address} < dst_end && {2'd0, dst} < region_end &&
      !(region_may_equal && region_address == dst);

  // Reads of records and lists; and of what a stream is made.
  logic seed_asked, list_asked, list_ready, list_valid, list_taken;
  logic [511:0] list_word;
  logic unused_pad, unused_idle;
  memory_reader list_reader (
      .clk,
      .reset          (unit_reset),
      .clear          (1'b0),
      .segment_valid  (list_asked),
      .segment_ready  (list_ready),
      .segment_address(state == SEED ? src0 : param),
      .segment_words  (state == SEED ? 32'd1 : {8'd0, param_words}),
      .segment_zeros  (32'd0),
      .segment_tail   (9'd0),
      .out_valid      (list_valid),
      .out_ready      (list_taken),
      .out_data       (list_word),
      .pad_error      (unused_pad),
      .idle           (unused_idle),
      .read_valid,
      .read_ready,
      .read_address,
      .response_valid,
      .response_data
  );
  assign list_taken = state == RECORD || state == SEED || (state == ENTRY && entries_here == 3'd0);

  assign seed_found = state == SEED && list_valid;
  assign seed = list_word[32*STREAM_SEED+:128];
  assign purpose = list_word[32*STREAM_PURPOSE+:32];

  // CRC-32 of the first 15 words, one a clock.
  logic [31:0] checksum, checked;
  logic [3:0] checked_word, next_word;
  assign next_word = checked_word + 4'd1;
  function automatic logic [31:0] crc32(input logic [31:0] remainder_so_far, input logic [31:0] word);
    crc32 = remainder_so_far ^ word;
    for (int i = 0; i < 32; i++) crc32 = {1'b0, crc32[31:1]} ^ (crc32[0] ? 32'hedb8_8320 : 32'd0);
  endfunction

  // The operation that a state stands for.
  logic operating, started, carried, borrow, spilled;
  logic [63:0] input_address, upper_address, kept_address, folded_address, sum_address;
  logic [23:0] sum_length;
  assign operating = state == SINGLE || state == EMPTY_SUM || state == BEGIN_SUM ||
      (state == TERMS && !streaming) || state == AFFINE || state == QUOTIENT || state == REMAINDER ||
      state == DIFFERENCE || state == FOLD || state == COMPARE || state == SELECT || state == REDUCE;
  assign start = operating && !started;
  assign reducing = state == QUOTIENT || state == REMAINDER || state == DIFFERENCE || state == FOLD ||
      state == REDUCE || (needs_context && (state == COMPARE || state == SELECT));
  assign input_address = is_reduction ? src0 : sum;  // what is reduced
  always_ff @(posedge clk) begin
    upper_address <= input_address + {34'd0, low_words, 6'd0};
    kept_address <= quotient + {34'd0, shift_words, 6'd0};
    folded_address <= input_address + {34'd0, difference_words, 6'd0};
  end
  assign sum_address = reduced ? sum : dst;
  assign sum_length = reduced ? sum_words : dst_words;
  assign in_pairs = streaming;
  assign terms = is_list || of_elements ? count : 16'd1;
  assign operation = state == REDUCE ? 2'd1 : is_nested ? 2'd3 : is_list ? 2'd2 : 2'd0;
  assign a_bits = len0[31:0];
  assign b_bits = is_sqr ? len0[31:0] : len1[31:0];
  assign affine = affine_sum;
  assign reduces = reduced;
  assign addend = src1;
  state_t first_of_reduction;
  assign first_of_reduction = SUPER_SIZE ? REDUCE : QUOTIENT;
  logic check_pad;
  logic [3:0] other_kind;
  assign kind = four_step != 3'd0 ? THROUGHPUT : !multiplies ? other_kind
      : product_kinds[state == QUOTIENT ? 4 : state == REMAINDER ? 8 : 0+:4];
  always_comb begin
    other_kind = SUM;
    multiplies = 1'b0;
    generated = 1'b0;
    accumulate = 1'b0;
    subtract = 1'b0;
    carry_in = 1'b0;
    double_a = 1'b0;
    sign_extend_b = 1'b0;
    drop = 1'b0;
    weight = aux[3:0];
    check_pad = flags[FLAG_CHECK_PAD];
    a_address = src0;
    a_words = src0_words;
    a_tail = len0[8:0];
    b_address = src1;
    b_words = src1_words;
    b_tail = len1[8:0];
    d_address = dst;
    d_words = dst_words;
    d_from = 24'd0;
    four_step = 3'd0;
    cyclic = 1'b0;
    case (streaming ? TERMS : state)
      SINGLE: begin
        multiplies = is_product;
        if (is_product && !flags[FLAG_ACCUMULATE]) four_step = aux[FIELD_MUL_FOUR_STEP+:FIELD_MUL_FOUR_STEP_BITS];
        if (is_sparse) other_kind = SPARSE;
        if (is_polynomials) begin
          other_kind = POLYNOMIALS;
          a_tail = 9'(KARAT_PARAM[15:8]);  // of the record: bits of a coefficient
        end
        if (of_elements) begin
          other_kind = is_windows ? WINDOWS : is_selection ? SELECTION : THROUGHPUT;
          generated = of_stream;
          a_address = param;
          a_words = src1_words;
        end
        if (is_selection)
          a_words = 24'(command[32*DESCRIPTOR_AUX2+FIELD_SELECTION_SUM_WORDS+:FIELD_SELECTION_SUM_WORDS_BITS]);
        if (is_windows)
          weight = aux[FIELD_WINDOWS_MASKS] ? aux[FIELD_WINDOWS_WIDTH+:FIELD_WINDOWS_WIDTH_BITS] : 4'd0;
        if (is_weighted) begin
          a_words = len0_words;
          b_words = len1_words;
        end
        accumulate = flags[FLAG_ACCUMULATE] && !is_weighted;
        subtract = opcode == OP_SUB;
        double_a = is_affine;
        sign_extend_b = is_affine;
        if (is_sqr) begin
          b_address = src0;
          b_words = src0_words;
        end
        if (is_sparse || is_affine || is_sqr) b_tail = 9'd0;
      end
      EMPTY_SUM: begin
        a_words = 24'd0;
        b_words = 24'd0;
        d_address = sum_address;
        d_words = sum_length;
      end
      TERMS: begin
        multiplies = !streams;
        generated = of_stream;
        other_kind = sparse_terms ? SPARSE : super_size_sum ? SUPER : SERIAL;
        accumulate = !first_term;
        weight = term_weight;
        a_address = pair_a;
        a_words = len0_words;
        b_address = pair_b;
        b_words = weight_words;
        if (sparse_terms) b_tail = 9'd0;
        if (!super_size_sum) begin
          d_address = sum_address;
          d_words = sum_length;
        end
      end
      AFFINE: begin
        double_a = 1'b1;
        sign_extend_b = 1'b1;
        check_pad = 1'b0;
        a_address = sum_address;
        a_words = sum_length;
        d_address = sum_address;
        d_words = sum_length;
      end
      QUOTIENT: begin
        multiplies = 1'b1;
        check_pad = is_reduction && flags[FLAG_CHECK_PAD];
        a_address = upper_address;
        a_words = upper_words;
        b_address = reciprocal;
        b_words = reciprocal_words;
        b_tail = 9'd0;
        d_address = quotient;
        d_words = quotient_words;
        // Nobody looks at the words below. What they lack is 2^-464 of q, so q may be smaller by one than it would be.
        if (may_lose) d_from = shift_words;
        if (keeps_transforms && quotient_words <= {cyclic_words[22:0], 1'b0}) four_step = reduction_steps + 3'd1;
      end
      REMAINDER: begin
        multiplies = 1'b1;
        check_pad = 1'b0;
        a_address = kept_address;
        a_words = kept_words;
        b_address = modulus;
        b_words = phi_words;
        d_address = remainder;
        d_words = difference_words;
        if (is_cyclic) four_step = reduction_steps;
        cyclic = is_cyclic;
      end
      // Modulo 2^M - 1 a carry is one more, and a borrow one less: each goes into the next sum. FOLD computes y + 1 + k
      // (2^M - 1) with k = 0 or 1, and because of the 1 its carry is k: y is one less than its result, or as much.
      DIFFERENCE: begin
        subtract = 1'b1;
        carry_in = is_cyclic && carried;
        check_pad = is_reduction && flags[FLAG_CHECK_PAD] && input_is_short;
        a_address = input_address;
        a_words = lower_words;
        b_address = remainder;
        b_words = difference_words;
        b_tail = 9'd0;
        d_address = remainder;
        d_words = difference_words;
      end
      FOLD: begin
        carry_in = !carried;
        check_pad = 1'b0;  // done: with QUOTIENT
        a_address = remainder;
        a_words = difference_words;
        b_address = folded_address;
        b_words = folded_words;
        d_address = remainder;
        d_words = difference_words;
      end
      COMPARE, SELECT: begin
        subtract = 1'b1;
        carry_in = is_cyclic && !carried;
        if (needs_context) begin
          check_pad = 1'b0;
          a_address = remainder;
          a_words = state == COMPARE ? remainder_words : selected_words;
          b_address = modulus;
          b_words = phi_words;
          d_words = state == COMPARE ? remainder_words : dst_words;
        end
        if (state == COMPARE) drop = 1'b1;
        else if (borrow) b_words = 24'd0;
      end
      REDUCE: begin
        other_kind = SUPER;
        check_pad = is_reduction && flags[FLAG_CHECK_PAD];
        a_address = input_address;
        a_words = input_length;
      end
      default: ;
    endcase
    if (!check_pad) begin
      a_tail = 9'd0;
      b_tail = 9'd0;
    end
  end

  // The sequence.
  logic expired, interrupted, bus_error, cleaning;
  logic [31:0] cycles, command_cycles;
  logic [15:0] status, tag;
  logic [31:0] sequence_number;
  logic [63:0] failed_address;
  assign busy = state != IDLE;
  assign command_ready = state == IDLE && (stop || (enable && !halted));
  assign expired = watchdog != 32'd0 && command_cycles >= watchdog;
  assign interrupted = (stop || expired) && busy && state != CLEAN && state != COMPLETE;
  assign bus_error = read_error || write_error;
  assign failed_address = read_error ? read_error_address : d_address;
  assign stopped = stop && state == IDLE && !command_valid;
  assign unit_reset = reset || state == CLEAN;
  logic subtracted, undecided;
  logic [31:0] info;
  assign info = (32'(spilled) << INFO_CARRY) | (32'(subtracted) << INFO_SUBTRACTED) |
      (32'(undecided) << INFO_UNDECIDED);

  // A program: what its commands have said, and how many of them have been completed.
  logic in_program, continues, of_program;
  logic [INFO_COMMANDS-1:0] infos;
  logic [15:0] completed;
  assign program_start = state == REGION && after_region == FETCH;  // a wrong list is forgotten in CLEAN
  assign program_ready = state == FETCH;
  assign program_address = param;
  assign program_commands = count;
  assign of_program = in_program && status == STATUS_OK;  // in COMPLETE: such a command is completed
  assign continues = of_program && program_more;

  logic irq;
  assign completion = state == COMPLETE && !continues;
  assign completion_status = status;
  assign completion_tag = tag;
  assign completion_cycles = cycles;
  assign completion_info = !in_program ? info
      : {completed + 16'(of_program), infos | (info[INFO_COMMANDS-1:0] & {INFO_COMMANDS{of_program}})};
  assign completion_sequence = sequence_number;
  assign completion_irq = irq;

  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      after_region <= IDLE;
      halted <= 1'b0;
      context_set <= '0;
      started <= 1'b0;
      cleaning <= 1'b0;
      list_asked <= 1'b0;
      status <= STATUS_OK;
    end else begin
      if (busy) cycles <= cycles + 32'd1;
      if (busy) command_cycles <= command_cycles + 32'd1;
      if (list_ready) list_asked <= 1'b0;
      started <= operating && !done;
      cleaning <= state == CLEAN;  // from its second clock on no request enters the memory
      if (state == IDLE || state == FETCH) begin
        checksum <= 32'hffff_ffff;
        checked_word <= 4'd0;
        region <= 2'd0;
        spilled <= 1'b0;
        subtracted <= 1'b0;
        undecided <= 1'b0;
      end
      case (state)
        IDLE: begin
          cycles <= 32'd0;
          command_cycles <= 32'd0;
          in_program <= 1'b0;
          infos <= '0;
          completed <= 16'd0;
          if (stop) begin
            halted <= 1'b0;
            context_set <= '0;
          end
          if (command_valid && command_ready) begin
            command <= command_words;
            checked <= command_words[31:0];
            sequence_number <= command_sequence;
            tag <= command_words[31:16];
            irq <= command_words[8+FLAG_IRQ];
            status <= stop ? STATUS_ABORTED : STATUS_OK;
            state <= stop ? COMPLETE : CHECKSUM;
          end
        end
        FETCH:
        if (program_valid) begin
          command <= program_command;
          checked <= program_command[31:0];
          in_program <= 1'b1;
          state <= CHECKSUM;
          if (program_error) begin
            status <= STATUS_BUS_ERROR;
            error_address <= program_command_address;
            state <= CLEAN;
          end
        end
        CHECKSUM: begin
          checked_word <= next_word;
          checked <= command[32*next_word+:32];
          checksum <= crc32(checksum, checked);
          if (!flags[FLAG_CRC] || checked_word == 4'(DESCRIPTOR_CRC)) begin
            record <= contexts[context_number[1:0]];
            state <= CONTEXT;
            if (flags[FLAG_CRC] && ~checksum != command[32*DESCRIPTOR_CRC+:32]) begin
              status <= STATUS_CRC;
              state  <= CLEAN;
            end else if (!known || (in_program && is_program)) begin
              status <= STATUS_BAD_OPCODE;
              state  <= CLEAN;
            end else if ((names_context && !context_exists) ||
                         (needs_context && !(context_exists && context_set[context_number[1:0]]))) begin
              status <= STATUS_NO_CTX;
              state  <= CLEAN;
            end
          end
        end
        CONTEXT: state <= SIZES;
        SIZES: state <= LENGTHS;
        LENGTHS: begin
          terms_left <= entries_listed;
          column <= 16'd0;
          entries_here <= 3'd0;
          seed_asked <= 1'b0;
          entry_b <= 1'b0;
          first_term <= 1'b1;
          streaming <= 1'b0;
          if (lengths_fit) state <= procedure == PROCEDURE_NONE ? COMPLETE : REGIONS;
          else begin
            status <= STATUS_LENGTH;
            state  <= CLEAN;
          end
        end
        REGIONS: begin
          region <= region + 2'd1;
          after_region <= REGIONS;
          state <= REGION;
          region_apart <= region != 2'd0;
          region_may_equal <= (region == 2'd1 && src0_may_be_dst) || (region == 2'd2 && src1_may_be_dst);
          if (region == 2'd3) begin
            if (procedure == PROCEDURE_CONTEXT) after_region <= RECORD;
            else if (is_list && count == 16'd0) after_region <= EMPTY_SUM;
            else if (of_stream) after_region <= SEED;
            else if (of_elements) after_region <= SINGLE;
            else if (is_program) after_region <= count == 16'd0 ? COMPLETE : FETCH;
            else if (is_list) after_region <= streams ? BEGIN_SUM : ENTRY;
            else if (is_reduction) after_region <= first_of_reduction;
            else if (is_choice) begin
              after_region <= dst_words == 24'd0 ? COMPLETE : COMPARE;
              subtracted   <= dst_words == 24'd0;  // 0 is not less than 0
            end
            else after_region <= dst_words == 24'd0 ? COMPLETE : SINGLE;
          end
        end
        REGION: begin
          state <= after_region;
          if (region_words != 26'd0) begin
            if (region_address[5:0] != 6'd0) begin
              status <= STATUS_BAD_ALIGN;
              state  <= CLEAN;
            end else if (outside) begin
              status <= STATUS_RANGE;
              state  <= CLEAN;
            end else if (overlaps) begin
              status <= STATUS_OVERLAP;
              state  <= CLEAN;
            end else if (after_region == RECORD || after_region == BEGIN_SUM || after_region == ENTRY)
              list_asked <= 1'b1;
          end
          if (after_region == BEGIN_SUM) streaming <= 1'b1;
        end
        RECORD:
        if (list_valid) begin
          record <= list_word;
          region <= 2'd0;
          state  <= RECORD_SIZES;
          if (bus_error) begin
            status <= STATUS_BUS_ERROR;
            error_address <= read_error_address;
            state <= CLEAN;
          end
        end
        RECORD_SIZES: state <= RECORD_LENGTHS;
        RECORD_LENGTHS:
        if (!judged) state <= RECORD_LENGTHS;
        else if (sound && record[32*CONTEXT_SCRATCH_WORDS+:32] >= {6'd0, scratch_words})
          state <= RECORD_REGIONS;
        else begin
          status <= STATUS_LENGTH;
          state  <= CLEAN;
        end
        RECORD_REGIONS: begin
          region <= region + 2'd1;
          after_region <= RECORD_REGIONS;
          state <= REGION;
          region_apart <= 1'b0;
          if (region == 2'd3) begin
            contexts[context_number[1:0]] <= record;
            context_set[context_number[1:0]] <= 1'b1;
            state <= COMPLETE;
          end
        end
        SEED: begin
          seed_asked <= 1'b1;
          if (!seed_asked) list_asked <= 1'b1;
          else if (list_valid) begin
            if (bus_error) begin
              status <= STATUS_BUS_ERROR;
              error_address <= read_error_address;
              state <= CLEAN;
            end else begin
              list_asked <= is_list;
              streaming <= is_list && streams;
              state <= !is_list ? SINGLE : streams ? BEGIN_SUM : ENTRY;
            end
          end
        end
        ENTRY: begin
          if (entries_here != 3'd0) state <= ENTRY_REGIONS;
          else if (list_valid) begin
            entries <= list_word;
            entries_here <= 3'd4;
            if (bus_error) begin
              status <= STATUS_BUS_ERROR;
              error_address <= failed_address;
              state <= CLEAN;
            end
          end
        end
        ENTRY_REGIONS: begin
          entry_b <= !entry_b;
          region_apart <= 1'b1;
          region_may_equal <= 1'b0;
          after_region <= !entry_b ? ENTRY_REGIONS : streaming ? PAIR : TERMS;
          state <= REGION;
        end
        PAIR: if (pair_ready) state <= terms_left == 27'd1 ? TERMS : ENTRY;
        BEGIN_SUM: state <= ENTRY;
        CLEAN: if (cleaning && quiet) state <= COMPLETE;
        COMPLETE: begin
          command_cycles <= 32'd0;
          infos <= completion_info[INFO_COMMANDS-1:0];
          completed <= completed + 16'(of_program);
          state <= continues ? FETCH : IDLE;
          if (status != STATUS_OK && halt_on_error) halted <= 1'b1;
        end
        default:
        if (done) begin
          case (state)
            SINGLE: begin
              spilled <= carry && !is_affine && !is_windows;
              undecided <= carry && is_windows;
              state   <= COMPLETE;
            end
            EMPTY_SUM, TERMS: begin
              first_term <= 1'b0;
              streaming <= 1'b0;
              state <= terms_left > 27'd1 && !streaming ? ENTRY
                  : streaming && super_size_sum ? COMPLETE
                  : affine_sum ? AFFINE : reduced ? first_of_reduction : COMPLETE;
              subtracted <= streaming && super_size_sum && reduced && remainder_reduced;
            end
            AFFINE: state <= reduced ? first_of_reduction : COMPLETE;
            REDUCE: begin
              subtracted <= remainder_reduced;
              state <= COMPLETE;
            end
            QUOTIENT: state <= REMAINDER;
            REMAINDER: begin
              carried <= carry;
              state   <= DIFFERENCE;
            end
            DIFFERENCE: begin
              carried <= carry;
              state   <= is_cyclic ? FOLD : COMPARE;
            end
            FOLD: begin
              carried <= carry;
              state   <= COMPARE;
            end
            COMPARE: begin
              borrow <= carry;
              subtracted <= !carry;
              state <= SELECT;
            end
            default: state <= COMPLETE;
          endcase
        end
      endcase
      if (entry_taken) begin
        entries <= {128'd0, entries[511:128]};
        entries_here <= entries_here - 3'd1;
        terms_left <= terms_left - 27'd1;
        column <= column == count ? 16'd0 : column + 16'd1;
      end
      // In any state, since a bad index ends a sum before all of its pairs are there.
      if (done && (bus_error || bad_index || pad_error)) begin
        status <= bus_error ? STATUS_BUS_ERROR : bad_index ? STATUS_LENGTH : STATUS_PAD_NOT_ZERO;
        error_address <= failed_address;
        state <= CLEAN;
      end
      if (interrupted) begin
        status <= stop ? STATUS_ABORTED : STATUS_WATCHDOG;
        state  <= CLEAN;
      end
    end

  logic unused;
  assign unused = &{1'b0, unused_pad, unused_idle, flags};
endmodule
`default_nettype wire
