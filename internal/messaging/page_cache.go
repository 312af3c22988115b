package messaging

import "understudy/internal/platform/cache"

// pageBytes bounds the pages that are cached, in bytes, and maxPage each of them.
const (
	pageBytes = 8 << 20
	maxPage   = 1 << 20
)

// pageKey is what a rendered page of a history is found by. It holds the version
// of the channel, which every change of a message raises in the change's own
// transaction, so what is found is what reading would return.
type pageKey struct {
	workspace string
	viewer    string
	version   int64
	in        History
}

func newPageCache() *cache.Bounded[pageKey, Page] {
	return cache.NewBounded(pageBytes, func(_ pageKey, p Page) int { return len(p.Messages) + 256 })
}

func (s *Service) putPage(k pageKey, p Page) {
	if len(p.Messages) <= maxPage {
		s.pages.Put(k, p)
	}
}
