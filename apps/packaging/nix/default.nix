# SPDX-License-Identifier: Apache-2.0
# The library and its programs for Nix, from the tree that this file lies in:
#   nix-build apps/packaging/nix
{ pkgs ? import <nixpkgs> { } }:
pkgs.callPackage ./package.nix { onetbb = pkgs.onetbb or pkgs.tbb_2022 or pkgs.tbb_2021_11; }
