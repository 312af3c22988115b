// Package blockkit validates the blocks, attachments and metadata of a message
// and returns their stored form: with the ids and defaults that upstream adds, in
// the caller's order of keys.
//
// Its schemas are generated from blocks.json.
package blockkit

import (
	"strconv"

	"understudy/internal/platform/fault"
)

// The errors; each is also its code on the wire.
const (
	InvalidBlocksFormat            fault.Reason = "invalid_blocks_format"
	InvalidBlocks                  fault.Reason = "invalid_blocks"
	BlocksTooLong                  fault.Reason = "msg_blocks_too_long"
	TooManyAttachments             fault.Reason = "too_many_attachments"
	InvalidAttachments             fault.Reason = "invalid_attachments"
	AttachmentPayloadLimitExceeded fault.Reason = "attachment_payload_limit_exceeded"
	InvalidMetadataFormat          fault.Reason = "invalid_metadata_format"
)

const (
	maxPayload      = 256 << 10 // bytes of blocks, and of attachments
	maxMetadata     = 16 << 10  // bytes
	maxMessages     = 50        // problems that one error lists
	maxIDCharacters = 255

	onlyOneTable = "only_one_table_allowed"
)

// Reader validates the blocks and attachments of messages.
type Reader struct {
	// NewID returns a new id for a block or an element.
	NewID func() string
	// Markdown returns the blocks of a Markdown text as a JSON array.
	Markdown func(text string) []byte
}

// Blocks validates an array of blocks and returns its stored form: each block has
// a block_id and each interactive element an action_id, text objects have their
// defaults, and markdown blocks are replaced by their converted blocks.
//
// Faults: invalid_blocks_format for anything but a JSON array,
// msg_blocks_too_long for a payload that is too large, invalid_attachments for a
// second table, and invalid_blocks. The Attrs ([]string) of the last two name the
// problems: "missing required field: text [json-pointer:/blocks/0]".
func (r Reader) Blocks(raw []byte) ([]byte, *fault.Error) {
	if len(raw) > maxPayload {
		return nil, tooLong()
	}
	n := parse(raw)
	if n == nil || n.kind != '[' {
		return nil, fault.New(fault.Invalid, InvalidBlocksFormat, "blocks must be a JSON array").At("blocks")
	}
	v := newValidator()
	v.in("blocks", func() { v.blocks(n) })
	if len(v.messages) > 0 {
		return nil, refuse(InvalidBlocks, "blocks", v.messages)
	}
	r.expand(v, n)
	if len(n.items) > MaxBlocks {
		return nil, refuse(InvalidBlocks, "blocks", []string{"no more than " + strconv.Itoa(MaxBlocks) + " items allowed [json-pointer:/blocks]"})
	}
	if err := v.totals("blocks"); err != nil {
		return nil, err
	}
	v.complete(r.NewID)
	return n.appendTo(make([]byte, 0, len(raw)+len(raw)/4+64)), nil
}

// FromMarkdown returns the stored form of the blocks of a Markdown text. Faults:
// as of Blocks.
func (r Reader) FromMarkdown(text string) ([]byte, *fault.Error) {
	block := &node{kind: '{', members: []nodeMember{{"type", stringNode("markdown")}, {"text", stringNode(text)}}}
	return r.Blocks((&node{kind: '[', items: []*node{block}}).appendTo(nil))
}

func newValidator() *validator {
	return &validator{blockIDs: map[string]bool{}, actionIDs: map[string]bool{}}
}

func tooLong() *fault.Error {
	return fault.New(fault.Invalid, BlocksTooLong, "the blocks are too long").At("blocks")
}

func refuse(reason fault.Reason, field string, messages []string) *fault.Error {
	return fault.New(fault.Invalid, reason, messages[0]).At(field).With(messages)
}

// blocks validates an array of blocks.
func (v *validator) blocks(n *node) {
	v.value(&shape{kind: isArray, max: MaxBlocks, of: &messageBlocks}, n)
}

// totals checks the limits that apply to all blocks together.
func (v *validator) totals(field string) *fault.Error {
	switch v.total() {
	case onlyOneTable:
		return refuse(InvalidAttachments, field, []string{onlyOneTable})
	case string(BlocksTooLong):
		return tooLong()
	}
	return nil
}

// expand replaces each markdown block by its converted blocks.
func (r Reader) expand(v *validator, n *node) {
	if v.markdown == 0 {
		return
	}
	var items []*node
	for _, block := range n.items {
		if block.get("type").text() != "markdown" {
			items = append(items, block)
			continue
		}
		made := parse(r.Markdown(block.get("text").text()))
		if made == nil || made.kind != '[' {
			continue
		}
		fresh := newValidator()
		fresh.blockIDs = v.blockIDs
		fresh.in("blocks", func() { fresh.value(&shape{kind: isArray, of: &messageBlocks}, made) })
		v.found = append(v.found, fresh.found...)
		v.tables += fresh.tables
		v.cells += fresh.cells
		items = append(items, made.items...)
	}
	n.items = items
}

// Metadata validates the metadata of a message, an object of event_type and
// event_payload. It returns nil for an empty object: the message has no metadata.
// The fault for any other shape is invalid_metadata_format.
func Metadata(raw []byte) ([]byte, *fault.Error) {
	bad := func(detail string) ([]byte, *fault.Error) {
		return nil, fault.New(fault.Invalid, InvalidMetadataFormat, detail).At("metadata")
	}
	if len(raw) > maxMetadata {
		return bad("the metadata is too large")
	}
	n := parse(raw)
	if n == nil || n.kind != '{' {
		return bad("metadata must be a JSON object")
	}
	if len(n.members) == 0 {
		return nil, nil
	}
	if length := n.get("event_type").length(); length == 0 || length > maxIDCharacters {
		return bad("metadata needs an event_type")
	}
	if payload := n.get("event_payload"); payload == nil || payload.kind != '{' {
		return bad("metadata needs an event_payload that is an object")
	}
	return n.appendTo(make([]byte, 0, len(raw))), nil
}
