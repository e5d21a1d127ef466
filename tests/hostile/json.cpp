// SPDX-License-Identifier: Apache-2.0
// The JSON of the service: requests of clients, and what a job's file says.
#include "apps/outsource/messages.hpp"
#include "tests/hostile/target.hpp"

using namespace fhe;
using namespace fhe::hostile;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  outsource::Json json;
  if (!accepts({ErrorCode::malformed_file},
               [&] { json = outsource::parse_json(text_of(data, size), "the text"); })) {
    return 0;
  }
  demand(outsource::parse_json(outsource::to_text(json), "written") == json,
         "written, it is other JSON");
  accepts({ErrorCode::malformed_file},
          [&] { static_cast<void>(outsource::request_from(json, "the request")); });
  accepts({ErrorCode::malformed_file}, [&] {
    const outsource::Json job = outsource::to_json(outsource::job_from(json, "the job"));
    demand(outsource::to_json(outsource::job_from(job, "written")) == job,
           "written, it is another job");
  });
  return 0;
}
