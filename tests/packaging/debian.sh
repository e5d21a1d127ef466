#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the packages for Debian, checks them with lintian, and installs, uses and removes them in a bare Debian 12, which
# mmdebstrap fetches from the mirror of this machine's apt.
#
#   tests/packaging/debian.sh BUILD_DIR [PACKAGES]
#
# BUILD_DIR is where the preset package is built, and kept for the next time; with PACKAGES, a folder that holds packages,
# nothing is built. Exit status 77 where mmdebstrap, dpkg-dev or the rights of root are missing: the test is skipped.
set -euo pipefail

build=${1:?usage: tests/packaging/debian.sh BUILD_DIR [PACKAGES]}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
skip() {
  printf 'debian: SKIP, the packages are not tested: %s\n' "$*"
  exit 77
}
fail() {
  printf 'debian: %s\n' "$*" >&2
  exit 1
}
((EUID == 0)) || skip 'a bare Debian is made and entered by root'
for program in mmdebstrap dpkg-scanpackages dpkg-shlibdeps chroot; do
  command -v "$program" > /dev/null || skip "$program is missing (Debian: apt-get install mmdebstrap dpkg-dev)"
done
[[ $(. /etc/os-release && echo "$VERSION_CODENAME") == bookworm ]] || skip 'packages for Debian 12 are built on Debian 12'
scratch=$(mktemp -d)
root=$scratch/root
leave() {
  mountpoint --quiet "$root/proc" && umount "$root/proc"
  rm -rf "$scratch"
}
trap leave EXIT

if (($# > 1)); then
  packages=$2
else
  echo '== packages'
  cmake --preset package -S "$source" -B "$build" > "$scratch/log" && cmake --build "$build" >> "$scratch/log" 2>&1 ||
    { tail -n 40 "$scratch/log"; fail 'they are not built'; }
  rm -rf "$build/packages"
  (cd "$build" && cpack) > "$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; fail 'they are not packed'; }
  packages=$build/packages
fi
version=$(sed -nE 's/^project\(fhe VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
for package in libfhe0 libfhe-dev fhe-tools fhe-backend-fpga fhe-backend-gpu python3-fhe fhe-doc; do
  compgen -G "$packages/${package}_${version}_*.deb" > /dev/null || fail "there is no package $package"
done

if command -v lintian > /dev/null; then
  echo '== lintian'
  lintian --fail-on error --allow-root "$packages"/*.deb || fail 'lintian finds errors'
else
  echo 'debian: lintian is missing (Debian: apt-get install lintian): it checks nothing'
fi

echo '== a bare Debian 12'
mmdebstrap --quiet --variant=minbase bookworm "$root" > "$scratch/log" 2>&1 ||
  { tail -n 5 "$scratch/log"; skip 'the mirror gives no Debian 12'; }
mkdir "$root/packages" "$root/try"
cp "$packages"/*.deb "$root/packages"
(cd "$root/packages" && dpkg-scanpackages --multiversion . > Packages 2> /dev/null)
echo 'deb [trusted=yes] file:/packages ./' > "$root/etc/apt/sources.list.d/fhe.list"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
mount --bind /proc "$root/proc"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/try LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -euc "$1"; }
install() { inside "cd /packages && apt-get install -y -q --no-install-recommends $*" > "$scratch/log" 2>&1 || { tail -n 20 "$scratch/log"; fail "apt does not install $*"; }; }
# What dpkg says is there, and every file and folder of the system that is no log or list of apt and dpkg.
state() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./packages -o -path ./var/lib -o -path ./var/cache -o -path ./var/log \
    -o -path ./tmp -o -path ./try -o -path ./root \) -prune -o -print | sort)
}
inside 'apt-get update -q' > "$scratch/log" 2>&1 || { tail -n 5 "$scratch/log"; fail 'apt does not read the packages'; }

echo '== programs and the Python package'
inside 'apt-get install -y -q --no-install-recommends python3-numpy libgmpxx4ldbl libntl44 libtbb12 libfmt9' > "$scratch/log" 2>&1
state > "$scratch/before"
install './fhe-tools*.deb ./python3-fhe*.deb'
inside '
  cd
  fhe keygen --params cnt-toy --out keys > /dev/null
  fhe encrypt --key keys/public.fhe --number 13 --width 8 --out a.fhe
  fhe encrypt --key keys/public.fhe --number 11 --width 8 --out b.fhe
  fhe eval --key keys/public.fhe add a.fhe b.fhe --out c.fhe > /dev/null
  [[ $(fhe decrypt --key keys/secret.fhe --number c.fhe) == 24 ]]
  fhe-outsource demo --params cnt-mini > /dev/null
  fhe-ballot --params cnt-mini --votes yyn > /dev/null
  fhe-bench --version
  [[ -s /usr/share/man/man1/fhe-bench.1.gz && -s /usr/share/fhe/params/cnt-toy.toml ]]' || fail 'the programs do not work'
"$source/tests/packaging/cells.py" "$root/usr/share/fhe/notebooks/1_twenty_lines.ipynb" > "$root/try/cells.py"
inside 'cd && python3 cells.py' || fail 'the first notebook does not run'

echo '== backends'
inside '! fhe backends | grep -q "plug-in /usr"' || fail 'there are plug-ins before they are installed'
install './fhe-backend-*.deb'
for device in fpga:model gpu:host; do
  inside "fhe keygen --params cnt-mini --out ~/keys --force --backend $device > /dev/null" || fail "$device does not work"
done

echo '== removed'
inside "apt-get purge -y -q 'fhe-*' python3-fhe libfhe0 && apt-get autoremove -y -q --purge" > "$scratch/log" 2>&1
inside '[[ -z $(dpkg-query --show --showformat="\${Package}\n" | grep fhe) ]]' || fail 'packages are left'
state | comm -13 "$scratch/before" - > "$scratch/left"
[[ ! -s $scratch/left ]] || fail "files are left: $(head -n 5 "$scratch/left" | xargs)"

echo '== a program that is built with the packages'
inside 'apt-get install -y -q --no-install-recommends g++ cmake make pkg-config' > "$scratch/log" 2>&1
install './libfhe-dev*.deb ./fhe-doc*.deb'
inside '
  cp -r /usr/share/doc/fhe/apps/examples ~/examples
  cd ~/examples
  cmake -S . -B build > /dev/null
  cmake --build build --target example_01_bits example_06_words > /dev/null
  build/01_bits && build/06_words
  cmake -S backend -B plugin > /dev/null
  cmake --build plugin > /dev/null
  g++ -std=c++20 01_bits.cpp -o by-pkg-config $(pkg-config --cflags --libs fhe)
  ./by-pkg-config > /dev/null' || fail 'libfhe-dev does not build the examples'
echo 'debian: all is well'
