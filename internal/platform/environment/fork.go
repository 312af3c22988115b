package environment

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/inject"
	"understudy/internal/platform/store"
)

// Fork describes in what a fork differs from what it is a copy of. Its runtime
// tables are emptied in any case.
type Fork struct {
	Mute         bool              // it delivers no webhooks
	Run          bool              // its clock runs on from where it stands
	Clock        *time.Time        // where its clock stands, frozen; nil for the parent's clock
	Seed         *int64            // that its ids begin from; nil to go on with the parent's
	Fresh        string            // its id, where it accepts none of its parent's credentials; "" where it does
	Destinations map[string]string // beginnings of addresses, and what is put in their place when something is sent
	Faults       *[]inject.Rule    // that it begins with, checked; nil for its parent's
	// FullRecordings makes it keep more of the requests that it records.
	FullRecordings bool
}

// prepare writes into a copied world what its fork is to know about itself.
// position is where the seeded id source of the original stood. It returns all that
// the world stores about itself then.
func (f *Fork) prepare(tx *store.Tx, position uint64) (map[string]string, error) {
	have, err := getMeta(tx)
	if err != nil {
		return nil, err
	}
	meta := map[string]string{"destinations": "", "recordings": ""}
	if f.Mute {
		meta["deliveries"] = "off"
	}
	if f.FullRecordings {
		meta["recordings"] = "full"
	}
	if f.Faults != nil {
		b, err := json.Marshal(*f.Faults)
		if err != nil {
			return nil, err
		}
		meta[metaFaults] = string(b)
	}
	switch {
	case f.Run:
		k := clock.Restore(clockMeta(have))
		k.Run()
		setClockMeta(meta, k.State())
	case f.Clock != nil:
		setClockMeta(meta, clock.At(*f.Clock).State())
	}
	if f.Seed != nil {
		generation, _ := strconv.Atoi(have["ids_generation"])
		meta["ids_seed"] = strconv.FormatInt(*f.Seed, 10)
		meta["ids_generation"] = strconv.Itoa(generation + 1)
		position = 0
	}
	meta["ids_position"] = strconv.FormatUint(position, 10)
	if f.Fresh != "" {
		meta[metaFresh] = strings.TrimSpace(have[metaFresh] + " " + f.Fresh)
	}
	if len(f.Destinations) > 0 {
		b, err := json.Marshal(f.Destinations)
		if err != nil {
			return nil, err
		}
		meta["destinations"] = string(b)
	}
	maps.Copy(have, meta)
	return have, setMeta(tx, meta)
}

// identity makes the id source and the secrets of a world from what it stores
// about itself. inherited are the secrets that a fork with credentials of its own, or
// a new environment that began as a copy, would have had without them.
func (p *Platform) identity(meta map[string]string, position uint64) (source *ids.Source, secrets, inherited *ids.Secrets, err error) {
	source, secrets = ids.Random(), ids.NewSecrets(p.RootKey, meta["lineage"])
	guarded := meta["ids_seed"] != "" || isFresh(meta)
	if text := meta["seed"]; text != "" {
		seed, _ := strconv.ParseInt(text, 10, 64)
		source = ids.Seeded(seed, position)
		secrets = ids.NewSecrets(ids.SeedRoot(seed), meta["lineage"])
		switch {
		case meta["guarded"] == "true":
			secrets = ids.GuardedSecrets(p.RootKey, seed, meta["lineage"])
			guarded = true
		case p.Exposed:
			return nil, nil, nil, Predictable
		}
	}
	if text := meta["ids_seed"]; text != "" {
		seed, _ := strconv.ParseInt(text, 10, 64)
		generation, _ := strconv.Atoi(meta["ids_generation"])
		source = ids.SeededFork(seed, generation, position)
	}
	inherited = secrets
	for id := range strings.FieldsSeq(meta[metaFresh]) {
		inherited, secrets = secrets, secrets.Fresh(id)
	}
	if guarded {
		source.Guard(secrets.Bytes("guard"))
	}
	return source, secrets, inherited, nil
}

func destinationsMeta(meta map[string]string) (out map[string]string) {
	_ = json.Unmarshal([]byte(meta["destinations"]), &out)
	return out
}
