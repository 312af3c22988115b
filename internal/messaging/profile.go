package messaging

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"understudy/internal/messaging/emoji"
	"understudy/internal/platform/store"
)

// Profile is the profile of a user in its wire form.
type Profile struct {
	Title                  string                  `json:"title"`
	Phone                  string                  `json:"phone"`
	Skype                  string                  `json:"skype"`
	RealName               string                  `json:"real_name"`
	RealNameNormalized     string                  `json:"real_name_normalized"`
	DisplayName            string                  `json:"display_name"`
	DisplayNameNormalized  string                  `json:"display_name_normalized"`
	Fields                 map[string]ProfileField `json:"fields"`
	StatusText             string                  `json:"status_text"`
	StatusTextCanonical    string                  `json:"status_text_canonical"`
	StatusEmoji            string                  `json:"status_emoji"`
	StatusEmojiDisplayInfo []StatusEmoji           `json:"status_emoji_display_info"`
	StatusExpiration       int64                   `json:"status_expiration"`
	AvatarHash             string                  `json:"avatar_hash"`
	Image24                string                  `json:"image_24"`
	Image32                string                  `json:"image_32"`
	Image48                string                  `json:"image_48"`
	Image72                string                  `json:"image_72"`
	Image192               string                  `json:"image_192"`
	Image512               string                  `json:"image_512"`
	Email                  string                  `json:"email,omitempty"`
	FirstName              string                  `json:"first_name"`
	LastName               string                  `json:"last_name"`
	Pronouns               string                  `json:"pronouns,omitempty"`
	HuddleState            string                  `json:"huddle_state"`
	HuddleStateExpiration  int64                   `json:"huddle_state_expiration_ts"`
	BotID                  string                  `json:"bot_id,omitempty"`
	APIAppID               string                  `json:"api_app_id,omitempty"`
	AlwaysActive           *bool                   `json:"always_active,omitempty"`
	Team                   string                  `json:"team,omitempty"`
}

// ProfileField is a custom field of a workspace.
type ProfileField struct {
	Value string `json:"value"`
	Alt   string `json:"alt"`
	Label string `json:"label,omitempty"`
}

// StatusEmoji is the display form of a status emoji.
type StatusEmoji struct {
	EmojiName    string `json:"emoji_name"`
	DisplayURL   string `json:"display_url"`
	Unicode      string `json:"unicode"`
	DisplayAlias string `json:"display_alias"`
}

func newProfile(u *User, real string) Profile {
	sum := md5.Sum([]byte(u.ID))
	p := Profile{Fields: map[string]ProfileField{}, StatusEmojiDisplayInfo: []StatusEmoji{}, Email: u.Email,
		HuddleState: "default_unset", AvatarHash: hex.EncodeToString(sum[:])[:12], Team: u.Workspace}
	for size, at := range map[string]*string{"24": &p.Image24, "32": &p.Image32, "48": &p.Image48, "72": &p.Image72,
		"192": &p.Image192, "512": &p.Image512} {
		*at = "https://avatars.invalid/" + p.AvatarHash + "-" + size + ".png"
	}
	if u.IsBot() {
		always := false
		p.BotID, p.APIAppID, p.AlwaysActive = u.BotID, u.AppID, &always
	}
	p.setRealName(real)
	return p
}

func (p *Profile) setRealName(name string) {
	p.RealName, p.RealNameNormalized = name, name
	p.FirstName, p.LastName, _ = strings.Cut(name, " ")
}

// ProfileChange are the parameters of users.profile.set: a profile document, or
// one name with its value.
type ProfileChange struct {
	User    string // "" for the caller; another user needs an admin
	Profile []byte // JSON object
	Name    string
	Value   string
}

const (
	maxProfileText   = 100 // characters of a status
	maxProfileField  = 255
	maxProfileFields = 50
	// maxStatusExpiration is the last second of the year 9999.
	maxStatusExpiration = 253_402_300_799
)

var statusEmoji = regexp.MustCompile(`^:[^\s:]{1,100}(::skin-tone-[2-6])?:$`)

// SetProfile changes a profile and returns the changed user. It emits user_change
// unless only custom fields changed. It returns InvalidProfile, UserNotFound,
// NotAdmin, ReservedName, TooLong, NotEmojiSyntax or UnknownEmoji.
func (s *Service) SetProfile(ctx context.Context, c Caller, in ProfileChange) (*User, error) {
	doc := map[string]json.RawMessage{}
	switch {
	case len(in.Profile) > 0:
		if json.Unmarshal(in.Profile, &doc) != nil || doc == nil {
			return nil, InvalidProfile
		}
	case in.Name != "":
		value, err := json.Marshal(in.Value)
		if err != nil {
			return nil, err
		}
		doc[in.Name] = value
	default:
		return nil, InvalidProfile
	}
	if len(doc) > maxProfileFields {
		return nil, TooLong
	}
	target := c.ID
	if in.User != "" {
		target = in.User
	}
	known, err := s.emojiNames(ctx, c.Workspace)
	if err != nil {
		return nil, err
	}
	var u *User
	err = s.world.Write(ctx, func(tx *store.Tx) (err error) {
		if u, err = getUser(tx, c.Workspace, target); err != nil {
			return err
		}
		switch {
		case u == nil:
			return UserNotFound
		case target != c.ID && !c.IsAdmin:
			return NotAdmin
		}
		before := u.Profile
		visible, err := u.Profile.apply(doc, c.IsAdmin)
		if err != nil {
			return err
		}
		if e := u.Profile.StatusEmoji; e != "" && e != before.StatusEmoji {
			if _, ok := known(strings.Trim(e, ":")); !ok {
				return UnknownEmoji.At("status_emoji")
			}
		}
		u.Email = u.Profile.Email
		u.Updated = s.Clock.Micros()
		if u.Profile.ended(u.Updated) {
			u.Profile.clearStatus()
		}
		if err := s.saveUser(tx, u); err != nil || !visible {
			return err
		}
		return s.userEvents(ctx, tx, u, u.Profile.changes(&before)...)
	})
	return u, err
}

// changes returns the types of the events that a change of a profile causes.
func (p *Profile) changes(before *Profile) []string {
	var kinds []string
	now, then := *p, *before
	if now.StatusText != then.StatusText || now.StatusEmoji != then.StatusEmoji || now.StatusExpiration != then.StatusExpiration {
		kinds = append(kinds, "user_status_changed")
	}
	for _, x := range []*Profile{&now, &then} {
		x.StatusText, x.StatusEmoji, x.StatusExpiration, x.StatusEmojiDisplayInfo = "", "", 0, nil
	}
	if !reflect.DeepEqual(now, then) {
		kinds = append(kinds, "user_profile_changed")
	}
	return append(kinds, "user_change")
}

// apply sets the known members and reports whether it changed more than custom
// fields.
func (p *Profile) apply(doc map[string]json.RawMessage, admin bool) (visible bool, err error) {
	texts := map[string]*string{"title": &p.Title, "phone": &p.Phone, "skype": &p.Skype, "display_name": &p.DisplayName,
		"pronouns": &p.Pronouns, "status_text": &p.StatusText, "status_emoji": &p.StatusEmoji,
		"first_name": &p.FirstName, "last_name": &p.LastName, "real_name": &p.RealName}
	if admin {
		texts["email"] = &p.Email
	}
	before := *p
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		raw, at := doc[name], texts[name]
		if at == nil {
			continue
		}
		var text string
		if string(raw) != "null" && json.Unmarshal(raw, &text) != nil {
			return false, InvalidProfile.At(name)
		}
		if utf8.RuneCountInString(text) > maxProfileField {
			return false, TooLong.At(name)
		}
		*at = text
		visible = true
	}
	if raw, ok := doc["status_expiration"]; ok {
		if string(raw) == `""` || string(raw) == "null" {
			raw = []byte("0")
		}
		if json.Unmarshal([]byte(strings.Trim(string(raw), `"`)), &p.StatusExpiration) != nil || p.StatusExpiration < 0 || p.StatusExpiration > maxStatusExpiration {
			return false, InvalidProfile.At("status_expiration")
		}
		visible = true
	}
	if err := p.applyFields(doc["fields"]); err != nil {
		return false, err
	}
	return visible, p.complete(&before)
}

func (p *Profile) applyFields(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var fields map[string]ProfileField
	if json.Unmarshal(raw, &fields) != nil {
		return InvalidProfile.At("fields")
	}
	merged := map[string]ProfileField{}
	for name, f := range p.Fields {
		merged[name] = f
	}
	for name, f := range fields {
		for _, text := range []string{name, f.Value, f.Alt} {
			if utf8.RuneCountInString(text) > maxProfileField {
				return TooLong.At("fields")
			}
		}
		merged[name] = ProfileField{Value: f.Value, Alt: f.Alt}
		if f.Value == "" {
			delete(merged, name)
		}
	}
	if len(merged) > maxProfileFields {
		return TooLong.At("fields")
	}
	p.Fields = merged
	return nil
}

// complete sets the members that depend on others, and validates the changed
// ones. It returns InvalidProfile, ReservedName, TooLong or NotEmojiSyntax.
func (p *Profile) complete(before *Profile) error {
	switch {
	case p.RealName != before.RealName:
		p.setRealName(p.RealName)
	case p.FirstName != before.FirstName || p.LastName != before.LastName:
		p.RealName = strings.TrimSpace(p.FirstName + " " + p.LastName)
		p.RealNameNormalized = p.RealName
	}
	if p.RealName == "" {
		return InvalidProfile.At("real_name")
	}
	switch strings.ToLower(p.DisplayName) {
	case "here", "channel", "everyone", "slackbot":
		return ReservedName.At("display_name")
	}
	p.DisplayNameNormalized = p.DisplayName
	if utf8.RuneCountInString(p.StatusText) > maxProfileText {
		return TooLong.At("status_text")
	}
	p.StatusEmoji = emoji.Names(p.StatusEmoji) // a client may send the character
	if p.StatusEmoji != "" && !statusEmoji.MatchString(p.StatusEmoji) {
		return NotEmojiSyntax.At("status_emoji")
	}
	if p.StatusText == "" && p.StatusEmoji == "" {
		p.StatusExpiration = 0
	}
	if p.StatusText != "" && p.StatusEmoji == "" && before.StatusEmoji == "" {
		p.StatusEmoji = ":speech_balloon:"
	}
	p.StatusEmojiDisplayInfo = []StatusEmoji{}
	if name := strings.Trim(p.StatusEmoji, ":"); name != "" {
		if points, _, ok := emoji.Unicode(name); ok {
			p.StatusEmojiDisplayInfo = append(p.StatusEmojiDisplayInfo, StatusEmoji{EmojiName: name, Unicode: points})
		}
	}
	return nil
}
