// SPDX-License-Identifier: Apache-2.0
// The registers of the device: what the driver writes and reads, the completions, the interrupt.
//
//   write, read        see axi_lite_slave; read_data follows `read` two clocks later
//   memory_base, memory_size   of the device memory, in bytes; constant
//   enable .. watchdog to the sequencer; stop until stopped
//   restart            of the sequence numbers, with the end of a soft reset
//   word_write .. space   the command queue
//   completion_*       one clock for each; there is always room, since the queue counts them
//   events             for the counters
//   irq                level
//
//   FEATURES, .._PARAM what the registers of these names say
//
// PROGRAMMING.md; register_map.svh has the addresses.
`default_nettype none
module device_registers #(
    parameter logic [31:0] FEATURES = 32'd0,
    parameter logic [31:0] FFT_PARAM = 32'd0,
    parameter logic [31:0] SS_PARAM = 32'd0,
    parameter logic [31:0] KARAT_PARAM = 32'd0,
    parameter logic [31:0] THROUGHPUT_PARAM = 32'd0,
    parameter logic [31:0] ELEMENTS_PARAM = 32'd0,
    parameter int COUNTERS = 12
) (
    input  logic                clk,
    input  logic                reset,
    input  logic [        63:0] memory_base,
    input  logic [        63:0] memory_size,
    input  logic                write,
    input  logic [        11:0] write_address,
    input  logic [        31:0] write_data,
    input  logic                read,
    input  logic [        11:0] read_address,
    output logic [        31:0] read_data,
    output logic                irq,
    output logic                enable,
    output logic                halt_on_error,
    output logic [        31:0] watchdog,
    output logic                stop,
    input  logic                stopped,
    output logic                restart,
    input  logic                busy,
    input  logic                halted,
    output logic                word_write,
    output logic [         3:0] word_index,
    output logic                doorbell,
    input  logic                refused,
    input  logic [         4:0] space,
    output logic                completion_taken,
    input  logic                completion,
    input  logic [        15:0] completion_status,
    input  logic [        15:0] completion_tag,
    input  logic [        31:0] completion_cycles,
    input  logic [        31:0] completion_info,
    input  logic [        31:0] completion_sequence,
    input  logic                completion_irq,
    input  logic [        63:0] error_address,
    input  logic [COUNTERS-1:0] events
);
  `include "register_map.svh"

  // Written registers.
  logic irq_enable, perf_clear, perf_freeze;
  logic [2:0] irq_status, irq_mask, irq_events;
  logic [31:0] scratch;
  logic write_ctrl;
  assign write_ctrl = write && write_address == REG_CTRL;
  assign word_write = write && write_address[11:6] == REG_CMD_WINDOW[11:6];
  assign word_index = write_address[5:2];
  assign doorbell = write && write_address == REG_CMD_DOORBELL;
  assign perf_clear = write_ctrl && write_data[CTRL_PERF_CLEAR];
  assign restart = stop && stopped;
  assign irq = irq_enable && (irq_status & irq_mask) != 3'd0;

  logic failed;
  assign failed = completion && completion_status != STATUS_OK;
  always_comb begin
    irq_events = 3'd0;
    irq_events[IRQ_COMPLETION] = completion && completion_irq;
    irq_events[IRQ_ERROR] = failed;
    irq_events[IRQ_WATCHDOG] = completion && completion_status == STATUS_WATCHDOG;
  end

  always_ff @(posedge clk)
    if (reset) begin
      enable <= 1'b0;
      irq_enable <= 1'b0;
      halt_on_error <= 1'b0;
      perf_freeze <= 1'b0;
      stop <= 1'b0;
      watchdog <= 32'd0;
      scratch <= 32'd0;
      irq_status <= 3'd0;
      irq_mask <= 3'd0;
    end else begin
      stop <= (stop && !stopped) || (write_ctrl && write_data[CTRL_SOFT_RESET]);
      if (write_ctrl) begin
        enable <= write_data[CTRL_ENABLE];
        irq_enable <= write_data[CTRL_IRQ_ENABLE];
        halt_on_error <= write_data[CTRL_HALT_ON_ERROR];
        perf_freeze <= write_data[CTRL_PERF_FREEZE];
      end
      if (write && write_address == REG_WATCHDOG) watchdog <= write_data;
      if (write && write_address == REG_SCRATCH) scratch <= write_data;
      if (write && write_address == REG_IRQ_MASK) irq_mask <= write_data[2:0];
      irq_status <= irq_events |
          (irq_status & ~(write && write_address == REG_IRQ_STATUS ? write_data[2:0] : 3'd0));
    end

  // The first failure.
  logic [15:0] err_code, err_tag;
  logic [63:0] err_address;
  always_ff @(posedge clk)
    if (reset || restart) begin
      err_code <= STATUS_OK;
      err_tag <= 16'd0;
      err_address <= 64'd0;
    end else if (err_code == STATUS_OK) begin
      if (failed) begin
        err_code <= completion_status;
        err_tag <= completion_tag;
        err_address <= completion_status == STATUS_BUS_ERROR ? error_address : 64'd0;
      end else if (refused) err_code <= STATUS_SEQUENCE;
    end

  // Completions.
  logic completion_here, room;
  logic [127:0] oldest;
  fifo #(
      .WIDTH(128),
      .DEPTH(QUEUE_DEPTH)
  ) completions (
      .clk,
      .reset,
      .in_valid (completion),
      .in_ready (room),
      .in_data  ({completion_sequence, completion_info, completion_cycles, completion_tag, completion_status}),
      .out_valid(completion_here),
      .out_ready(completion_taken),
      .out_data (oldest)
  );
  assign completion_taken = read && completion_here &&
      read_address == REG_CPL_WINDOW + 12'(4 * COMPLETION_SEQUENCE);

  logic read_is_counter, value_is_counter;
  assign read_is_counter = read_address[11:7] == REG_PERF[11:7];
  logic [31:0] counter_value;
  performance_counters #(
      .COUNTERS(COUNTERS)
  ) counters (
      .clk,
      .reset,
      .clear     (perf_clear),
      .freeze    (perf_freeze),
      .events,
      .read      (read && read_is_counter),
      .word_index(read_address[6:2]),
      .value     (counter_value)
  );

  // Reads.
  logic [31:0] status, ctrl, value;
  always_comb begin
    status = 32'd0;
    status[DEVICE_STATUS_IDLE] = !busy && space == 5'(QUEUE_DEPTH);
    status[DEVICE_STATUS_BUSY] = busy;
    status[DEVICE_STATUS_HALTED] = halted;
    status[DEVICE_STATUS_CMD_FULL] = space == 5'd0;
    status[DEVICE_STATUS_CPL_AVAILABLE] = completion_here;
    ctrl = 32'd0;
    ctrl[CTRL_ENABLE] = enable;
    ctrl[CTRL_SOFT_RESET] = stop;
    ctrl[CTRL_IRQ_ENABLE] = irq_enable;
    ctrl[CTRL_HALT_ON_ERROR] = halt_on_error;
    ctrl[CTRL_PERF_FREEZE] = perf_freeze;
  end
  always_ff @(posedge clk)
    if (read) begin
      value_is_counter <= read_is_counter;
      case (read_address)
        REG_MAGIC: value <= MAGIC;
        REG_VERSION: value <= VERSION;
        REG_FEATURES: value <= FEATURES;
        REG_BUILD_ID: value <= BUILD_ID;
        REG_FFT_PARAM: value <= FFT_PARAM;
        REG_LHW_PARAM:
        value <= FEATURES[FEATURE_LHW] ? {8'(SPARSE_INDEX_BITS), 8'(SPARSE_WEIGHT), 16'(SPARSE_BLOCK_BITS)} : 32'd0;
        REG_SS_PARAM: value <= SS_PARAM;
        REG_KARAT_PARAM: value <= KARAT_PARAM;
        REG_THROUGHPUT_PARAM: value <= THROUGHPUT_PARAM;
        REG_ELEMENTS_PARAM: value <= ELEMENTS_PARAM;
        REG_MEM_BASE_LO: value <= memory_base[31:0];
        REG_MEM_BASE_HI: value <= memory_base[63:32];
        REG_MEM_SIZE_LO: value <= memory_size[31:0];
        REG_MEM_SIZE_HI: value <= memory_size[63:32];
        REG_LIMITS: value <= {8'd0, 8'(CONTEXTS), 8'(QUEUE_DEPTH), 8'($clog2(WORD_BITS / 8))};
        REG_CTRL: value <= ctrl;
        REG_STATUS: value <= status;
        REG_IRQ_STATUS: value <= {29'd0, irq_status};
        REG_IRQ_MASK: value <= {29'd0, irq_mask};
        REG_WATCHDOG: value <= watchdog;
        REG_ERR_CODE: value <= {16'd0, err_code};
        REG_ERR_TAG: value <= {16'd0, err_tag};
        REG_ERR_ADDR_LO: value <= err_address[31:0];
        REG_ERR_ADDR_HI: value <= err_address[63:32];
        REG_SCRATCH: value <= scratch;
        REG_CMD_SPACE: value <= {27'd0, space};
        REG_CPL_WINDOW: value <= oldest[31:0];
        REG_CPL_WINDOW + 12'd4: value <= oldest[63:32];
        REG_CPL_WINDOW + 12'd8: value <= oldest[95:64];
        REG_CPL_WINDOW + 12'd12: value <= oldest[127:96];
        default: value <= 32'd0;
      endcase
    end
  assign read_data = value_is_counter ? counter_value : value;

  logic unused;
  assign unused = &{1'b0, room};
endmodule
`default_nettype wire
