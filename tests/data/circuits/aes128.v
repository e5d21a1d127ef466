// AES-128 encryption of one block (FIPS 197), all rounds and the key schedule, combinational.
// Bit 127 of every port is the first bit of the first byte.

// The product of two elements of GF(2^4) = GF(2)[x] / (x^4 + x + 1), by Karatsuba.
module gf16_multiply(input [3:0] a, input [3:0] b, output [3:0] y);
  wire [1:0] as = a[3:2] ^ a[1:0], bs = b[3:2] ^ b[1:0];
  wire [2:0] low, high, mixed;
  gf4_product lows(a[1:0], b[1:0], low);
  gf4_product highs(a[3:2], b[3:2], high);
  gf4_product sums(as, bs, mixed);
  wire [2:0] middle = mixed ^ low ^ high;
  wire [6:0] p = {high, 4'b0} ^ {2'b0, middle, 2'b0} ^ {4'b0, low};
  assign y = {p[3] ^ p[6], p[2] ^ p[5] ^ p[6], p[1] ^ p[4] ^ p[5], p[0] ^ p[4]};
endmodule

// The product of two polynomials of two coefficients.
module gf4_product(input [1:0] a, input [1:0] b, output [2:0] y);
  wire low = a[0] & b[0], high = a[1] & b[1];
  assign y = {high, ((a[0] ^ a[1]) & (b[0] ^ b[1])) ^ low ^ high, low};
endmodule

// The inverse in GF(2^4), and 0 of 0.
module gf16_inverse(input [3:0] x, output [3:0] y);
  wire m01 = x[0] & x[1], m02 = x[0] & x[2], m12 = x[1] & x[2], m03 = x[0] & x[3];
  wire m13 = x[1] & x[3], m23 = x[2] & x[3];
  wire m012 = m01 & x[2], m013 = m01 & x[3], m023 = m02 & x[3], m123 = m12 & x[3];
  assign y[0] = x[0] ^ x[1] ^ x[2] ^ m02 ^ m12 ^ m012 ^ x[3] ^ m123;
  assign y[1] = m01 ^ m02 ^ m12 ^ x[3] ^ m13 ^ m013;
  assign y[2] = m01 ^ x[2] ^ m02 ^ x[3] ^ m03 ^ m023;
  assign y[3] = x[1] ^ x[2] ^ x[3] ^ m03 ^ m13 ^ m23 ^ m123;
endmodule

// The S-box by way of GF(2^4)[Y] / (Y^2 + Y + 8).
module sbox(input [7:0] x, output [7:0] y);
  wire [7:0] c = {^(x & 8'ha0), ^(x & 8'hac), ^(x & 8'hd2), ^(x & 8'h70),
                  ^(x & 8'h18), ^(x & 8'hfc), ^(x & 8'h04), ^(x & 8'ha1)};
  wire [3:0] h = c[7:4], l = c[3:0], s = h ^ l, sl, e, ih, il;
  wire [3:0] h8 = {h[0] ^ h[2] ^ h[3], h[1], h[1] ^ h[2] ^ h[3], h[2]};  // 8 h^2
  gf16_multiply product(s, l, sl);
  gf16_inverse inverse(h8 ^ sl, e);
  gf16_multiply upper(h, e, ih);
  gf16_multiply lower(s, e, il);
  wire [7:0] i = {ih, il};
  assign y = {^(i & 8'h06), ^(i & 8'hd0), ^(i & 8'hee), ^(i & 8'h3b),
              ^(i & 8'h25), ^(i & 8'h69), ^(i & 8'h3f), ^(i & 8'h45)} ^ 8'h63;
endmodule

// SubBytes and ShiftRows, then MixColumns unless it is the last round.
module round(input [127:0] x, input last, output [127:0] y);
  wire [127:0] s;
  genvar r, c;
  generate
    for (c = 0; c < 4; c = c + 1) begin : column
      for (r = 0; r < 4; r = r + 1) begin : row
        sbox box(x[127 - 8 * (4 * ((c + r) % 4) + r) -: 8], s[127 - 8 * (4 * c + r) -: 8]);
      end
      wire [7:0] a = s[127 - 32 * c -: 8], b = s[119 - 32 * c -: 8];
      wire [7:0] d = s[111 - 32 * c -: 8], e = s[103 - 32 * c -: 8];
      wire [7:0] t = a ^ b ^ d ^ e;
      assign y[127 - 32 * c -: 32] = last ? {a, b, d, e} :
          {a ^ t ^ twice(a ^ b), b ^ t ^ twice(b ^ d), d ^ t ^ twice(d ^ e), e ^ t ^ twice(e ^ a)};
    end
  endgenerate
  function [7:0] twice(input [7:0] v);
    twice = {v[6:0], 1'b0} ^ (v[7] ? 8'h1b : 8'h00);
  endfunction
endmodule

// The next round key.
module next_key(input [127:0] k, input [7:0] constant, output [127:0] y);
  wire [31:0] t;
  sbox s0(k[23:16], t[31:24]);
  sbox s1(k[15:8], t[23:16]);
  sbox s2(k[7:0], t[15:8]);
  sbox s3(k[31:24], t[7:0]);
  wire [31:0] w0 = k[127:96] ^ t ^ {constant, 24'b0};
  wire [31:0] w1 = k[95:64] ^ w0, w2 = k[63:32] ^ w1, w3 = k[31:0] ^ w2;
  assign y = {w0, w1, w2, w3};
endmodule

module aes128(input [127:0] key, input [127:0] plaintext, output [127:0] ciphertext);
  localparam [79:0] constants = 80'h01020408102040801b36;
  wire [127:0] keys [0:10];
  wire [127:0] states [0:10];
  assign keys[0] = key;
  assign states[0] = plaintext ^ key;
  genvar i;
  generate
    for (i = 0; i < 10; i = i + 1) begin : rounds
      wire [127:0] y;
      next_key next(keys[i], constants[79 - 8 * i -: 8], keys[i + 1]);
      round one(states[i], i == 9, y);
      assign states[i + 1] = y ^ keys[i + 1];
    end
  endgenerate
  assign ciphertext = states[10];
endmodule
