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
//   served         all that is asked for is here, and no line that comes keeps a word from being written
//   flush          nothing is asked for any more; lines that were written go to memory until clean = 1
//   spilled        what is written beyond the lines of an operand is not 0
//   fetch_*        a line wanted from memory, into fetch_slot; it comes with fill, once for each fetch, into
//                  fill_slot
//   store_*        a line for memory. A fetch of that line must wait until memory has it
//   line numbers   {operand, number of the line}
//
//   BITS           d, at most 512
//   LINES          that are kept, a power of two, at least 2 AHEAD + 2, or AHEAD + 1 without writes
//   AHEAD          lines that are fetched behind the first one of a word, at least 1
//
// The lines that a word lies in are fetched when it is asked for, and some behind them ahead of time. A line
// that is written in part is fetched too. One line is given up for another: the next in a round that is not
// in use.
//
// d is an odd number of granules, of a power of two bits each, so words begin at granules of a line. Granule g of all
// lines is a memory of its own, which reads a word, reads the line that may leave, and writes: so a word that lies in
// two lines is the upper granules of one and the lower ones of the other, in one clock. A line that comes takes all of
// these memories for a clock. The granules of a word are in as many classes of g, modulo a power of two that is no
// less: a word is turned to its classes or from them, and only within a class a granule is looked for.
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
  logic [WANTED*LINES-1:0] found;
  logic [WANTED-1:0] present, kept_here;
  for (genvar i = 0; i < WANTED; i++) begin : g_find
    for (genvar s = 0; s < LINES; s++) begin : g_slot
      assign found[LINES*i+s] = kept[31*s+:31] == lines[31*i+:31];
    end
    assign present[i] = |found[LINES*i+:LINES];
    assign kept_here[i] = |(found[LINES*i+:LINES] & here);
  end
  assign served = (needed & ~kept_here) == '0 && !(write && fill);

  always_comb begin
    in_use = '0;
    for (int i = 0; i < WANTED; i++) if (wanted[i]) in_use = in_use | found[LINES*i+:LINES];
  end

  // Granules of a word: in which class each is, which of the line that is, and whether the word ends in the next line.
  localparam int GRANULE = BITS & -BITS;
  localparam int PARTS = BITS / GRANULE;
  localparam int CLASSES = 1 << $clog2(PARTS);
  localparam int GROUPS = 512 / GRANULE;  // granules of a line
  localparam int ROWS = GROUPS / CLASSES;  // of them in a class
  localparam int PLACE = $clog2(GROUPS) + 1;
  logic [PLACE-1:0] read_place, write_place;  // of the first granule
  logic read_splits, write_splits;
  assign read_place = PLACE'(10'(read_shift) / 10'(GRANULE));
  assign write_place = PLACE'(10'(write_shift) / 10'(GRANULE));
  assign read_splits = read_place > PLACE'(GROUPS - PARTS);
  assign write_splits = write_place > PLACE'(GROUPS - PARTS);
  logic [CLASSES*PLACE-1:0] read_rows, write_parts, write_rows;
  logic [CLASSES-1:0] reads_next, written, writes_next;  // the granule is of the word; it is in the next line
  for (genvar c = 0; c < CLASSES; c++) begin : g_place
    logic [PLACE-1:0] read_at_granule, write_at_granule, write_part;
    assign read_at_granule = read_place + ((PLACE'(c) - read_place) & PLACE'(CLASSES - 1));
    assign write_part = (PLACE'(c) - write_place) & PLACE'(CLASSES - 1);
    assign write_at_granule = write_place + write_part;
    assign read_rows[PLACE*c+:PLACE] = (read_at_granule & PLACE'(GROUPS - 1)) / PLACE'(CLASSES);
    assign reads_next[c] = read_at_granule >= PLACE'(GROUPS);
    assign write_parts[PLACE*c+:PLACE] = write_part;
    assign write_rows[PLACE*c+:PLACE] = (write_at_granule & PLACE'(GROUPS - 1)) / PLACE'(CLASSES);
    assign written[c] = write_part < PLACE'(PARTS);
    assign writes_next[c] = write_at_granule >= PLACE'(GROUPS);
  end

  // The numbers of the lines of a read and of a write, the first and the next one, and whether these are beyond.
  logic [4*SLOT-1:0] slots;
  logic [3:0] nothing;
  for (genvar i = 0; i < 4; i++) begin : g_slot_of
    localparam int LINE = i < 2 ? FIRST_READ + i : FIRST_WRITE + i - 2;
    always_comb begin
      slots[SLOT*i+:SLOT] = '0;
      for (int s = 0; s < LINES; s++) if (found[LINES*LINE+s]) slots[SLOT*i+:SLOT] |= SLOT'(s);
    end
    assign nothing[i] = (found[LINES*LINE+:LINES] & beyond) != '0;
  end

  // The granules of all lines: one is read for a word, and one of the line that may leave. Only the first ones of a line can be
  // of a word that began in another.
  logic [CLASSES*GRANULE-1:0] read_granules, write_granules;
  for (genvar c = 0; c < CLASSES; c++) begin : g_class
    logic [ROWS*GRANULE-1:0] looked_up;
    logic writes;
    assign writes = advance && write && written[c] && !(writes_next[c] ? nothing[3] : nothing[2]);
    for (genvar r = 0; r < ROWS; r++) begin : g_row
      localparam int G = CLASSES * r + c;
      logic [GRANULE-1:0] granules[LINES];
      logic [SLOT-1:0] read_slot, write_slot;
      assign read_slot = G < PARTS - 1 && read_splits ? slots[SLOT+:SLOT] : slots[0+:SLOT];
      assign write_slot = fill ? fill_slot : G < PARTS - 1 && write_splits ? slots[3*SLOT+:SLOT] : slots[2*SLOT+:SLOT];
      assign looked_up[GRANULE*r+:GRANULE] = granules[read_slot];
      assign store_data[GRANULE*G+:GRANULE] = granules[next];
      always_ff @(posedge clk)
        if (fill || (writes && write_rows[PLACE*c+:PLACE] == PLACE'(r)))
          granules[write_slot] <= fill ? fill_data[GRANULE*G+:GRANULE] : write_granules[GRANULE*c+:GRANULE];
    end
    assign read_granules[GRANULE*c+:GRANULE] = (reads_next[c] ? nothing[1] : nothing[0])
        ? '0 : looked_up[GRANULE*read_rows[PLACE*c+:PLACE]+:GRANULE];
  end

  // A word from its granules, a word to them, and what is lost of it.
  for (genvar i = 0; i < PARTS; i++) begin : g_word
    logic [PLACE-1:0] from;
    assign from = (read_place + PLACE'(i)) & PLACE'(CLASSES - 1);
    always_ff @(posedge clk)
      if (advance && read) word[GRANULE*i+:GRANULE] <= read_granules[GRANULE*from+:GRANULE];
  end
  logic [CLASSES-1:0] lost;
  for (genvar c = 0; c < CLASSES; c++) begin : g_written
    always_comb begin
      write_granules[GRANULE*c+:GRANULE] = '0;
      for (int i = 0; i < PARTS; i++)
        if (write_parts[PLACE*c+:PLACE] == PLACE'(i))
          write_granules[GRANULE*c+:GRANULE] = write_word[GRANULE*i+:GRANULE];
    end
    assign lost[c] = written[c] && (writes_next[c] ? nothing[3] : nothing[2]) &&
        write_granules[GRANULE*c+:GRANULE] != '0;
  end
  assign spilled = advance && write && lost != '0;

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
  assign store_valid = leaves;
  assign store_line = kept[31*next+:31];
  assign clean = dirty == '0;

  always_ff @(posedge clk)
    if (reset) next <= '0;
    else if (taken || (chooses && !usable) || (flush && !dirty[next])) next <= next + 1'b1;

  for (genvar s = 0; s < LINES; s++) begin : g_line
    logic chosen_here, filled, low, high;
    assign chosen_here = taken && next == SLOT'(s);
    assign filled = fill && fill_slot == SLOT'(s);
    assign low = advance && write && found[LINES*FIRST_WRITE+s] && !beyond[s];
    assign high = advance && needed[FIRST_WRITE+1] && found[LINES*(FIRST_WRITE+1)+s] && !beyond[s];
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
        else if (leaves && next == SLOT'(s) && store_ready) dirty[s] <= 1'b0;
        if (forget) begin
          kept[31*s+:31] <= NOWHERE;
          dirty[s] <= 1'b0;
        end
      end
  end
endmodule
`default_nettype wire
