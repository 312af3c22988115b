package budget

import "context"

const (
	// fewBytes is how many bytes of rows a page has before it asks for room.
	fewBytes = 1 << 20
	// pageWork is the room of a page: its rows, the last of which may be as
	// long as all others, and the reply that is made of them.
	pageWork = 3 * PageBytes
)

// Page counts the rows of one page of a list while they are read. It holds
// nothing while they are few, and else room for a full page with its reply, all
// at once: two requests that hold a part of their rooms would wait for each other.
type Page struct {
	ctx   context.Context
	bytes int
	held  bool
}

// NewPage returns an empty page of a request, which holds its room until ctx ends.
func NewPage(ctx context.Context) *Page { return &Page{ctx: ctx} }

// Add counts n bytes of a row that was read. It returns what Work returns.
func (p *Page) Add(n int) error {
	if p.bytes += n; p.bytes <= fewBytes {
		return nil
	}
	return p.Whole()
}

// Whole makes room for a full page now, for one whose next row has a size that
// shows only when it is built. It returns what Work returns.
func (p *Page) Whole() error {
	if p.held {
		return nil
	}
	err := Work(p.ctx, pageWork)
	p.held = err == nil
	return err
}

// Full reports whether the page has to end: its rows fill a reply.
func (p *Page) Full() bool { return p.bytes >= PageBytes }

// Again returns an empty page with the room of p, for rows that are read once
// more in another order.
func (p *Page) Again() *Page { return &Page{ctx: p.ctx, held: p.held} }
