#!/usr/bin/env bash
# Measures this commit and an earlier one in turn, with this commit's loads, so that
# what differs is the program alone: test/load/against.sh COMMIT [LOAD...]
# LOAD is messaging, environments, crm, tracker or ingest (all of them when left out).
# Each goes over ROUNDS rounds (3), in which the program that begins alternates. The
# tables of each round are in .cache/against, medians side by side in
# .cache/against/table.md and, when PAGE names a file, below its last heading.
# Both programs are built alike, from commits and without pages of the web UI.
set -eu
commit=${1:?which commit? test/load/against.sh COMMIT [LOAD...]}; shift
[ $# -gt 0 ] || set -- messaging environments crm tracker ingest
cd "$(dirname "$0")/../.."
out=.cache/against; mkdir -p $out; rm -f $out/*-before-*.md $out/*-after-*.md
export CGO_ENABLED=0
build() { # build COMMIT FILE
  git worktree add --quiet --detach "$tree/$2" "$1"
  (cd "$tree/$2" && go build -trimpath -o "$OLDPWD/$out/$2" ./cmd/understudy)
  git worktree remove --force "$tree/$2"
}
tree=$(mktemp -d)
trap 'rm -rf "$tree"; git worktree prune' EXIT
build "$commit" before
build HEAD after
for round in $(seq "${ROUNDS:-3}"); do
  for load in "$@"; do
    case $load in
      messaging) program=./test/load; args="-messages 100000 -rounds 3 -postgres=false" ;;
      environments) program=./test/load/environments; args="-rounds 50 -open 100 -worlds 0 -made 500 -postgres=false" ;;
      crm) program=./test/load/crm; args="-contacts 20000 -searches 60 -postgres=false" ;;
      tracker) program=./test/load/tracker; args="-issues 20000 -rounds 3 -postgres=false" ;;
      ingest) program=./test/load/ingest; args="-rates -postgres=false -duckdb=false" ;;
      *) echo "there is no load $load" >&2; exit 2 ;;
    esac
    sides="before after"; [ $((round % 2)) = 1 ] || sides="after before"
    for side in $sides; do
      echo "== $load, $side, round $round" >&2
      go run $program -bin "$PWD/$out/$side" $args ${ARGS:-} -out "$out/$load-$side-$round.md" >&2 || echo "$load cannot measure $side" >&2
    done
  done
done
go run ./test/load/beside ${PAGE:+-page "$PAGE"} -before "$(git rev-parse --short "$commit")" -after "$(git rev-parse --short HEAD)" \
  -rounds "${ROUNDS:-3}" $out "$@" | tee $out/table.md
