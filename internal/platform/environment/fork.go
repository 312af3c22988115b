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

// Fork describes how a fork differs from its original. Its runtime tables are
// always emptied.
type Fork struct {
	Mute         bool              // deliver no webhooks
	Run          bool              // restart the clock from its time
	Clock        *time.Time        // freeze the clock at this time; nil for the parent's clock
	Seed         *int64            // seed of its ids; nil to continue with the parent's
	Fresh        string            // its id, if it accepts none of its parent's credentials; otherwise ""
	Destinations map[string]string // prefixes of addresses, with their replacements for outgoing requests
	Faults       *[]inject.Rule    // initial fault rules, validated; nil for its parent's
	// FullRecordings makes it keep more data of recorded requests.
	FullRecordings bool
}

// prepare writes a fork's metadata into its copied world. position is that of the
// original's seeded id source. It returns all metadata.
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

// identity returns the id source and the secrets that follow from a world's
// metadata. inherited is what the secrets would be without own credentials, for a
// fork that has them or a new environment that began as a copy.
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
