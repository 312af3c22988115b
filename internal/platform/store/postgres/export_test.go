package postgres

import "understudy/internal/platform/store"

// Waiting returns how many writes of a world wait while another one runs.
func Waiting(w *store.World) int { return w.Backend().(*world).queue.Len() }
