package callback

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"understudy/internal/messaging"
	"understudy/internal/platform/jsontext"
	"understudy/internal/platform/outbox"
)

// envelope returns the body of an event_callback. It depends only on constant
// values, so that each attempt sends the same bytes.
func envelope(sub *messaging.Subscription, token, id string, e outbox.Event) []byte {
	inner := []byte(e.Payload)
	if messaging.CarriesUser(e.Type) && !sub.SeesEmail() {
		inner = WithoutEmail(inner)
	}
	context, _ := json.Marshal(map[string]string{"et": e.Type, "tid": e.Tenant, "aid": sub.App, "cid": e.Key}) // strings always encode
	b := make([]byte, 0, len(inner)+512)
	text := func(before, value string) {
		b = append(b, before...)
		b = jsontext.Append(b, value)
	}
	text(`{"token":`, token)
	text(`,"team_id":`, e.Tenant)
	text(`,"context_team_id":`, e.Tenant)
	text(`,"context_enterprise_id":null,"api_app_id":`, sub.App)
	b = append(b, `,"event":`...)
	b = append(b, inner...)
	text(`,"type":"event_callback","event_id":`, id)
	b = append(b, `,"event_time":`...)
	b = strconv.AppendInt(b, e.At/1e6, 10)
	text(`,"authorizations":[{"enterprise_id":null,"team_id":`, e.Tenant)
	text(`,"user_id":`, sub.Viewer)
	b = append(b, `,"is_bot":`...)
	b = strconv.AppendBool(b, sub.SeesAsBot())
	b = append(b, `,"is_enterprise_install":false}],"is_ext_shared_channel":false,"event_context":"4-`...)
	b = append(b, base64.RawURLEncoding.EncodeToString(context)...)
	return append(b, `"}`...)
}

// WithoutEmail removes the e-mail address from an event about a user, for
// receivers that may not see it.
func WithoutEmail(inner []byte) []byte {
	var event, user, profile map[string]json.RawMessage
	if json.Unmarshal(inner, &event) != nil || json.Unmarshal(event["user"], &user) != nil || json.Unmarshal(user["profile"], &profile) != nil {
		return []byte("{}") // cannot happen with JSON of this service; better an empty event than the address
	}
	delete(profile, "email")
	user["profile"] = encode(profile)
	event["user"] = encode(user)
	return encode(event)
}

// encode returns JSON without HTML escapes.
func encode(v any) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // maps of JSON and types of this service always encode
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
