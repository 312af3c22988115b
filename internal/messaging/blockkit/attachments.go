package blockkit

import (
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/fault"
)

// MaxAttachments is the most attachments of a message.
const MaxAttachments = 100

// noPreview is the default fallback of an attachment.
const noPreview = "[no preview available]"

var (
	attachmentTexts = strings.Fields(`fallback text pretext color title title_link callback_id author_name author_subname author_link
		author_icon author_id image_url thumb_url footer footer_icon from_url original_url service_name service_icon service_url
		attachment_type app_unfurl_url app_id bot_id url file_id msg_subtype channel_id channel_team channel_name
		video_html video_url external_id`)
	attachmentOthers = strings.Fields(`id ts image_width image_height image_bytes thumb_width thumb_height video_html_width
		video_html_height is_app_unfurl is_msg_unfurl is_share is_animated is_reply_unfurl is_thread_root_unfurl indent preview
		message_blocks metadata files hide_border hide_color filename size mimetype private_channel_prompt`)
	attachmentField = map[string]*shape{"title": {kind: isString}, "short": {kind: isBoolean}}
)

// Attachments validates an array of attachments and returns its stored form: it
// sets id to the position and a default fallback, removes "#" from colours, and
// converts blocks like Blocks.
//
// Faults: too_many_attachments, attachment_payload_limit_exceeded, and
// invalid_attachments, whose Attrs ([]string) name the problems.
func (r Reader) Attachments(raw []byte) ([]byte, *fault.Error) {
	deny := func(reason fault.Reason, detail string) *fault.Error {
		return refuse(reason, "attachments", []string{detail + " [json-pointer:/attachments]"})
	}
	if len(raw) > maxPayload {
		return nil, deny(AttachmentPayloadLimitExceeded, "the attachments are too long")
	}
	n := parse(raw)
	if n == nil || n.kind != '[' {
		return nil, deny(InvalidAttachments, "must provide an array")
	}
	if len(n.items) > MaxAttachments {
		return nil, deny(TooManyAttachments, "no more than "+strconv.Itoa(MaxAttachments)+" items allowed")
	}
	v := newValidator()
	unknown := false
	for i, item := range n.items {
		v.path = []string{"attachments", strconv.Itoa(i)}
		unknown = v.attachment(item) || unknown
	}
	if unknown {
		v.messages = append([]string{"invalid_keys"}, v.messages...)
	}
	if len(v.messages) > 0 {
		return nil, refuse(InvalidAttachments, "attachments", v.messages)
	}
	for _, a := range n.items {
		if blocks := a.get("blocks"); blocks != nil {
			r.expand(v, blocks)
		}
	}
	if err := v.totals("attachments"); err != nil {
		return nil, err
	}
	v.complete(r.NewID)
	for i, a := range n.items {
		completeAttachment(a, i+1)
	}
	return n.appendTo(make([]byte, 0, len(raw)+len(raw)/4+64)), nil
}

// attachment validates one attachment and reports whether it has unknown keys,
// which upstream rejects without naming them.
func (v *validator) attachment(n *node) (unknown bool) {
	if n.kind != '{' {
		v.fail(wrongKind[isObject])
		return false
	}
	for _, m := range n.members {
		v.in(m.name, func() {
			switch {
			case slices.Contains(attachmentTexts, m.name):
				v.value(&shape{kind: isString}, m.value)
			case m.name == "mrkdwn_in":
				v.value(&shape{kind: isArray, max: 100, of: &shape{kind: isString}}, m.value)
			case m.name == "actions":
				v.items(m.value, func(item *node) {
					if item.kind != '{' {
						v.fail(wrongKind[isObject])
					}
				})
			case m.name == "fields":
				v.items(m.value, func(item *node) {
					if item.kind != '{' {
						v.fail(wrongKind[isObject])
						return
					}
					for name, s := range attachmentField {
						if value := item.get(name); value != nil {
							v.in(name, func() { v.value(s, value) })
						}
					}
				})
			case m.name == "blocks":
				v.blocks(m.value)
			case !slices.Contains(attachmentOthers, m.name):
				unknown = true
			}
		})
	}
	return unknown
}

// items validates each item of an array of at most 100.
func (v *validator) items(n *node, check func(*node)) {
	if n.kind != '[' {
		v.fail(wrongKind[isArray])
		return
	}
	if len(n.items) > 100 {
		v.fail("no more than 100 items allowed")
		return
	}
	for i, item := range n.items {
		v.in(strconv.Itoa(i), func() { check(item) })
	}
}

func completeAttachment(a *node, id int) {
	if a.get("fallback").text() == "" {
		a.set("fallback", stringNode(noPreview))
	}
	if color := a.get("color").text(); strings.HasPrefix(color, "#") {
		a.set("color", stringNode(color[1:]))
	}
	// Clients expect ts to be a number, quoted or not.
	if ts := a.get("ts"); ts != nil && ts.kind != '0' {
		if !isNumberText(ts.text()) {
			a.remove("ts")
		}
	}
	a.set("id", &node{kind: '0', raw: strconv.AppendInt(nil, int64(id), 10)})
}

func isNumberText(s string) bool {
	n := parse([]byte(s))
	return n != nil && n.kind == '0'
}
