#!/bin/sh
# Runs the tests of the suite in a folder, or another of its scripts, and prints what they print when they have ended: others may run meanwhile.
out=$(cd "$1" && npm run --silent "${2:-test}" 2>&1)
status=$?
printf '== %s\n%s\n' "$*" "$out"
exit $status
