package blockstore

import "sync"

// Upkeep is the maintenance of a store. It implements ingest.Maintainer.
type Upkeep struct {
	store *Store

	mu       sync.Mutex       // held during a step
	merged   map[string]int64 // the blocks of a project below this number need no merge, except those in planned
	planned  []window         // the next merges
	erased   map[string]int64 // the blocks of a project below this number contain no events to erase
	erasedNo int64            // the last erasure that erased takes into account
	expiring bool             // retention has more blocks to remove
}
