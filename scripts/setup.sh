#!/bin/sh
# setup.sh GROUP...: installs the Debian packages of these groups of packages.txt that are missing.
# When none is missing it touches nothing and takes a few milliseconds.
set -eu

list=$(dirname "$0")/packages.txt

[ "${MERCER_SKIP_SETUP:-}" = 1 ] && exit 0
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: this is not a Debian system; the packages in scripts/packages.txt, or what your system calls them, must be there" >&2
  exit 0
fi

packages=
for group in "$@"; do
  packages="$packages $(sed -n "s/^$group  *//p" "$list" | tr '\n' ' ')"
done

# ${Status} of an installed package ends in " installed"; one never heard of prints only an error.
# shellcheck disable=SC2016,SC2086
installed=$(dpkg-query -W -f '${Package} ${Status}\n' $packages 2>/dev/null | sed -n 's/ install ok installed$//p') || true
missing=
for package in $packages; do
  printf '%s\n' "$installed" | grep -qx "$package" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

give_up() {
  cat >&2 <<MESSAGE
setup: $1 Mercer needs these Debian packages, which are missing:$missing. As root, run
    apt-get update && apt-get install$missing
and then make again. (If you have them from elsewhere: make MERCER_SKIP_SETUP=1)
MESSAGE
  exit 1
}

as_root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || give_up "cannot install packages: not root, and there is no sudo."
  as_root="sudo"
fi

echo "setup: installing$missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1; }
# The lists may be absent or old; when they cannot be refreshed, the packages may still be within reach.
apt update || tail -n 3 "$log" >&2
# shellcheck disable=SC2086
if ! apt install -y --no-install-recommends $missing; then
  tail -n 15 "$log" >&2
  give_up "apt-get could not install packages (its last words are above)."
fi
