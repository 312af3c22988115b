package hostile

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"
)

// outcome is what an attack has done to a server.
type outcome struct {
	alone, during, idle []time.Duration // of the ordinary client; of a server that does nothing, during the attack
	most, later         int             // resident memory in MiB, during the attack and after it
	statuses            map[string]int64
}

// at returns a quantile.
func at(took []time.Duration, q float64) time.Duration {
	took = slices.Sorted(slices.Values(took))
	return took[int(q*float64(len(took)-1))].Round(100 * time.Microsecond)
}

// report returns the figures as a page of docs/performance: those of SQLite, and of
// PostgreSQL where there is a second outcome.
func report(all ...outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Hostile requests\n\nWritten by `make bench-hostile` on %s: requests made to hurt, all kinds at once for %s, while an ordinary client of all\n"+
		"services makes twenty calls a second. Server, attackers and client share %d cores. 413 and 503 refuse a request, the latter for\n"+
		"the moment: others hold the memory that it needs.\n\n", time.Now().Format(time.DateOnly), attackTime, runtime.NumCPU())
	heads, lines := [2]string{"p50 | p99 | most |", "replies |"}, [2]string{"--- | --- | --- |", "--- |"}
	if len(all) > 1 {
		b.WriteString("What stands under PostgreSQL is of the same requests to a server whose database waits for no disk; its memory is the server's, without the database.\n\n")
		heads[0] += " PostgreSQL p50 | PostgreSQL p99 | PostgreSQL most |"
		heads[1] += " on PostgreSQL |"
		lines[0], lines[1] = lines[0]+" --- | --- | --- |", lines[1]+" --- |"
	}
	fmt.Fprintf(&b, "| ordinary client | %s\n| --- | %s\n", heads[0], lines[0])
	for _, row := range []struct {
		name string
		took func(o outcome) []time.Duration
	}{
		{"alone", func(o outcome) []time.Duration { return o.alone }},
		{"during the attack", func(o outcome) []time.Duration { return o.during }},
		{"of a server that does nothing, meanwhile", func(o outcome) []time.Duration { return o.idle }},
	} {
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, o := range all {
			took := row.took(o)
			fmt.Fprintf(&b, " %s | %s | %s |", at(took, .5), at(took, .99), at(took, 1))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\nResident memory: %d MiB at most during the attack (bound: 600), %d MiB twenty seconds later (bound: 150); p99 is bounded to 250 ms.", all[0].most, all[0].later)
	names := map[string]bool{}
	for i, o := range all {
		if i > 0 {
			fmt.Fprintf(&b, " On PostgreSQL: %d MiB, %d MiB; p99 has no bound there.", o.most, o.later)
		}
		for name := range o.statuses {
			names[name] = true
		}
	}
	fmt.Fprintf(&b, "\n\n| attack, status | %s\n| --- | %s\n", heads[1], lines[1])
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, o := range all {
			fmt.Fprintf(&b, " %d |", o.statuses[name])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
