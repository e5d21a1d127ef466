// SPDX-License-Identifier: Apache-2.0
// Product windows that another program computed: c and y in hexadecimal, and the 5 leading bits of
// their product modulo 2^(64 limbs), rounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fhe::conformance {

struct WindowVector {
  std::size_t limbs;
  std::string_view c;
  std::string_view y;
  std::uint32_t window;
};

inline constexpr std::array<WindowVector, 12> kWindowVectors{{
    {.limbs = 3,
     .c = "a8e46f6d2e1c91d6da33f0279a1abe7020e89e0b958",
     .y = "6bd33d83d703d5b062c4a2289e5d4d25c8ec9febc10c2788",
     .window = 7},
    {.limbs = 3,
     .c = "2d162f56763d5236ac1c8bd8770d23ad2d97d3109bf",
     .y = "ef605abffd39265bb32e9ea15439f75f10c01d5d26b8e5ba",
     .window = 22},
    {.limbs = 3,
     .c = "f4740fc275e69b5220d616273cdd6a19e4f8ca4c608",
     .y = "632417c42f62323b36225fadc2d14e0a57e101e1bb9d2ebe",
     .window = 9},
    {.limbs = 3,
     .c = "62c3a5f9ccdad9a6f2d2e3d6a6340ed367e8564f1dc",
     .y = "cbebb7419e8c1878d5464ac5248fcff28cc334f49713b936",
     .window = 2},
    {.limbs = 5,
     .c = "e38cc64498c8ee93884670c22f05c9cb0ad168afe5e7d67145952bd78ee9ff29d16769799ba",
     .y = "770e5f354d0d21a3710efc3f5654e963457642bd65feb06cdac1d38d0e1908e532ae8f10ef5ead0b",
     .window = 4},
    {.limbs = 5,
     .c = "2207d66c01f47376eb4087d804ebd29370d036fcbe0d077e1bef230b77b1c4de493a2982e5b",
     .y = "f9d97768a736357e8e82c020d04883eb74645968fac19bd78163718715ce2fd817781ac90ba75e63",
     .window = 14},
    {.limbs = 5,
     .c = "58ca7e567e387ed23b1fe5dd6f65d04c96976067ae6ac125000a1a58ce83556173a14f69a60",
     .y = "934c45380476dff0f4fbd3486325af54a30a6e7a24b99aa4e600b110226a6c288814f4bf5d4a47ec",
     .window = 25},
    {.limbs = 5,
     .c = "36a4296461beddd0968b79ec1a5a26fe7a34bea62d788c5f348c5e5efd1d23e7fe7e6b74a0",
     .y = "e33a2538787b118631fd7a9d851d62b5bd703358d3a71489888c3c0be3f7b4ef51fb5227509c2530",
     .window = 4},
    {.limbs = 9,
     .c = "8a6936cd61319c06515993bb873540b742e8a6e83734bc9404eb2256110d660d13bfd703b61aa80bb6c65ce1"
          "10a2689ae92b29bc6b33ac4414b1e036ff5150fb7fddda7e515",
     .y = "194a5491f6b8f116cc81737b5b0f56452c0188bb717eafff25aac128d069212df802fea90e30277e50b7c84f"
          "cfda60dc99517a7ee644c315c2cb1187f62e7330ba45cd545fdd3a16",
     .window = 5},
    {.limbs = 9,
     .c = "e6387847ff4a1cb8b0af631206795ac08c8493544ec8f808c2a63c7fe352f6d7f841d1d95e1ad61682bde065"
          "c4329c739a018498d88387946848f841a8ab31f4e8b092469ae",
     .y = "caabc4009ed88e2a90a70b103f1855582ac1ffe9c43ae8ddfba0608ffaaad0810748850fe676f5d252f0a7f6"
          "293afcb7751f5f5ff12e90595ea3927838b6a352e2ff55204cb9d2a2",
     .window = 31},
    {.limbs = 9,
     .c = "48c8fc7aa86136b14bfae1591f09e1e266c642b5dfc4f2d1caeed61ef1faa94cfa49c3eae2243986acd366e1"
          "80f649b522be4169b08ea4f04682d0497366cdfd84f8fe6d6a4",
     .y = "47240c55a4bed9c0727125b17f89361a37d88a4792d5907cac3cab0a9729d0724e79c5f9e7c228f16a13ffc1"
          "819a4670fb12493a5bc0fd0271ea75ecc79ef1335c080031c76ca691",
     .window = 12},
    {.limbs = 9,
     .c = "e4cb6d2b1f929ab23a5310bb556a2d637a54eff06e927630c4c121dead79d20de26c7d325e8ec7c8bc951d7d"
          "76397006895512cf3b8c5ee21f7a4a08a9775eb627bd7fd0450",
     .y = "b9e2f88b7094ca21d979f2e0044cc6e7ba18aaf13be9898d6f838f53ddc90119b14ffd17327c7383a85f021a"
          "55d69771159d393ae693f92b8a8060e739ce32fa96ab8fada99110a2",
     .window = 31},
}};

}  // namespace fhe::conformance
