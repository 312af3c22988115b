package blockkit

import (
	"strconv"
	"strings"

	"understudy/internal/platform/fault"
)

// noPreview is the fallback of an attachment that has none.
const noPreview = "[no preview available]"

var attachment = schema{
	{"fallback", false, anyString}, {"text", false, anyString}, {"pretext", false, anyString}, {"color", false, anyString},
	{"title", false, anyString}, {"title_link", false, anyString}, {"callback_id", false, anyString},
	{"author_name", false, anyString}, {"author_subname", false, anyString}, {"author_link", false, anyString}, {"author_icon", false, anyString},
	{"image_url", false, anyString}, {"thumb_url", false, anyString}, {"footer", false, anyString}, {"footer_icon", false, anyString},
	{"from_url", false, anyString}, {"original_url", false, anyString}, {"service_name", false, anyString}, {"service_icon", false, anyString},
	{"mrkdwn_in", false, list(0, 100, anyString)},
	{"fields", false, list(0, 100, schema{{"title", false, anyString}, {"value", false, nil}, {"short", false, boolean}}.check)},
	{"actions", false, list(0, 100, object)},
	{"blocks", false, (*validator).blocks},
}

// Attachments checks an array of attachments and gives it as it is kept: each
// has its number as id and a fallback, its colour without "#", and its blocks
// as Blocks leaves them.
//
// Faults: too_many_attachments, attachment_payload_limit_exceeded, and
// invalid_attachments, whose Attrs ([]string) say what is wrong and where.
func Attachments(raw []byte, newID func() string) ([]byte, *fault.Error) {
	refuse := func(reason fault.Reason, detail string) *fault.Error {
		return fault.New(fault.Invalid, reason, detail).At("attachments").With([]string{detail + " [json-pointer:/attachments]"})
	}
	if len(raw) > maxPayload {
		return nil, refuse(AttachmentPayloadLimitExceeded, "the attachments are too long")
	}
	n := parse(raw)
	if n == nil || n.kind != '[' {
		return nil, refuse(InvalidAttachments, "must provide an array")
	}
	if len(n.items) > MaxAttachments {
		return nil, refuse(TooManyAttachments, "no more than "+strconv.Itoa(MaxAttachments)+" items allowed")
	}
	v := &validator{newID: newID}
	v.in("attachments", func() { list(0, MaxAttachments, attachment.check)(v, n) })
	if len(v.messages) > 0 {
		return nil, fault.New(fault.Invalid, InvalidAttachments, v.messages[0]).At("attachments").With(v.messages)
	}
	for i, a := range n.items {
		complete(a, i+1)
	}
	return n.appendTo(make([]byte, 0, len(raw)+len(raw)/4+64)), nil
}

func complete(a *node, id int) {
	if a.get("fallback").text() == "" {
		a.set("fallback", stringNode(noPreview))
	}
	if color := a.get("color").text(); strings.HasPrefix(color, "#") {
		a.set("color", stringNode(color[1:]))
	}
	// Clients read ts as a number, in quotes or not, and choke on anything else.
	if ts := a.get("ts"); ts != nil && ts.kind != '0' {
		if !isNumber(ts.text()) {
			a.remove("ts")
		}
	}
	a.set("id", &node{kind: '0', raw: strconv.AppendInt(nil, int64(id), 10)})
}

func isNumber(s string) bool {
	n := parse([]byte(s))
	return n != nil && n.kind == '0'
}
