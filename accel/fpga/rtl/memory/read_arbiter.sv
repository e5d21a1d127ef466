// SPDX-License-Identifier: Apache-2.0
// Several readers at one read port of memory.
//
//   reset                          to idle; requests that memory has not taken are forgotten
//   power_reset                    with reset, when memory forgets as well: outstanding becomes 0
//   clear                          forgets error
//   client_read_valid, ..._ready   a bit for each client; client_read_address: 64 bits for each
//   client_response_valid          a bit for each client: response_data is the answer to its oldest request
//   read_valid, read_ready         read_address: requests, in the clock after that of the client
//   response_valid                 answers in the order of the requests, with response_error
//   error, error_address           a request failed since `clear`, and the address of the first one; but for
//                                  those of clients that look at response_error themselves
//   outstanding                    requests that memory took and has not answered; reset leaves it, and
//                                  answers count and are not passed on while reset is held
//
//   DEPTH                          power of two: answers waited for at most
//   OWN_ERRORS                     a bit for each client that looks at response_error itself
//
// One request a clock. Round robin: a client waits for one request of each other at most. A request that
// memory does not take at once is held as it is.
`default_nettype none
module read_arbiter #(
    parameter int CLIENTS = 3,
    parameter int DEPTH = 64,
    parameter logic [CLIENTS-1:0] OWN_ERRORS = '0
) (
    input  logic                  clk,
    input  logic                  reset,
    input  logic                  power_reset,
    input  logic                  clear,
    input  logic [   CLIENTS-1:0] client_read_valid,
    output logic [   CLIENTS-1:0] client_read_ready,
    input  logic [64*CLIENTS-1:0] client_read_address,
    output logic [   CLIENTS-1:0] client_response_valid,
    output logic                  read_valid,
    input  logic                  read_ready,
    output logic [          63:0] read_address,
    input  logic                  response_valid,
    input  logic                  response_error,
    output logic                  error,
    output logic [          63:0] error_address,
    output logic [          31:0] outstanding
);
  // The lowest of those that ask above the last one served, or of all that ask.
  logic [CLIENTS-1:0] above, preferred, choice;
  logic advance, room, takes;
  logic [63:0] chosen_address;

  assign preferred = (client_read_valid & above) != '0 ? client_read_valid & above
                                                       : client_read_valid;
  assign choice = preferred & (~preferred + CLIENTS'(1));
  assign advance = (!read_valid || read_ready) && room;
  assign takes = advance && client_read_valid != '0;
  assign client_read_ready = choice & {CLIENTS{advance}};

  always_comb begin
    chosen_address = 64'd0;
    for (int i = 0; i < CLIENTS; i++)
      chosen_address |= client_read_address[64*i+:64] & {64{choice[i]}};
  end

  always_ff @(posedge clk)
    if (reset) begin
      read_valid <= 1'b0;
      above <= '0;
    end else begin
      if (takes) above <= ~(choice | (choice - CLIENTS'(1)));
      if (takes) read_valid <= 1'b1;
      else if (read_ready) read_valid <= 1'b0;
    end
  always_ff @(posedge clk) if (takes) read_address <= chosen_address;

  // Whose answers come, and to which addresses.
  logic owner_here;
  logic [CLIENTS-1:0] owner;
  logic [63:0] owner_address;

  fifo #(
      .WIDTH(CLIENTS + 64),
      .DEPTH(DEPTH)
  ) owners (
      .clk,
      .reset,
      .in_valid (takes),
      .in_ready (room),
      .in_data  ({choice, chosen_address}),
      .out_valid(owner_here),
      .out_ready(response_valid),
      .out_data ({owner, owner_address})
  );
  assign client_response_valid = owner & {CLIENTS{owner_here && response_valid && !reset}};

  logic fails;
  assign fails = response_valid && response_error && (owner & OWN_ERRORS) == '0;
  always_ff @(posedge clk) begin
    if (reset || clear) error <= 1'b0;
    else if (fails) error <= 1'b1;
    if (fails && !error) error_address <= owner_address;
  end
  always_ff @(posedge clk)
    if (power_reset) outstanding <= 32'd0;
    else outstanding <= outstanding + 32'(read_valid && read_ready) - 32'(response_valid);
endmodule
`default_nettype wire
