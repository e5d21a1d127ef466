// SPDX-License-Identifier: Apache-2.0
//
// The interface between fhe (the host) and an accelerator in a shared object of its own (a
// plug-in), in C99.
//
// A plug-in exports one function, fhe_backend_plugin, which returns a table of functions. The host
// opens backends by that table and computes with them. A plug-in written in C++ over libfhe derives
// a class from fhe::Backend and lets accel/plugin/export_backend.hpp make the table. One that is
// written in another language, or without libfhe, fills it in itself: four functions are enough.
//
// Versions. FHE_BACKEND_ABI_VERSION changes when a plug-in of the old version can no longer be
// used. What is added comes at the end of a structure, and each structure that may grow begins with
// its size in bytes: what lies beyond the size that the other side states is not there.
//
// Numbers are non-negative integers of 64-bit limbs, least significant first, in the byte order of
// the machine. The host keeps the signs.
//
// Ownership. What the host passes to a function is the host's and valid until the function returns,
// except where it says otherwise. The host allocates results, and the plug-in writes every limb of
// them. Backends, rings and operands are the plug-in's, from the call that makes them to the one
// that closes them.
//
// Threads. Every function may be called by any number of threads at once, also with the same
// backend, ring or operand; only the function that closes an object is called when nothing else
// uses it. A call returns when its results are written. Functions of the host may be called by any
// thread of the plug-in during the call that they belong to, each `reader` and `error` by one
// thread at a time.
//
// Errors. A function returns 0, or one of fhe_backend_status after it has written a sentence into
// `error`; then its results are not used, and nothing that it was to make exists. No exception
// leaves a function.
//
// Secrets. The weights of sums, the operands of a ring, the modulus of `residues` and all results
// may reveal encrypted bits or the key: nothing of them may be logged, or stay in memory that is
// given back.
#ifndef FHE_BACKEND_ABI_H
#define FHE_BACKEND_ABI_H

#include <stddef.h>
#include <stdint.h>

// NOLINTBEGIN(readability-identifier-naming, modernize-use-using): the names and types of C

#ifdef __cplusplus
extern "C" {
#endif

// The version that this file describes.
#define FHE_BACKEND_ABI_VERSION 1u

// Shows the function that a plug-in exports, where all others are hidden.
#define FHE_BACKEND_VISIBLE __attribute__((visibility("default")))

// The name of the function that a plug-in exports; see the end.
#define FHE_BACKEND_PLUGIN_SYMBOL "fhe_backend_plugin"

// What a function returns. The numbers stay what they are.
enum fhe_backend_status {
  FHE_BACKEND_OK = 0,                // all went well
  FHE_BACKEND_INVALID_ARGUMENT = 1,  // an argument or an option is outside of what is accepted
  FHE_BACKEND_UNSUPPORTED = 2,       // this machine or this device cannot do it
  FHE_BACKEND_IO = 3,                // the device is lost or does not answer
  FHE_BACKEND_STOPPED = 4,           // the host asked to stop
  FHE_BACKEND_OUT_OF_MEMORY = 5,     // of the machine or of the device
  FHE_BACKEND_WRONG_RESULT = 6,      // the plug-in found a result to be wrong
  FHE_BACKEND_FAILED = 7             // anything else
};

// Where a function writes what went wrong: a sentence in UTF-8 that ends with 0 and says what to
// do.
typedef struct fhe_backend_error {
  char message[1024];  // empty before the call
} fhe_backend_error;

// A number to read. No limbs: 0. Leading zero limbs are allowed.
typedef struct fhe_number {
  const uint64_t* limbs;  // least significant first
  size_t count;           // of limbs
} fhe_number;

// Where a number goes. All `count` limbs are to be written.
typedef struct fhe_result {
  uint64_t* limbs;  // least significant first
  size_t count;     // of limbs
} fhe_result;

// How the host watches a long call.
typedef struct fhe_monitor {
  size_t size;    // of this structure
  void* context;  // the first argument of the functions that take one
  // 1 when the call is to end soon with FHE_BACKEND_STOPPED (about a second), else 0.
  int (*is_stopped)(void* context);
  // Calls stopped(argument) once, from any thread, when that happens, which may be before it
  // returns. Returns what unwatch takes before the call ends, or null for want of memory. After
  // unwatch it is not called.
  void* (*watch)(void* context, void (*stopped)(void* argument), void* argument);
  void (*unwatch)(void* watch);
  // How much of the call is done, in [0, 1]: not by two threads at a time. `phase` is a word for
  // people.
  void (*progress)(void* context, const char* phase, double fraction);
} fhe_monitor;

// A list of `elements` numbers of at most `bits` bits, too long to be held in memory.
typedef struct fhe_stream {
  size_t size;      // of this structure
  void* context;    // the argument of open_reader
  size_t elements;  // how many
  size_t bits;      // of an element, at most
  // Null, or the name of the public generator by which a device can make the elements itself, with
  // its seed and the numbers below. "aes128ctr-v1": element i is the AES-128 key stream under the
  // key `seed` whose counter blocks are, most significant byte first, purpose (4 bytes),
  // first_index + i (4 bytes), number of the block (8 bytes), read as a little-endian number, of
  // which the lowest `bits` bits count.
  const char* generator;
  uint8_t seed[16];
  uint32_t purpose;
  uint32_t first_index;
  // A reader, or null for want of memory, and its end. Each thread has a reader of its own.
  void* (*open_reader)(void* context);
  void (*close_reader)(void* reader);
  // Limbs first_limb, first_limb + 1, ... of an element, 0 past its end. Returns 0, or another
  // number after which the call is to end with FHE_BACKEND_FAILED: the host knows why.
  int (*read)(void* reader, size_t element, size_t first_limb, uint64_t* limbs, size_t count);
} fhe_stream;

// The bits wanted of the products with the elements of a stream; see product_windows.
typedef struct fhe_window {
  size_t modulus_bits;   // of the power of two that products are taken modulo
  uint32_t window_bits;  // how many leading bits are kept
} fhe_window;

// Which elements go into which sums: element i into sum j of block i / block_size where bit j of
// masks[i] is set.
typedef struct fhe_selection {
  size_t block_size;      // elements of a block, at least 1
  uint32_t width;         // sums of a block, 1 to 32
  const uint32_t* masks;  // one for each element
} fhe_selection;

// Weights of low Hamming weight: weight i is the sum of 2^p over positions[i ones], ...,
// positions[(i + 1) ones - 1].
typedef struct fhe_sparse_weights {
  size_t ones;                // of each weight
  const uint32_t* positions;  // of the ones, below 2^32
} fhe_sparse_weights;

// What a backend says of itself. The texts live as long as the backend.
typedef struct fhe_backend_facts {
  size_t size;              // of this structure, set by the host
  const char* description;  // one line: device, library, version
  size_t max_operand_bits;  // the longest factor that multiply takes
  const char* native;       // what is not left to defaults, with commas: "multiply,weighted_sums"
} fhe_backend_facts;

// What a backend has done so far; all figures only grow.
typedef struct fhe_backend_counts {
  size_t size;               // of this structure, set by the host
  uint64_t multiplications;  // products of long numbers
  uint64_t limb_products;    // the sum over them of limbs times limbs
  uint64_t reductions;       // modulo the modulus of a ring
  uint64_t stream_bytes;     // of streams that were generated or read
  uint64_t device_clocks;    // of a device with a clock
} fhe_backend_counts;

// Objects of the plug-in, which only it knows the inside of.
typedef struct fhe_backend fhe_backend;
typedef struct fhe_ring fhe_ring;
typedef struct fhe_operand fhe_operand;

// An element of a ring: its value in [0, modulus), and the operand that a function of this ring
// made of it, or null. The value has no limbs where the operand is the only place of the element.
typedef struct fhe_factor {
  fhe_number value;             // in [0, modulus)
  const fhe_operand* prepared;  // or null
} fhe_factor;

// What ring_compute_all does for one result.
enum fhe_ring_operation_kind {
  FHE_RING_MULTIPLY = 0,  // a b mod modulus
  FHE_RING_ADD = 1        // a + b mod modulus
};

// One of many operations that are done together; see ring_compute_all.
typedef struct fhe_ring_operation {
  uint32_t kind;       // of fhe_ring_operation_kind
  uint32_t is_factor;  // 1: several products will use the result, which is worth preparing; else 0
  fhe_factor a;        // the first element
  fhe_factor b;        // the second element
} fhe_ring_operation;

// Elements that are added up, bit by bit of their windows: for each bit b of a window, the sum of
// the elements first + i, i < count, for which window first_window + i window_step, with `plus`
// added, has bit b.
typedef struct fhe_window_group {
  size_t first;         // element
  size_t count;         // of elements, at least 1
  size_t first_window;  // of the first element
  size_t window_step;   // from the window of one element to that of the next, at least 1
  uint32_t plus;        // less than 2^window_bits
} fhe_window_group;

// Elements of a stream and what is to be subtracted from them.
typedef struct fhe_corrected_stream {
  const fhe_stream* elements;     // before that
  const fhe_number* corrections;  // or null
} fhe_corrected_stream;

// An integer of any sign.
typedef struct fhe_signed_number {
  fhe_number absolute;   // its absolute value
  uint32_t is_negative;  // 1 or 0
} fhe_signed_number;

// One step of a program over elements of a ring: values[inputs + i] = values[left] operation
// values[right] for step i.
typedef struct fhe_ring_step {
  uint32_t kind;   // of fhe_ring_operation_kind
  uint32_t left;   // index of the first operand, which comes before
  uint32_t right;  // index of the second operand, likewise
} fhe_ring_step;

// A whole recryption; see ring_recrypt. All indices are of what there is.
//
// Windows: first those of c y, as of product_windows, for the y of first_factors and other_factors;
// then, for each y of residue_factors and j < residue_count, with r = c y 2^(j residue_step) mod
// modulus, which is odd, round(2^(w-1) r / modulus) + 2^(w-1) (r mod 2) mod 2^w, w = window_bits.
// Elements: those of all streams, and then those that are kept.
// Inputs: window_bits sums of each group, bit 0 first; then single elements; then constants.
typedef struct fhe_recryption {
  size_t size;                          // of this structure
  fhe_number c;                         // in [0, modulus)
  const fhe_number* first_factors;      // of at most modulus_bits bits
  size_t first_count;                   // how many
  const fhe_stream* other_factors;      // likewise, or null
  fhe_window window;                    // what is kept of products
  const fhe_factor* residue_factors;    // in [0, modulus)
  size_t residue_factor_count;          // how many
  size_t residue_count;                 // windows of each, at least 1 where there are any
  size_t residue_step;                  // bits
  const fhe_corrected_stream* streams;  // elements
  size_t stream_count;                  // how many
  const fhe_factor* kept;               // elements
  size_t kept_count;                    // how many
  const fhe_window_group* groups;       // the first inputs
  size_t group_count;                   // how many
  const size_t* singles;                // the next inputs: these elements themselves
  size_t single_count;                  // how many
  const fhe_signed_number* constants;   // the last inputs: in (-modulus, modulus)
  size_t constant_count;                // how many
  const fhe_ring_step* steps;           // from the inputs to the result
  size_t step_count;                    // how many
  size_t output;                        // index of the value that is the result
} fhe_recryption;

// What a plug-in offers. Functions that are null are done by the host, by means of multiply; those
// marked * may not be null.
typedef struct fhe_backend_table {
  uint32_t abi_version;  // FHE_BACKEND_ABI_VERSION
  uint32_t size;         // of this structure
  const char* version;   // of the plug-in, a word for people
  const char* summary;   // one line, options included, that `fhe backends` prints

  // * Opens a backend with what the user wrote behind its name and a colon, or "".
  int (*open)(const char* options, fhe_backend** backend, fhe_backend_error* error);
  // * Ends it, after its rings.
  void (*close)(fhe_backend* backend);
  // *
  void (*facts)(const fhe_backend* backend, fhe_backend_facts* facts);
  // Null: the host counts the calls.
  void (*counts)(const fhe_backend* backend, fhe_backend_counts* counts);

  // * product = x y, for factors of 1 to max_operand_bits bits, whose leading limbs are not 0; x
  // and y may be the same. product has as many limbs as both together.
  int (*multiply)(const fhe_backend* backend, const fhe_number* x, const fhe_number* y,
                  fhe_result* product, fhe_backend_error* error);

  // sums[s] = sum of y_i weights[s elements + i] over all elements, for each s < sets. The stream
  // should be read once only. A sum has the limbs of an element, of the longest weight and one
  // more.
  int (*weighted_sums)(const fhe_backend* backend, const fhe_stream* stream,
                       const fhe_number* weights, size_t sets, fhe_result* sums,
                       const fhe_monitor* monitor, fhe_backend_error* error);
  // The same with sparse weights.
  int (*sparse_sums)(const fhe_backend* backend, const fhe_stream* stream,
                     const fhe_sparse_weights* weights, size_t sets, fhe_result* sums,
                     const fhe_monitor* monitor, fhe_backend_error* error);
  // sums[block width + j], the blocks in order; the last one may have fewer elements. A sum has one
  // limb more than an element.
  int (*selected_sums)(const fhe_backend* backend, const fhe_stream* stream,
                       const fhe_selection* selection, fhe_result* sums, const fhe_monitor* monitor,
                       fhe_backend_error* error);
  // windows[i] = c y_i mod 2^modulus_bits, divided by 2^(modulus_bits - window_bits), rounded to
  // the nearest number (halves up), modulo 2^window_bits; for 1 to 32 window_bits < modulus_bits,
  // and elements of at most modulus_bits bits.
  int (*product_windows)(const fhe_backend* backend, const fhe_number* c, const fhe_stream* stream,
                         const fhe_window* window, uint32_t* windows, const fhe_monitor* monitor,
                         fhe_backend_error* error);
  // residues[i] = y_i mod modulus, of as many limbs as the modulus, which is the secret prime of a
  // key: leave this null when operands go to a device that may not see it.
  int (*residues)(const fhe_backend* backend, const fhe_stream* stream, const fhe_number* modulus,
                  fhe_result* residues, const fhe_monitor* monitor, fhe_backend_error* error);

  // The ring modulo a number of at least 2, with what is worth computing before. Either all that
  // follow are null up to ring_multiply, or none but ring_prepare and operand_close; the latter
  // stands beside ring_prepare and beside the functions at the end, all of which make operands.
  int (*ring_open)(const fhe_backend* backend, const fhe_number* modulus, fhe_ring** ring,
                   fhe_backend_error* error);
  void (*ring_close)(fhe_ring* ring);
  // What products with x have in common, for x in [0, modulus). The value is kept by the host.
  int (*ring_prepare)(const fhe_ring* ring, const fhe_number* x, fhe_operand** operand,
                      fhe_backend_error* error);
  void (*operand_close)(fhe_operand* operand);
  // x mod modulus, for any x. This result and those below have as many limbs as the modulus.
  int (*ring_reduce)(const fhe_ring* ring, const fhe_number* x, fhe_result* residue,
                     fhe_backend_error* error);
  // a b mod modulus.
  int (*ring_multiply)(const fhe_ring* ring, const fhe_factor* a, const fhe_factor* b,
                       fhe_result* product, fhe_backend_error* error);
  // The sum of a[k] b[k] over k < terms, mod modulus; terms is at least 1.
  int (*ring_dot)(const fhe_ring* ring, const fhe_factor* a, const fhe_factor* b, size_t terms,
                  fhe_result* sum, fhe_backend_error* error);

  // What follows does many operations at once and leaves the results where they are made, as in the
  // memory of a device: each is an operand, which the host closes, and whose value it asks for only
  // where it needs it. All of them are null, or none. A function that fails leaves no operand.
  //
  // The value of an operand that one of these functions made.
  int (*operand_value)(const fhe_ring* ring, const fhe_operand* operand, fhe_result* value,
                       fhe_backend_error* error);
  // What products with each of these elements have in common; see ring_prepare.
  int (*ring_prepare_all)(const fhe_ring* ring, const fhe_factor* elements, size_t count,
                          fhe_operand** operands, fhe_backend_error* error);
  // results[i] of operations[i], for each i < count; none of them needs the result of another.
  int (*ring_compute_all)(const fhe_ring* ring, const fhe_ring_operation* operations, size_t count,
                          fhe_operand** results, const fhe_monitor* monitor,
                          fhe_backend_error* error);
  // results[s] = ring_dot of terms[s] terms, for each s < count; the terms of one sum stand behind
  // those of the one before. A sum may have no terms: it is 0.
  int (*ring_dot_all)(const fhe_ring* ring, const fhe_factor* a, const fhe_factor* b,
                      const size_t* terms, size_t count, fhe_operand** results,
                      const fhe_monitor* monitor, fhe_backend_error* error);
  // selected_sums of the numbers y_i - corrections[i], mod modulus; without corrections, which is
  // null then, of the y_i.
  int (*ring_selected_sums)(const fhe_ring* ring, const fhe_stream* stream,
                            const fhe_number* corrections, const fhe_selection* selection,
                            fhe_operand** results, const fhe_monitor* monitor,
                            fhe_backend_error* error);

  // weighted_sums and sparse_sums of the numbers y_i - corrections[i], mod modulus; corrections may
  // be null as above. Each of both may be null: the host reduces what the backend's function gives.
  int (*ring_weighted_sums)(const fhe_ring* ring, const fhe_stream* stream,
                            const fhe_number* corrections, const fhe_number* weights, size_t sets,
                            fhe_result* sums, const fhe_monitor* monitor, fhe_backend_error* error);
  int (*ring_sparse_sums)(const fhe_ring* ring, const fhe_stream* stream,
                          const fhe_number* corrections, const fhe_sparse_weights* weights,
                          size_t sets, fhe_result* sums, const fhe_monitor* monitor,
                          fhe_backend_error* error);

  // Two more that make operands, both or none, and only beside operand_value. The same elements
  // where the plug-in computes, for many operations from now on: those of a key, in the memory of a
  // device as far as there is room (else an operand may be the element where it was).
  int (*ring_keep_all)(const fhe_ring* ring, const fhe_factor* elements, size_t count,
                       fhe_operand** operands, fhe_backend_error* error);
  // selected_sums of `count` elements of the ring, mod modulus.
  int (*ring_selected_factors)(const fhe_ring* ring, const fhe_factor* elements, size_t count,
                               const fhe_selection* selection, fhe_operand** results,
                               const fhe_monitor* monitor, fhe_backend_error* error);

  // The result of a recryption, mod modulus, which a device computes by itself. What is not c is
  // the same for all recryptions with a key. done = 0 where the plug-in is no better at this one
  // than step by step, which the host then does; else 1. Only beside ring_open.
  int (*ring_recrypt)(const fhe_ring* ring, const fhe_recryption* recryption, int* done,
                      fhe_result* result, const fhe_monitor* monitor, fhe_backend_error* error);
} fhe_backend_table;

// The one function that a plug-in exports. The host says which version of this interface it speaks;
// the table, of whatever version, lives as long as the process, since a plug-in is never unloaded.
// Null: this machine cannot have it at all (say why in `open` instead, where that is possible).
FHE_BACKEND_VISIBLE const fhe_backend_table* fhe_backend_plugin(uint32_t host_abi_version);

#ifdef __cplusplus
}
#endif

// NOLINTEND(readability-identifier-naming, modernize-use-using)

#endif
