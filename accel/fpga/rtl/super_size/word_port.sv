// SPDX-License-Identifier: Apache-2.0
// A port of words of d bits to integers in memory, which is read and written in lines of 512 bits: a few
// lines are kept here.
//
//   reset, forget  all lines are forgotten, written or not
//   advance        the clock counts: what is asked for is done
//   read, read_at  word is that of read_at, from the next clock to the next that counts and reads
//   write, write_at, write_word   the word of write_at becomes this one
//                  Addresses: an operand [31:28] and the number of a word in it [27:0]. They hold still
//                  until `advance`, which depends on `served`
//   read_lines, write_lines   lines of these operands, fewer than 2^24: beyond are zeros, whatever is
//                  written there
//   served         all that is asked for is here
//   flush          nothing is asked for any more; lines that were written go to memory until clean = 1
//   spilled        what was written beyond the lines of an operand was not 0; one clock
//   fetch_*        a line wanted from memory, into fetch_slot; it comes with fill, once for each fetch, into
//                  fill_slot
//   store_*        a line for memory. A fetch of that line must wait until memory has it
//   line numbers   {operand, number of the line}
//
//   BITS           d
//   LINES          that are kept, a power of two, at least 2 AHEAD + 2, or AHEAD + 1 without writes
//   AHEAD          lines that are fetched behind the first one of a word, at least 1
//
// The lines that a word lies in are fetched when it is asked for, and some behind them ahead of time. A line
// that is written in part is fetched too. One line is given up for another: the next in a round that is not
// in use.
`default_nettype none
module word_port #(
    parameter  int BITS  = 28,
    parameter  int LINES = 8,
    parameter  int AHEAD = 2,
    localparam int SLOT  = $clog2(LINES)
) (
    input  logic            clk,
    input  logic            reset,
    input  logic            forget,
    input  logic            advance,
    input  logic            read,
    input  logic [    31:0] read_at,
    input  logic [    23:0] read_lines,
    output logic [BITS-1:0] word,
    input  logic            write,
    input  logic [    31:0] write_at,
    input  logic [    23:0] write_lines,
    input  logic [BITS-1:0] write_word,
    output logic            served,
    input  logic            flush,
    output logic            clean,
    output logic            spilled,
    output logic            fetch_valid,
    input  logic            fetch_ready,
    output logic [    30:0] fetch_line,
    output logic [SLOT-1:0] fetch_slot,
    input  logic            fill,
    input  logic [SLOT-1:0] fill_slot,
    input  logic [   511:0] fill_data,
    output logic            store_valid,
    input  logic            store_ready,
    output logic [    30:0] store_line,
    output logic [   511:0] store_data
);
  localparam logic [30:0] NOWHERE = {31{1'b1}};  // no operand has this number

  // Where the words lie: in the lines FIRST_READ and the next one, or the same of writes.
  localparam int FIRST_READ = 0;
  localparam int FIRST_WRITE = AHEAD + 1;
  localparam int WANTED = 2 * AHEAD + 2;
  logic [35:0] read_bit, write_bit;
  logic [8:0] read_shift, write_shift;
  logic [WANTED*31-1:0] lines;
  logic [WANTED-1:0] needed, wanted, outside;
  assign read_bit = 36'(read_at[27:0]) * 36'(BITS);
  assign write_bit = 36'(write_at[27:0]) * 36'(BITS);
  assign read_shift = read_bit[8:0];
  assign write_shift = write_bit[8:0];
  for (genvar i = 0; i <= AHEAD; i++) begin : g_wanted
    assign lines[31*(FIRST_READ+i)+:31] = {read_at[31:28], read_bit[35:9] + 27'(i)};
    assign lines[31*(FIRST_WRITE+i)+:31] = {write_at[31:28], write_bit[35:9] + 27'(i)};
    assign outside[FIRST_READ+i] = lines[31*(FIRST_READ+i)+:27] >= {3'd0, read_lines};
    assign outside[FIRST_WRITE+i] = lines[31*(FIRST_WRITE+i)+:27] >= {3'd0, write_lines};
    assign {wanted[FIRST_READ+i], wanted[FIRST_WRITE+i]} = {read, write};
    assign needed[FIRST_READ+i] = read && (i == 0 || (i == 1 && 10'(read_shift) + 10'(BITS) > 10'd512));
    assign needed[FIRST_WRITE+i] = write && (i == 0 || (i == 1 && 10'(write_shift) + 10'(BITS) > 10'd512));
  end

  // The lines that are kept.
  logic [LINES*31-1:0] kept;
  logic [LINES-1:0] here, dirty, beyond, coming, in_use;
  logic [LINES*512-1:0] data;
  logic [WANTED*LINES-1:0] found;
  logic [WANTED-1:0] present, kept_here;
  for (genvar i = 0; i < WANTED; i++) begin : g_find
    for (genvar s = 0; s < LINES; s++) begin : g_slot
      assign found[LINES*i+s] = kept[31*s+:31] == lines[31*i+:31];
    end
    assign present[i] = |found[LINES*i+:LINES];
    assign kept_here[i] = |(found[LINES*i+:LINES] & here);
  end
  assign served = (needed & ~kept_here) == '0;

  always_comb begin
    in_use = '0;
    for (int i = 0; i < WANTED; i++) if (wanted[i]) in_use = in_use | found[LINES*i+:LINES];
  end

  // Reads.
  logic [1023:0] read_data;
  always_comb begin
    read_data = '0;
    for (int s = 0; s < LINES; s++) begin
      if (found[LINES*FIRST_READ+s]) read_data[511:0] = data[512*s+:512];
      if (found[LINES*(FIRST_READ+1)+s]) read_data[1023:512] = data[512*s+:512];
    end
  end
  always_ff @(posedge clk) if (advance && read) word <= read_data[10'(read_shift)+:BITS];

  // Writes.
  logic [1023:0] placed, mask;
  always_comb begin
    placed = '0;
    mask = '0;
    placed[10'(write_shift)+:BITS] = write_word;
    mask[10'(write_shift)+:BITS] = '1;
  end

  // The line that is wanted most and missing, and the slot for it.
  logic [WANTED-1:0] missing, missing_now, first;
  logic chooses, is_outside;
  logic [30:0] chosen;
  logic [SLOT-1:0] next;
  logic usable, taken;
  assign missing = wanted & ~present;
  assign missing_now = needed & ~present;
  assign first = missing_now != '0 ? missing_now & (~missing_now + 1'b1) : missing & (~missing + 1'b1);
  assign chooses = missing != '0 && !flush;
  assign is_outside = (first & outside) != '0;
  always_comb begin
    chosen = '0;
    for (int i = 0; i < WANTED; i++) if (first[i]) chosen = chosen | lines[31*i+:31];
  end
  assign usable = chooses && !in_use[next] && !coming[next];
  assign taken = usable && !dirty[next] && (is_outside || fetch_ready);
  assign fetch_valid = usable && !dirty[next] && !is_outside;
  assign fetch_line = chosen;
  assign fetch_slot = next;

  logic leaves;
  assign leaves = dirty[next] && (flush || usable);
  assign store_valid = leaves && !beyond[next];
  assign store_line = kept[31*next+:31];
  assign store_data = data[512*next+:512];
  assign spilled = leaves && beyond[next] && store_data != 512'd0;
  assign clean = dirty == '0;

  always_ff @(posedge clk)
    if (reset) next <= '0;
    else if (taken || (chooses && !usable) || (flush && !dirty[next])) next <= next + 1'b1;

  for (genvar s = 0; s < LINES; s++) begin : g_line
    logic chosen_here, filled, low, high;
    assign chosen_here = taken && next == SLOT'(s);
    assign filled = fill && fill_slot == SLOT'(s);
    assign low = advance && write && found[LINES*FIRST_WRITE+s];
    assign high = advance && needed[FIRST_WRITE+1] && found[LINES*(FIRST_WRITE+1)+s];
    always_ff @(posedge clk)
      if (reset) begin
        kept[31*s+:31] <= NOWHERE;
        here[s] <= 1'b0;
        dirty[s] <= 1'b0;
        coming[s] <= 1'b0;
      end else begin
        if (filled) {here[s], coming[s]} <= 2'b10;
        if (chosen_here) begin
          kept[31*s+:31] <= chosen;
          here[s] <= is_outside;
          coming[s] <= !is_outside;
          beyond[s] <= is_outside;
        end
        if (low || high) dirty[s] <= 1'b1;
        else if (leaves && next == SLOT'(s) && (beyond[s] || store_ready)) dirty[s] <= 1'b0;
        if (forget) begin
          kept[31*s+:31] <= NOWHERE;
          dirty[s] <= 1'b0;
        end
      end
    always_ff @(posedge clk)
      if (filled) data[512*s+:512] <= fill_data;
      else if (chosen_here) data[512*s+:512] <= '0;
      else if (low) data[512*s+:512] <= (data[512*s+:512] & ~mask[511:0]) | placed[511:0];
      else if (high) data[512*s+:512] <= (data[512*s+:512] & ~mask[1023:512]) | placed[1023:512];
  end
endmodule
`default_nettype wire
