// SPDX-License-Identifier: Apache-2.0
// Written by write_register_map from regmap.toml; change that file instead.
// What a command is required to be, opcode by opcode, see OPCODES.md in contract.
//
//   command           the descriptor
//   context_*         the numbers of its context
//   procedure         how it runs; engine: what multiplies, 0 where it does not say
//   known             there is such an opcode, and what it needs
//   names_context     it has a context; needs_context: one that is set
//   lengths_fit       all its conditions are met: three clocks after the command is there, two after the context is
//   *_bits            of what it reads or writes at SRC0, SRC1, PARAM, DST, a clock before; 0: the address is not looked at
//   *_may_be_dst      a source that may begin where DST does
//
//   FEATURES, KARAT_PARAM   as the registers say them
`default_nettype none
module command_rules #(
    parameter logic [31:0] FEATURES = 32'd0,
    parameter logic [31:0] KARAT_PARAM = 32'd0
) (
    input  logic         clk,
    input  logic [511:0] command,
    input  logic [ 31:0] context_phi,
    input  logic [ 31:0] context_gamma,
    output logic [  3:0] procedure,
    output logic [  2:0] engine,
    output logic         known,
    output logic         names_context,
    output logic         needs_context,
    output logic         lengths_fit,
    output logic [ 63:0] dst_bits,
    output logic [ 63:0] src0_bits,
    output logic [ 63:0] src1_bits,
    output logic [ 63:0] param_bits,
    output logic         src0_may_be_dst,
    output logic         src1_may_be_dst
);
  `include "register_map.svh"

  // All numbers have 64 bits, so that nothing wraps around.
  logic [63:0] len0, len1, lend, aux, aux2, phi, gamma, log2_coefficients, coefficient_bits;
  assign len0 = {32'd0, command[32*DESCRIPTOR_LEN0+:32]};
  assign len1 = {32'd0, command[32*DESCRIPTOR_LEN1+:32]};
  assign lend = {32'd0, command[32*DESCRIPTOR_LEND+:32]};
  assign aux = {48'd0, command[32*DESCRIPTOR_CONTEXT+16+:16]};
  assign aux2 = {32'd0, command[32*DESCRIPTOR_AUX2+:32]};
  assign phi = {32'd0, context_phi};
  assign gamma = {32'd0, context_gamma};
  assign log2_coefficients = {56'd0, KARAT_PARAM[7:0]};
  assign coefficient_bits = {56'd0, KARAT_PARAM[15:8]};

  function automatic logic [63:0] words(input logic [63:0] bits);
    words = (bits + 64'(WORD_BITS) - 64'd1) >> $clog2(WORD_BITS);
  endfunction

  function automatic logic has_engine(input logic [63:0] number);
    case (number)
      64'(ENGINE_FASTEST): has_engine = FEATURES[FEATURE_MUL768] || FEATURES[FEATURE_FFTMUL] || FEATURES[FEATURE_SSMUL] || FEATURES[FEATURE_STREAM768] || FEATURES[FEATURE_THROUGHPUT];
      64'(ENGINE_MUL768): has_engine = FEATURES[FEATURE_MUL768];
      64'(ENGINE_FFTMUL): has_engine = FEATURES[FEATURE_FFTMUL];
      64'(ENGINE_SSMUL): has_engine = FEATURES[FEATURE_SSMUL];
      64'(ENGINE_STREAM768): has_engine = FEATURES[FEATURE_STREAM768];
      64'(ENGINE_THROUGHPUT): has_engine = FEATURES[FEATURE_THROUGHPUT];
      default: has_engine = 1'b0;
    endcase
  endfunction

  // Products, what is compared with them and the choice by the opcode would not fit into one clock.
  logic [63:0] len0_words, len1_words, product_0, product_1, product_2, product_3, product_4, product_5;
  logic [42:0] met;
  always_ff @(posedge clk) begin
    len0_words <= words(len0);
    len1_words <= words(len1);
    product_0 <= 64'(aux2[15:0]) * (64'(aux2[15:0]) + 64'd1);
    product_1 <= 64'(aux[3:0]) * 64'(aux2[31:16]);
    product_2 <= 64'(aux2[15:0]) * len0_words;
    product_3 <= 64'(aux2[15:0]) * (aux[0] ? 64'(SELECTION_SUMS) : 64'(WINDOW_ENTRY_BITS));
    product_4 <= 64'(aux2[15:0]) * len1_words;
    product_5 <= aux2 * coefficient_bits;
    met[0] <= lend >= len0 + len1;
    met[1] <= 64'(aux[6:4]) <= 64'd4;
    met[2] <= 64'(aux[6:4]) == 64'd0 || len0_words + len1_words <= 64'(FOUR_STEP_WORDS) << (64'(aux[6:4]) - 64'd1);
    met[3] <= lend >= 64'd2 * len0;
    met[4] <= 64'(aux[6:4]) == 64'd0 || 64'd2 * len0_words <= 64'(FOUR_STEP_WORDS) << (64'(aux[6:4]) - 64'd1);
    met[5] <= aux <= 64'(SPARSE_WEIGHT);
    met[6] <= lend >= len0 + (64'd1 << 64'(SPARSE_INDEX_BITS));
    met[7] <= len0 <= phi + gamma;
    met[8] <= lend >= phi;
    met[9] <= 64'(aux[6:4]) <= 64'd3;
    met[10] <= 64'(aux[6:4]) == 64'd0 || phi + 64'd1 <= 64'(FOUR_STEP_WORDS) * 64'(WORD_BITS) << (64'(aux[6:4]) - 64'd1);
    met[11] <= 64'(aux[6:4]) == 64'd0 || gamma + 64'd2 <= 64'(FOUR_STEP_WORDS) * 64'(WORD_BITS) << (64'(aux[6:4]) - 64'd1);
    met[12] <= !aux[7] || 64'(aux[6:4]) != 64'd0;
    met[13] <= !aux[8] || aux[7];
    met[14] <= lend >= len0;
    met[15] <= lend >= len1;
    met[16] <= aux[2] || lend >= len0 + (aux[0] ? 64'd1 << 64'(SPARSE_INDEX_BITS) : len1) + 64'(SUM_MARGIN);
    met[17] <= !aux[2] || len0 <= phi + gamma;
    met[18] <= !aux[2] || lend >= phi;
    met[19] <= !aux[3] || len0 != 64'd0;
    met[20] <= 64'(aux2[15:0]) <= 64'(MOST_ROWS);
    met[21] <= len0 + len1 + 64'(SUM_MARGIN) <= phi + gamma;
    met[22] <= len0 != 64'd0;
    met[23] <= 64'(aux[3:0]) != 64'd0;
    met[24] <= 64'(aux[3:0]) <= 64'(SELECTION_SUMS);
    met[25] <= 64'(aux2[15:0]) != 64'd0;
    met[26] <= len1 == 64'(aux2[15:0]) * 64'(SELECTION_SUMS);
    met[27] <= 64'(aux2[31:16]) * 64'(WORD_BITS) >= len0 + 64'(SUM_MARGIN);
    met[28] <= lend == product_1 * 64'(WORD_BITS);
    met[29] <= !aux[4] || product_2 <= 64'(MOST_STORED_WORDS);
    met[30] <= len1 >= len0;
    met[31] <= lend == product_3;
    met[32] <= !aux[0] || 64'(aux[7:4]) != 64'd0;
    met[33] <= !aux[0] || 64'(aux[7:4]) <= 64'(SELECTION_SUMS);
    met[34] <= !aux[1] || product_2 <= 64'(MOST_STORED_WORDS);
    met[35] <= !aux[1] || 64'(aux[15:8]) == 64'd0;
    met[36] <= len1 <= 64'(WEIGHTED_BITS);
    met[37] <= lend >= len0 + len1 + 64'(SUM_MARGIN);
    met[38] <= 64'(aux[3:0]) >= 64'd3;
    met[39] <= 64'(aux[3:0]) <= log2_coefficients;
    met[40] <= len0 == product_5 << 64'(aux[3:0]);
    met[41] <= len1 == len0;
    met[42] <= lend == 64'd2 * len0;
  end

  always_comb begin
    procedure = PROCEDURE_NONE;
    engine = 3'(ENGINE_FASTEST);
    known = 1'b0;
    names_context = 1'b0;
    needs_context = 1'b0;
    lengths_fit = 1'b1;
    dst_bits = 64'd0;
    src0_bits = 64'd0;
    src1_bits = 64'd0;
    param_bits = 64'd0;
    src0_may_be_dst = 1'b0;
    src1_may_be_dst = 1'b0;
    case (command[7:0])
      OP_NOP: begin
        procedure = PROCEDURE_NONE;
        known = 1'b1;
      end
      OP_FENCE: begin
        procedure = PROCEDURE_NONE;
        known = 1'b1;
      end
      OP_SET_CTX: begin
        procedure = PROCEDURE_CONTEXT;
        known = 1'b1;
        names_context = 1'b1;
        param_bits = 64'(WORD_BITS);
      end
      OP_RUN: begin
        procedure = PROCEDURE_PROGRAM;
        known = FEATURES[FEATURE_RUN];
        param_bits = 64'(aux2[15:0]) * 64'(WORD_BITS);
      end
      OP_MUL: begin
        procedure = PROCEDURE_PRODUCT;
        engine = aux[2:0];
        known = has_engine(64'(aux[2:0])) && (64'(aux[6:4]) == 64'd0 || FEATURES[FEATURE_FOUR_STEP]);
        lengths_fit = met[0] && met[1] && met[2];
        dst_bits = lend;
        src0_bits = len0;
        src1_bits = len1;
        param_bits = 64'(aux[6:4]) == 64'd0 ? 64'd0 : 64'(WORD_BITS) << (64'(FOUR_STEP_LOG2_SCRATCH) + 64'(aux[6:4]) - 64'd1);
      end
      OP_SQR: begin
        procedure = PROCEDURE_PRODUCT;
        engine = aux[2:0];
        known = has_engine(64'(aux[2:0])) && (64'(aux[6:4]) == 64'd0 || FEATURES[FEATURE_FOUR_STEP]);
        lengths_fit = met[3] && met[1] && met[4];
        dst_bits = lend;
        src0_bits = len0;
        param_bits = 64'(aux[6:4]) == 64'd0 ? 64'd0 : 64'(WORD_BITS) << (64'(FOUR_STEP_LOG2_SCRATCH) + 64'(aux[6:4]) - 64'd1);
      end
      OP_LHWMUL: begin
        procedure = PROCEDURE_SPARSE_PRODUCT;
        known = FEATURES[FEATURE_LHW];
        lengths_fit = met[5] && met[6];
        dst_bits = lend;
        src0_bits = len0;
        src1_bits = aux == 64'd0 ? 64'd0 : 64'(WORD_BITS);
      end
      OP_MODRED: begin
        procedure = PROCEDURE_REDUCTION;
        known = FEATURES[FEATURE_MODRED] && (64'(aux[6:4]) == 64'd0 || FEATURES[FEATURE_FOUR_STEP]);
        needs_context = 1'b1;
        lengths_fit = met[7] && met[8] && met[9] && met[10] && met[11] && met[12] && met[13];
        dst_bits = lend;
        src0_bits = len0;
        src1_bits = aux[7] ? 64'd3 * 64'(WORD_BITS) << (64'(FOUR_STEP_LOG2_SCRATCH) + 64'(aux[6:4]) - 64'd2) : 64'd0;
        param_bits = 64'(aux[6:4]) == 64'd0 ? 64'd0 : 64'(WORD_BITS) << (64'(FOUR_STEP_LOG2_SCRATCH) + 64'(aux[6:4]) - (aux[7] ? 64'd0 : 64'd1));
        src0_may_be_dst = 1'b1;
      end
      OP_ACC: begin
        procedure = PROCEDURE_SUM;
        known = 1'b1;
        lengths_fit = met[14] && met[15];
        dst_bits = lend;
        src0_bits = len0;
        src1_bits = len1;
        src0_may_be_dst = 1'b1;
        src1_may_be_dst = 1'b1;
      end
      OP_SUB: begin
        procedure = PROCEDURE_SUM;
        known = 1'b1;
        lengths_fit = met[14] && met[15];
        dst_bits = lend;
        src0_bits = len0;
        src1_bits = len1;
        src0_may_be_dst = 1'b1;
        src1_may_be_dst = 1'b1;
      end
      OP_CSUB: begin
        procedure = PROCEDURE_CHOICE;
        known = 1'b1;
        lengths_fit = met[14] && met[15];
        dst_bits = lend;
        src0_bits = len0;
        src1_bits = len1;
        src0_may_be_dst = 1'b1;
        src1_may_be_dst = 1'b1;
      end
      OP_AFFINE: begin
        procedure = PROCEDURE_SUM;
        known = 1'b1;
        lengths_fit = met[14];
        dst_bits = lend;
        src0_bits = len0;
        src1_bits = 64'(WORD_BITS);
        src0_may_be_dst = 1'b1;
      end
      OP_PRODUCT_SUM: begin
        procedure = PROCEDURE_TERMS;
        engine = aux[10:8];
        known = aux[0] ? FEATURES[FEATURE_LHW] && (!aux[2] || FEATURES[FEATURE_MODRED]) && (!aux[3] || FEATURES[FEATURE_ELEMENTS]) : has_engine(64'(aux[10:8])) && !aux[3];
        needs_context = aux[2];
        lengths_fit = met[16] && met[17] && met[18] && met[19];
        dst_bits = lend;
        src0_bits = aux[3] ? 64'(WORD_BITS) : 64'd0;
        src1_bits = aux[1] ? 64'(WORD_BITS) : 64'd0;
        param_bits = 64'(aux2[15:0]) * 64'(ENTRY_BITS);
      end
      OP_NESTED_SUM: begin
        procedure = PROCEDURE_ROWS;
        known = FEATURES[FEATURE_NESTED_SUM];
        needs_context = 1'b1;
        lengths_fit = met[20] && met[21] && met[8];
        dst_bits = lend;
        src1_bits = aux[1] ? 64'(WORD_BITS) : 64'd0;
        param_bits = product_0 * 64'(ENTRY_BITS);
      end
      OP_SELECTION: begin
        procedure = PROCEDURE_SELECTION;
        known = FEATURES[FEATURE_ELEMENTS];
        lengths_fit = met[22] && met[23] && met[24] && met[25] && met[26] && met[27] && met[28] && met[29];
        dst_bits = lend;
        src0_bits = aux[4] ? 64'd0 : 64'(WORD_BITS);
        src1_bits = len1;
        param_bits = aux[4] ? product_2 * 64'(WORD_BITS) : 64'd0;
      end
      OP_WINDOWS: begin
        procedure = PROCEDURE_WINDOWS;
        known = FEATURES[FEATURE_ELEMENTS];
        lengths_fit = met[22] && met[30] && met[25] && met[31] && met[32] && met[33] && met[34] && met[35];
        dst_bits = lend;
        src0_bits = aux[1] ? 64'd0 : 64'(WORD_BITS);
        src1_bits = len1;
        param_bits = aux[1] ? product_2 * 64'(WORD_BITS) : 64'd0;
      end
      OP_WEIGHTED: begin
        procedure = PROCEDURE_WEIGHTED;
        known = FEATURES[FEATURE_ELEMENTS] && FEATURES[FEATURE_THROUGHPUT];
        lengths_fit = met[22] && met[36] && met[25] && met[37];
        dst_bits = lend;
        src0_bits = 64'(WORD_BITS);
        src1_bits = product_4 * 64'(WORD_BITS);
      end
      OP_KARAT: begin
        procedure = PROCEDURE_POLYNOMIALS;
        known = FEATURES[FEATURE_KARAT];
        lengths_fit = met[38] && met[39] && met[22] && met[40] && met[41] && met[42];
        dst_bits = lend;
        src0_bits = len0;
        src1_bits = len1;
        param_bits = 64'd2 * 64'(WORD_BITS);
      end
      OP_CLEAR: begin
        procedure = PROCEDURE_SUM;
        known = 1'b1;
        dst_bits = lend;
      end
      OP_COPY: begin
        procedure = PROCEDURE_SUM;
        known = 1'b1;
        lengths_fit = met[14];
        dst_bits = lend;
        src0_bits = len0;
      end
      default: ;
    endcase
  end

  logic unused;
  assign unused = &{1'b0, command};
endmodule
`default_nettype wire
