// SPDX-License-Identifier: Apache-2.0
// The 65,536 samples of one transform in sixteen banks, between two interchange units.
//
//   reset         forgets the store under way
//   read_advance  0 holds the read path
//   read_digit    the hexadecimal digit of the sample number over which sixteen points run
//   read_count    the three other digits
//   points        these points, point 0 lowest, three clocks later
//   store         sixteen points are stored: a read from the next clock on finds them
//   store_digit, store_count, store_points
//
// Clocks: to read, address 1 and RAM 2, then the interchange without a register; to store, interchange 1
// and RAM 1. Sample n = {n3, n2, n1, n0} lies in bank n3 + n2 + n1 + n0 modulo 16 at address n / 16.
// FFT paper, section IV-B, Fig. 6.
`default_nettype none
module sample_banks (
    input  logic          clk,
    input  logic          reset,
    input  logic          read_advance,
    input  logic [   1:0] read_digit,
    input  logic [  11:0] read_count,
    output logic [1023:0] points,
    input  logic          store,
    input  logic [   1:0] store_digit,
    input  logic [  11:0] store_count,
    input  logic [1023:0] store_points
);
  // Read path.
  logic [3:0] read_amount, amount_addressed, amount_fetched, amount_read;
  logic [1023:0] fetched;

  digit_sum read_rotation (
      .count (read_count),
      .amount(read_amount)
  );
  rotate_lanes from_banks (
      .amount (amount_read),
      .lanes  (fetched),
      .rotated(points)
  );
  always_ff @(posedge clk)
    if (read_advance) begin
      amount_addressed <= read_amount;
      amount_fetched <= amount_addressed;
      amount_read <= amount_fetched;
    end

  // Write path.
  logic [3:0] write_amount;
  logic write_enable;
  logic [1023:0] banked, write_data;

  digit_sum write_rotation (
      .count (store_count),
      .amount(write_amount)
  );
  rotate_lanes #(
      .TO_BANKS(1)
  ) to_banks (
      .amount (write_amount),
      .lanes  (store_points),
      .rotated(banked)
  );
  always_ff @(posedge clk) begin
    write_data <= banked;
    write_enable <= store && !reset;
  end

  for (genvar i = 0; i < 16; i++) begin : g_bank
    logic [11:0] read_address, read_next, write_address, write_next;
    bank_address #(
        .BANK(i)
    ) read_from (
        .digit  (read_digit),
        .count  (read_count),
        .amount (read_amount),
        .address(read_next)
    );
    bank_address #(
        .BANK(i)
    ) write_to (
        .digit  (store_digit),
        .count  (store_count),
        .amount (write_amount),
        .address(write_next)
    );
    always_ff @(posedge clk) begin
      if (read_advance) read_address <= read_next;
      write_address <= write_next;
    end
    bank_ram bank (
        .clk,
        .read_enable  (read_advance),
        .read_address,
        .read_data    (fetched[64*i+:64]),
        .write_enable,
        .write_address,
        .write_data   (write_data[64*i+:64])
    );
  end
endmodule
`default_nettype wire
