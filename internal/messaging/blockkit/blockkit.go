// Package blockkit checks the blocks, attachments and metadata of a message
// and writes them in the form in which they are kept: with the ids and
// defaults that upstream adds, in the caller's order of keys.
//
// It knows the shapes and limits of Block Kit and nothing of messages.
package blockkit

import "understudy/internal/platform/fault"

// The refusals, each also its code on the wire.
const (
	InvalidBlocksFormat            fault.Reason = "invalid_blocks_format"
	InvalidBlocks                  fault.Reason = "invalid_blocks"
	BlocksTooLong                  fault.Reason = "msg_blocks_too_long"
	TooManyAttachments             fault.Reason = "too_many_attachments"
	InvalidAttachments             fault.Reason = "invalid_attachments"
	AttachmentPayloadLimitExceeded fault.Reason = "attachment_payload_limit_exceeded"
	InvalidMetadataFormat          fault.Reason = "invalid_metadata_format"
)

// Limits of one message.
const (
	MaxBlocks       = 50
	MaxAttachments  = 100
	maxPayload      = 256 << 10 // bytes of blocks, and of attachments
	maxMetadata     = 16 << 10  // bytes
	maxMessages     = 50        // told of one refusal
	maxIDCharacters = 255
)

// Blocks checks an array of blocks and gives it as it is kept: each block has
// a block_id and each interactive element an action_id, of newID where the
// caller gave none, and text objects have their defaults.
//
// Faults: invalid_blocks_format for what is no JSON array, msg_blocks_too_long
// for a payload too large, and invalid_blocks, whose Attrs ([]string) say what
// is wrong and where ("missing required field: text [json-pointer:/blocks/0]").
func Blocks(raw []byte, newID func() string) ([]byte, *fault.Error) {
	if len(raw) > maxPayload {
		return nil, fault.New(fault.Invalid, BlocksTooLong, "the blocks are too long").At("blocks")
	}
	n := parse(raw)
	if n == nil || n.kind != '[' {
		return nil, fault.New(fault.Invalid, InvalidBlocksFormat, "blocks must be a JSON array").At("blocks")
	}
	v := &validator{newID: newID}
	v.in("blocks", func() { v.blocks(n) })
	if len(v.messages) > 0 {
		return nil, fault.New(fault.Invalid, InvalidBlocks, v.messages[0]).At("blocks").With(v.messages)
	}
	return n.appendTo(make([]byte, 0, len(raw)+len(raw)/4+64)), nil
}

// Metadata checks the metadata of a message, an object of event_type and
// event_payload. An empty object gives nil: there shall be none. Every other
// shape is invalid_metadata_format.
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
