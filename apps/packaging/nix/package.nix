# SPDX-License-Identifier: Apache-2.0
{ lib, stdenv, cmake, ninja, pkg-config, gmp, ntl, openssl, onetbb, fmt, spdlog, cli11, nlohmann_json }:
let
  source = ../../..;
  versions = builtins.match ".*project\\(fhe VERSION ([0-9.]+).*" (builtins.readFile (source + "/CMakeLists.txt"));
in
stdenv.mkDerivation {
  pname = "fhe";
  version = builtins.head versions;
  src = lib.cleanSource source;
  nativeBuildInputs = [ cmake ninja pkg-config ];
  buildInputs = [ spdlog cli11 nlohmann_json ];
  propagatedBuildInputs = [ gmp ntl openssl onetbb fmt ];
  cmakeFlags = [
    "-DFHE_BUILD_TESTS=OFF"
    "-DFHE_CLUSTER=OFF"
    "-DFHE_BENCH=OFF"
    "-DFHE_PYTHON=OFF"
    "-DFHE_OUTSOURCE=OFF"
    "-DFHE_FAKE_XDMA=OFF"
    "-DCMAKE_UNITY_BUILD=ON"
  ];
  meta = {
    description = "Homomorphic encryption over the integers on pluggable arithmetic backends";
    license = lib.licenses.asl20;
    platforms = [ "x86_64-linux" ];
    mainProgram = "fhe";
  };
}
