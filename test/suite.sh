#!/bin/sh
# Runs the tests of the suite in a folder, and prints what they print when they have ended: others may run meanwhile.
out=$(cd "$1" && npm test --silent 2>&1)
status=$?
printf '== %s\n%s\n' "$1" "$out"
exit $status
