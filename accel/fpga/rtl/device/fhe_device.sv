// SPDX-License-Identifier: Apache-2.0
// The device: registers behind AXI-Lite, a command sequencer, a datapath, one memory port.
//
//   reset               everything; the memory forgets its requests as well
//   memory_base, memory_size   of the device memory, in bytes; constant
//   s_axi_*             registers of 32 bits in 4 KiB, see PROGRAMMING.md
//   irq                 level
//   read_valid, read_ready     read_address: requests, one word of 512 bits each
//   response_valid             response_data, response_error: answers in the order of the requests, taken
//                              at once
//   write_valid, write_ready   write_address, write_data
//   written_valid              written_error: one acknowledgement for each write, in order
//
//   MUL768, STREAM768, LHW     the engines that there are: what FEATURES says, and SIMULATED with it
//   SERIAL_LOG2_POINTS         of the low-latency multiplier; 0: there is none
//   THROUGHPUT_LOG2_POINTS     of multiplier_throughput; 0: there is none
//   KARATSUBA_BITS, _SIZE      BITS and SIZE of the polynomial_engine; 0 bits: there is none
//   SUPER_MODULUS, SUPER_POINTS, SUPER_DIGIT   of super_size_engine; POINTS = 0: there is none
//   ELEMENTS                   elements of streams are generated; not together with super_size_engine
//   LINE_WORDS                 words of them that are made at a time, 4 or 8
//   ROM_DIR                    folder of the twiddle factors, with a slash at its end
`default_nettype none
module fhe_device #(
    parameter logic MUL768 = 1'b1,
    parameter logic STREAM768 = 1'b1,
    parameter logic LHW = 1'b1,
    parameter int SERIAL_LOG2_POINTS = 8,
    parameter int THROUGHPUT_LOG2_POINTS = 0,
    parameter int KARATSUBA_BITS = 0,
    parameter int KARATSUBA_SIZE = 0,
    parameter logic [64:0] SUPER_MODULUS = 65'h0_ffff_ffff_0000_0001,
    parameter int SUPER_POINTS = 0,
    parameter int SUPER_DIGIT = 28,
    parameter logic ELEMENTS = 1'b1,
    parameter int LINE_WORDS = 4,
    parameter logic SIMULATED = 1'b0,
    parameter ROM_DIR = ""
) (
    input  logic         clk,
    input  logic         reset,
    input  logic [ 63:0] memory_base,
    input  logic [ 63:0] memory_size,
    input  logic         s_axi_awvalid,
    output logic         s_axi_awready,
    input  logic [ 11:0] s_axi_awaddr,
    input  logic [  2:0] s_axi_awprot,
    input  logic         s_axi_wvalid,
    output logic         s_axi_wready,
    input  logic [ 31:0] s_axi_wdata,
    input  logic [  3:0] s_axi_wstrb,
    output logic         s_axi_bvalid,
    input  logic         s_axi_bready,
    output logic [  1:0] s_axi_bresp,
    input  logic         s_axi_arvalid,
    output logic         s_axi_arready,
    input  logic [ 11:0] s_axi_araddr,
    input  logic [  2:0] s_axi_arprot,
    output logic         s_axi_rvalid,
    input  logic         s_axi_rready,
    output logic [ 31:0] s_axi_rdata,
    output logic [  1:0] s_axi_rresp,
    output logic         irq,
    output logic         read_valid,
    input  logic         read_ready,
    output logic [ 63:0] read_address,
    input  logic         response_valid,
    input  logic [511:0] response_data,
    input  logic         response_error,
    output logic         write_valid,
    input  logic         write_ready,
    output logic [ 63:0] write_address,
    output logic [511:0] write_data,
    input  logic         written_valid,
    input  logic         written_error
);
  `include "register_map.svh"
  `include "operation_kinds.svh"
  localparam int COUNTERS = 12;
  localparam logic HAS_SERIAL = SERIAL_LOG2_POINTS != 0;
  localparam logic HAS_SUPER_SIZE = SUPER_POINTS != 0;
  localparam logic HAS_THROUGHPUT = THROUGHPUT_LOG2_POINTS != 0;
  localparam logic HAS_ELEMENTS = ELEMENTS && !HAS_SUPER_SIZE;
  localparam logic HAS_KARATSUBA = KARATSUBA_BITS != 0;
  localparam logic MULTIPLIES = MUL768 || STREAM768 || HAS_SERIAL || HAS_THROUGHPUT || HAS_SUPER_SIZE;
  localparam logic [23:0] ROW_WORDS = SERIAL_LOG2_POINTS < 10 ? 24'(7 * 2 ** (SERIAL_LOG2_POINTS - 8)) : 24'd21;
  localparam int SUPER_WORD = SUPER_POINTS / 16 * SUPER_DIGIT;
  localparam int READERS = 5;  // three of the datapath, lists, programs
  localparam logic [31:0] FEATURES = (32'(MUL768) << FEATURE_MUL768) | (32'(STREAM768) << FEATURE_STREAM768) |
      (32'(HAS_SERIAL) << FEATURE_FFTMUL) | (32'(LHW) << FEATURE_LHW) | (32'd1 << FEATURE_ACC) |
      (32'(HAS_THROUGHPUT) << FEATURE_THROUGHPUT) | (32'(THROUGHPUT_LOG2_POINTS >= 15) << FEATURE_FOUR_STEP) | (32'(HAS_SUPER_SIZE) << FEATURE_SSMUL) | (32'(HAS_SUPER_SIZE) << FEATURE_NESTED_SUM) |
      (32'(MULTIPLIES) << FEATURE_MODRED) | (32'(MULTIPLIES) << FEATURE_PRODUCT_SUM) |
      (32'd1 << FEATURE_IRQ) | (32'd1 << FEATURE_PERF) | (32'd1 << FEATURE_CMDRING) |
      (32'(HAS_KARATSUBA) << FEATURE_KARAT) | (32'(HAS_ELEMENTS) << FEATURE_ELEMENTS) | (32'd1 << FEATURE_RUN) |
      (32'(SIMULATED) << FEATURE_SIMULATED);
  localparam logic [31:0] KARAT_PARAM = HAS_KARATSUBA ? 32'((KARATSUBA_BITS << 8) | $clog2(KARATSUBA_SIZE)) : 32'd0;

  // Registers.
  logic write, read, enable, halt_on_error, stop, stopped, restart, busy, halted, reducing;
  logic [11:0] register_written, register_read;
  logic [31:0] written_value, read_value, watchdog;
  logic word_write, doorbell, refused, completion_taken;
  logic [3:0] word_index;
  logic [4:0] space;
  logic completion, completion_irq;
  logic [15:0] completion_status, completion_tag;
  logic [31:0] completion_cycles, completion_info, completion_sequence;
  logic [63:0] error_address;
  logic [COUNTERS-1:0] events;

  axi_lite_slave registers_port (
      .clk,
      .reset,
      .awvalid      (s_axi_awvalid),
      .awready      (s_axi_awready),
      .awaddr       (s_axi_awaddr),
      .awprot       (s_axi_awprot),
      .wvalid       (s_axi_wvalid),
      .wready       (s_axi_wready),
      .wdata        (s_axi_wdata),
      .wstrb        (s_axi_wstrb),
      .bvalid       (s_axi_bvalid),
      .bready       (s_axi_bready),
      .bresp        (s_axi_bresp),
      .arvalid      (s_axi_arvalid),
      .arready      (s_axi_arready),
      .araddr       (s_axi_araddr),
      .arprot       (s_axi_arprot),
      .rvalid       (s_axi_rvalid),
      .rready       (s_axi_rready),
      .rdata        (s_axi_rdata),
      .rresp        (s_axi_rresp),
      .write,
      .write_address(register_written),
      .write_data   (written_value),
      .read,
      .read_address (register_read),
      .read_data    (read_value)
  );
  device_registers #(
      .FEATURES   (FEATURES),
      .FFT_PARAM  (HAS_SERIAL ? (32'd28 << 8) | SERIAL_LOG2_POINTS : 32'd0),
      .SS_PARAM   (HAS_SUPER_SIZE ? {16'(SUPER_WORD), 8'(SUPER_DIGIT), 8'($clog2(SUPER_POINTS))} : 32'd0),
      .KARAT_PARAM(KARAT_PARAM),
      .THROUGHPUT_PARAM(HAS_THROUGHPUT ? (32'd24 << 8) | THROUGHPUT_LOG2_POINTS : 32'd0),
      .ELEMENTS_PARAM(HAS_ELEMENTS ? LINE_WORDS : 32'd0),
      .COUNTERS   (COUNTERS)
  ) registers (
      .clk,
      .reset,
      .memory_base,
      .memory_size,
      .write,
      .write_address(register_written),
      .write_data   (written_value),
      .read,
      .read_address (register_read),
      .read_data    (read_value),
      .irq,
      .enable,
      .halt_on_error,
      .watchdog,
      .stop,
      .stopped,
      .restart,
      .busy,
      .halted,
      .word_write,
      .word_index,
      .doorbell,
      .refused,
      .space,
      .completion_taken,
      .completion,
      .completion_status,
      .completion_tag,
      .completion_cycles,
      .completion_info,
      .completion_sequence,
      .completion_irq,
      .error_address,
      .events
  );

  // Commands.
  logic command_valid, command_ready;
  logic [511:0] command;
  logic [31:0] command_sequence;
  command_queue #(
      .DEPTH(QUEUE_DEPTH)
  ) commands (
      .clk,
      .reset,
      .restart,
      .word_write,
      .word_index,
      .word             (written_value),
      .doorbell,
      .doorbell_sequence(written_value),
      .refused,
      .completion_taken,
      .space,
      .command_valid,
      .command_ready,
      .command,
      .command_sequence
  );

  logic quiet, unit_reset, read_error, write_error, start, accumulate, subtract, carry_in, double_a;
  logic sign_extend_b, drop, in_pairs, pair_valid, pair_ready, done, carry, pad_error, bad_index, computing;
  logic [63:0] read_error_address, a_address, b_address, d_address, record_address, pair_a, pair_b;
  logic [23:0] a_words, b_words, d_words, d_from;
  logic [2:0] four_step;
  logic cyclic, keeps, kept;
  logic [63:0] b_points;
  logic [8:0] a_tail, b_tail;
  logic [15:0] terms;
  logic [3:0] weight, log2_size;
  logic [1:0] operation;
  logic affine, reduces, remainder_reduced;
  logic [7:0] skip;
  logic [31:0] a_bits, b_bits, row_excess;
  logic [63:0] addend;
  logic [511:0] record;
  logic generated, seed_found;
  logic [127:0] seed;
  logic [31:0] purpose;
  logic [23:0] phi_words, input_words, reciprocal_words, remainder_words;
  logic [3:0] kind;
  logic [READERS-1:0] client_valid, client_ready, client_response;
  logic [64*READERS-1:0] client_address;
  logic program_start, program_more, program_valid, program_ready, program_error;
  logic [63:0] program_address, program_command_address;
  logic [15:0] program_commands;
  logic [511:0] program_command;
  command_program program_reader (
      .clk,
      .reset          (unit_reset),
      .start          (program_start),
      .address        (program_address),
      .commands       (program_commands),
      .more           (program_more),
      .command_valid  (program_valid),
      .command_ready  (program_ready),
      .command        (program_command),
      .command_address(program_command_address),
      .command_error  (program_error),
      .read_valid     (client_valid[4]),
      .read_ready     (client_ready[4]),
      .read_address   (client_address[319:256]),
      .response_valid (client_response[4]),
      .response_data,
      .response_error
  );
  command_sequencer #(
      .FEATURES   (FEATURES),
      .ROW_WORDS  (ROW_WORDS),
      .KARAT_PARAM(KARAT_PARAM),
      .SHIFT_BITS (HAS_SUPER_SIZE ? SUPER_WORD : WORD_BITS)
  ) sequencer (
      .clk,
      .reset,
      .memory_base,
      .memory_size,
      .enable,
      .halt_on_error,
      .stop,
      .stopped,
      .halted,
      .watchdog,
      .command_valid,
      .command_ready,
      .command_words     (command),
      .command_sequence,
      .program_start,
      .program_address,
      .program_commands,
      .program_more,
      .program_valid,
      .program_ready,
      .program_command,
      .program_command_address,
      .program_error,
      .completion,
      .completion_status,
      .completion_tag,
      .completion_cycles,
      .completion_info,
      .completion_sequence,
      .completion_irq,
      .error_address,
      .busy,
      .reducing,
      .quiet,
      .unit_reset,
      .read_error,
      .read_error_address,
      .write_error,
      .read_valid        (client_valid[3]),
      .read_ready        (client_ready[3]),
      .read_address      (client_address[255:192]),
      .response_valid    (client_response[3]),
      .response_data,
      .start,
      .kind,
      .accumulate,
      .subtract,
      .carry_in,
      .double_a,
      .sign_extend_b,
      .drop,
      .in_pairs,
      .terms,
      .weight,
      .log2_size,
      .record_address,
      .skip,
      .a_bits,
      .b_bits,
      .operation,
      .affine,
      .reduces,
      .addend,
      .row_excess,
      .record,
      .generated,
      .seed_found,
      .seed,
      .purpose,
      .phi_words,
      .input_words,
      .reciprocal_words,
      .remainder_words,
      .a_address,
      .a_words,
      .a_tail,
      .b_address,
      .b_words,
      .b_tail,
      .d_address,
      .d_words,
      .d_from,
      .four_step,
      .cyclic,
      .keeps,
      .kept,
      .b_points,
      .pair_valid,
      .pair_ready,
      .pair_a,
      .pair_b,
      .done,
      .carry,
      .pad_error,
      .bad_index,
      .remainder_reduced
  );

  // Computation.
  logic [31:0] reads_outstanding, writes_outstanding;
  assign quiet = reads_outstanding == 32'd0 && writes_outstanding == 32'd0;
  datapath #(
      .MUL768            (MUL768),
      .STREAM768         (STREAM768),
      .SERIAL_LOG2_POINTS(SERIAL_LOG2_POINTS),
      .THROUGHPUT_LOG2_POINTS(THROUGHPUT_LOG2_POINTS),
      .LHW               (LHW),
      .SUPER_MODULUS     (SUPER_MODULUS),
      .SUPER_POINTS      (SUPER_POINTS),
      .SUPER_DIGIT       (SUPER_DIGIT),
      .ELEMENTS          (HAS_ELEMENTS),
      .LINE_WORDS        (LINE_WORDS),
      .KARATSUBA_BITS    (KARATSUBA_BITS),
      .KARATSUBA_SIZE    (KARATSUBA_SIZE),
      .ROM_DIR           (ROM_DIR)
  ) operations (
      .clk,
      .reset         (unit_reset),
      .power_reset   (reset),
      .start,
      .kind,
      .accumulate,
      .subtract,
      .carry_in,
      .double_a,
      .sign_extend_b,
      .drop,
      .in_pairs,
      .terms,
      .weight,
      .log2_size,
      .record_address,
      .skip,
      .a_bits,
      .b_bits,
      .operation,
      .affine,
      .reduces,
      .addend,
      .row_excess,
      .record,
      .generated,
      .seed_found,
      .seed,
      .purpose,
      .phi_words,
      .input_words,
      .reciprocal_words,
      .remainder_words,
      .a_address,
      .a_words,
      .a_tail,
      .b_address,
      .b_words,
      .b_tail,
      .d_address,
      .d_words,
      .d_from,
      .four_step,
      .cyclic,
      .keeps,
      .kept,
      .b_points,
      .pair_valid,
      .pair_ready,
      .pair_a,
      .pair_b,
      .busy          (computing),
      .done,
      .carry,
      .pad_error,
      .bad_index,
      .remainder_reduced,
      .read_valid    (client_valid[2:0]),
      .read_ready    (client_ready[2:0]),
      .read_address  (client_address[191:0]),
      .response_valid(client_response[2:0]),
      .response_data,
      .write_valid,
      .write_ready,
      .write_address,
      .write_data,
      .written_valid,
      .written_error,
      .write_error,
      .writes_outstanding
  );
  read_arbiter #(
      .CLIENTS   (READERS),
      .OWN_ERRORS(5'b10000)
  ) arbiter (
      .clk,
      .reset                (unit_reset),
      .power_reset          (reset),
      .clear                (!busy),
      .client_read_valid    (client_valid),
      .client_read_ready    (client_ready),
      .client_read_address  (client_address),
      .client_response_valid(client_response),
      .read_valid,
      .read_ready,
      .read_address,
      .response_valid,
      .response_error,
      .error                (read_error),
      .error_address        (read_error_address),
      .outstanding          (reads_outstanding)
  );

  always_comb begin
    events = '0;
    events[COUNTER_CYCLES] = 1'b1;
    events[COUNTER_BUSY] = busy;
    events[COUNTER_MUL] = computing && kind != SUM && kind != SELECTION && kind != SPARSE;
    events[COUNTER_LHW] = computing && kind == SPARSE;
    events[COUNTER_RED] = reducing;
    events[COUNTER_ACC] = computing && (kind == SUM || kind == SELECTION);
    events[COUNTER_RD_BEATS] = response_valid;
    events[COUNTER_WR_BEATS] = write_valid && write_ready;
    events[COUNTER_RD_STALL] = read_valid && !read_ready;
    events[COUNTER_WR_STALL] = write_valid && !write_ready;
    events[COUNTER_CMDS] = completion;
    events[COUNTER_ERRORS] = completion && completion_status != STATUS_OK;
  end
endmodule
`default_nettype wire
