#!/usr/bin/env bash
# Builds the release from two clones of this commit, of which one has an empty module
# cache, and compares every file: programs, lists of parts, checksums.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT # the module cache is read-only
git clone -q --no-hardlinks "$root" "$work/here"
git clone -q --no-hardlinks "$work/here" "$work/a/longer/path/there"
for clone in here a/longer/path/there; do
  [ "$clone" = here ] || export GOMODCACHE="$work/modules"
  # The same pages: what Node builds is a matter of its own lock file.
  cp -r "$root/web/dist/." "$work/$clone/web/dist/"
  make -s -C "$work/$clone" release PAGES= DIST="$work/$clone/dist" "$@"
done
diff -r "$work/here/dist" "$work/a/longer/path/there/dist"
(cd "$work/here/dist" && sha256sum -c --quiet SHA256SUMS)
echo "two clones, one with an empty module cache, build the same $(find "$work/here/dist" -type f | wc -l) files"
