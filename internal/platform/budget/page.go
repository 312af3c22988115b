package budget

import "context"

const (
	// fewBytes is the size of a page that needs no reservation.
	fewBytes = 1 << 20
	// pageWork is the reservation for a page: its rows, the last of which may be as
	// long as all others, and the reply that contains them.
	pageWork = 3 * PageBytes
)

// Page counts the rows of one page of a list while they are read. It reserves
// nothing for a small page, and otherwise the memory of a full page at once: two
// requests that reserve step by step could wait for each other.
type Page struct {
	ctx   context.Context
	bytes int
	held  bool
}

// NewPage returns an empty page, which holds its reservation until ctx ends.
func NewPage(ctx context.Context) *Page { return &Page{ctx: ctx} }

// Add counts n bytes of a row. It returns the errors of Work.
func (p *Page) Add(n int) error {
	if p.bytes += n; p.bytes <= fewBytes {
		return nil
	}
	return p.Whole()
}

// Whole reserves the memory of a full page now, for callers that do not know the
// size of a row before they build it. It returns the errors of Work.
func (p *Page) Whole() error {
	if p.held {
		return nil
	}
	err := Work(p.ctx, pageWork)
	p.held = err == nil
	return err
}

// Full reports whether the page must end because its rows fill a reply.
func (p *Page) Full() bool { return p.bytes >= PageBytes }

// Again returns an empty page with the reservation of p, for reading the rows
// again in another order.
func (p *Page) Again() *Page { return &Page{ctx: p.ctx, held: p.held} }
