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
//   spilled        what is written beyond the lines of an operand is not 0
//   fetch_*        a line wanted from memory, into fetch_slot; it comes with fill, taken when fill_ready = 1, once for
//                  each fetch, into fill_slot
//   store_*        a line for memory. A fetch of that line must wait until memory has it
//   line numbers   {operand, number of the line}
//
//   BITS           d, at most 512
//   AHEAD          lines that are fetched behind the one of the last read, and behind that of the last write, at least 1
//   LINES          that are kept, a power of two, at least 2 AHEAD + 4
//
// The lines that a word lies in are fetched when it is asked for, and those behind them ahead of time: for reads and for
// writes in turn, one is looked for a clock. A line that is written in part is fetched too. What has left both ways
// goes to memory, and its place is given to another line: the next in a round.
//
// d is an odd number of granules, of a power of two bits each, so words begin at granules of a line. Granule g of all
// lines is a memory of its own, which reads a word, reads the line that leaves, and writes: so a word that lies in
// two lines is the upper granules of one and the lower ones of the other, in one clock. A line that comes waits for the
// granules that a word takes in this clock: those of the next word are others. The granules of a word are in as many
// classes of g, modulo a power of two that is no less: a word is turned to its classes or from them, and only within a
// class a granule is looked for.
`default_nettype none
module word_port #(
    parameter  int BITS  = 28,
    parameter  int AHEAD = 2,
    parameter  int LINES = 8,
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
    output logic            fill_ready,
    input  logic [SLOT-1:0] fill_slot,
    input  logic [   511:0] fill_data,
    output logic            store_valid,
    input  logic            store_ready,
    output logic [    30:0] store_line,
    output logic [   511:0] store_data
);
  localparam logic [30:0] NOWHERE = {31{1'b1}};  // no operand has this number
  localparam int COUNT = $clog2(AHEAD + 1);

  // The lines that words lie in: the first and the next one of the read, and those of the write.
  logic [35:0] read_bit, write_bit;
  logic [8:0] read_shift, write_shift;
  logic [4*31-1:0] lines;
  logic [3:0] needed, outside;
  assign read_bit = 36'(read_at[27:0]) * 36'(BITS);
  assign write_bit = 36'(write_at[27:0]) * 36'(BITS);
  assign read_shift = read_bit[8:0];
  assign write_shift = write_bit[8:0];
  for (genvar i = 0; i < 2; i++) begin : g_needed
    assign lines[31*i+:31] = {read_at[31:28], read_bit[35:9] + 27'(i)};
    assign lines[31*(2+i)+:31] = {write_at[31:28], write_bit[35:9] + 27'(i)};
    assign outside[i] = lines[31*i+:27] >= {3'd0, read_lines};
    assign outside[2+i] = lines[31*(2+i)+:27] >= {3'd0, write_lines};
    assign needed[i] = read && (i == 0 || 10'(read_shift) + 10'(BITS) > 10'd512);
    assign needed[2+i] = write && (i == 0 || 10'(write_shift) + 10'(BITS) > 10'd512);
  end

  // The lines that are kept.
  logic [LINES*31-1:0] kept;
  logic [LINES-1:0] here, dirty, beyond, coming;
  logic [4*LINES-1:0] found;
  logic [3:0] present, kept_here;
  for (genvar i = 0; i < 4; i++) begin : g_find
    for (genvar s = 0; s < LINES; s++) begin : g_slot
      assign found[LINES*i+s] = kept[31*s+:31] == lines[31*i+:31];
    end
    assign present[i] = |found[LINES*i+:LINES];
    assign kept_here[i] = |(found[LINES*i+:LINES] & here);
  end
  assign served = (needed & ~kept_here) == '0;

  // The last read and the last write: `ahead` lines behind the first one of their words are kept or come, and the next
  // one is looked for.
  logic [1:0] runs, looks;
  logic [2*31-1:0] from, probes;
  logic [2*COUNT-1:0] ahead;
  logic turn, looked, sought, advances;
  logic [30:0] probe;
  logic [LINES-1:0] probe_found, probe_slot;  // of the next line that is looked for; it may come just now
  logic [SLOT-1:0] next;  // of the place that is given next
  logic [2*LINES-1:0] held;  // the lines from the first one of the word to the last one of those behind it
  logic [23:0] last_lines[2];
  for (genvar w = 0; w < 2; w++) begin : g_run
    assign probes[31*w+:31] = {from[31*w+27+:4], from[31*w+:27] + 27'd1 + 27'(ahead[COUNT*w+:COUNT])};
    assign looks[w] = runs[w] && ahead[COUNT*w+:COUNT] != COUNT'(AHEAD) && probes[31*w+:27] < {3'd0, last_lines[w]};
    logic asked, same, follows, jumps, gains;
    logic [LINES-1:0] first_slot, leaves, enters;
    assign asked = w == 0 ? read : write;
    assign same = lines[62*w+:31] == from[31*w+:31];
    assign follows = asked && runs[w] && lines[62*w+:31] == {from[31*w+27+:4], from[31*w+:27] + 27'd1};
    assign jumps = asked && !follows && !(runs[w] && same);
    assign gains = advances && looked == (w == 1) && !jumps;
    always_ff @(posedge clk) begin
      if (reset || forget) runs[w] <= 1'b0;
      else if (asked) runs[w] <= 1'b1;
      if (asked) begin
        from[31*w+:31] <= lines[62*w+:31];
        last_lines[w] <= w == 0 ? read_lines : write_lines;
      end
      if (jumps) ahead[COUNT*w+:COUNT] <= '0;
      else if (gains && !follows) ahead[COUNT*w+:COUNT] <= ahead[COUNT*w+:COUNT] + 1'b1;
      else if (follows && !gains && ahead[COUNT*w+:COUNT] != '0)
        ahead[COUNT*w+:COUNT] <= ahead[COUNT*w+:COUNT] - 1'b1;
    end
    assign leaves = jumps ? '1 : follows ? first_slot : '0;
    assign enters = (asked ? found[LINES*2*w+:LINES] : '0) | (gains ? probe_slot : '0);
    always_ff @(posedge clk) begin
      if (asked) first_slot <= found[LINES*2*w+:LINES];
      held[LINES*w+:LINES] <= reset || forget ? '0 : (held[LINES*w+:LINES] & ~leaves) | enters;
    end
  end
  assign looked = looks[turn] ? turn : !turn;
  assign sought = looks != 2'd0;
  assign probe = probes[31*looked+:31];
  for (genvar s = 0; s < LINES; s++) begin : g_probe
    assign probe_found[s] = kept[31*s+:31] == probe;
  end
  assign probe_slot = probe_found != '0 ? probe_found : LINES'(1) << next;
  always_ff @(posedge clk) turn <= !reset && !turn;

  logic [LINES-1:0] in_use;
  for (genvar s = 0; s < LINES; s++) begin : g_use
    assign in_use[s] = held[s] || held[LINES+s] ||
        (needed & {found[LINES*3+s], found[LINES*2+s], found[LINES+s], found[s]}) != 4'd0;
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
    always_comb begin
      slots[SLOT*i+:SLOT] = '0;
      for (int s = 0; s < LINES; s++) if (found[LINES*i+s]) slots[SLOT*i+:SLOT] |= SLOT'(s);
    end
    assign nothing[i] = (found[LINES*i+:LINES] & beyond) != '0;
  end

  // The line that came, and its granules that are not in their memories yet.
  logic [511:0] incoming;
  logic [SLOT-1:0] incoming_slot;
  logic [GROUPS-1:0] waiting, taken_by_word;
  logic arrives;
  assign fill_ready = (waiting & taken_by_word) == '0;
  assign arrives = waiting != '0 && fill_ready;
  always_ff @(posedge clk) begin
    if (fill && fill_ready) {incoming, incoming_slot} <= {fill_data, fill_slot};
    waiting <= reset ? '0 : fill && fill_ready ? '1 : waiting & taken_by_word;
  end

  // The granules of all lines: one is read for a word, and one of the line that leaves. Only the first ones of a line can be
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
      assign write_slot = !taken_by_word[G] ? incoming_slot
          : G < PARTS - 1 && write_splits ? slots[3*SLOT+:SLOT] : slots[2*SLOT+:SLOT];
      assign taken_by_word[G] = writes && write_rows[PLACE*c+:PLACE] == PLACE'(r);
      assign looked_up[GRANULE*r+:GRANULE] = granules[read_slot];
      assign store_data[GRANULE*G+:GRANULE] = granules[leaving];
      always_ff @(posedge clk)
        if (taken_by_word[G] || waiting[G])
          granules[write_slot] <= taken_by_word[G] ? write_granules[GRANULE*c+:GRANULE] : incoming[GRANULE*G+:GRANULE];
    end
    assign read_granules[GRANULE*c+:GRANULE] = (reads_next[c] ? nothing[1] : nothing[0])
        ? '0 : looked_up[GRANULE*read_rows[PLACE*c+:PLACE]+:GRANULE];
  end

  // A word from its granules, a word to them, and what is lost of it.
  for (genvar i = 0; i < PARTS; i++) begin : g_word
    logic [PLACE-1:0] its_class;
    assign its_class = (read_place + PLACE'(i)) & PLACE'(CLASSES - 1);
    always_ff @(posedge clk)
      if (advance && read) word[GRANULE*i+:GRANULE] <= read_granules[GRANULE*its_class+:GRANULE];
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
  logic [3:0] missing, first;
  logic chooses, is_outside, usable, taken;
  logic [30:0] chosen;
  assign missing = needed & ~present;
  assign first = missing & (~missing + 1'b1);
  assign chooses = !flush && (missing != '0 || (sought && probe_found == '0));
  assign is_outside = (first & outside) != '0;
  always_comb begin
    chosen = missing != '0 ? '0 : probe;
    for (int i = 0; i < 4; i++) if (first[i]) chosen = chosen | lines[31*i+:31];
  end
  assign usable = chooses && !in_use[next] && !coming[next] && !dirty[next];
  assign taken = usable && (is_outside || fetch_ready);
  assign fetch_valid = usable && !is_outside;
  assign fetch_line = chosen;
  assign fetch_slot = next;
  assign advances = sought && (probe_found != '0 || (taken && missing == '0));
  always_ff @(posedge clk)
    if (reset) next <= '0;
    else if (taken || (chooses && !usable)) next <= next + 1'b1;

  // The line that leaves: the first one behind the last that was written and is not in use.
  logic [SLOT-1:0] leaving;
  logic [LINES-1:0] finished;
  assign finished = dirty & ({LINES{flush}} | ~in_use);
  assign store_valid = finished[leaving];
  assign store_line = kept[31*leaving+:31];
  assign clean = dirty == '0;
  logic [SLOT-1:0] leaves_next;
  always_comb begin
    leaves_next = leaving + 1'b1;
    for (int i = LINES - 1; i > 0; i--)
      if (finished[leaving+SLOT'(i)]) leaves_next = leaving + SLOT'(i);
  end
  always_ff @(posedge clk)
    if (reset) leaving <= '0;
    else if (!store_valid || store_ready) leaving <= leaves_next;

  for (genvar s = 0; s < LINES; s++) begin : g_line
    logic chosen_here, filled, low, high;
    assign chosen_here = taken && next == SLOT'(s);
    assign filled = arrives && incoming_slot == SLOT'(s);
    assign low = advance && write && found[LINES*2+s] && !beyond[s];
    assign high = advance && needed[3] && found[LINES*3+s] && !beyond[s];
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
        else if (store_valid && store_ready && leaving == SLOT'(s)) dirty[s] <= 1'b0;
        if (forget) begin
          kept[31*s+:31] <= NOWHERE;
          dirty[s] <= 1'b0;
        end
      end
  end
endmodule
`default_nettype wire
