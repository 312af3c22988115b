package messaging

import (
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"unicode/utf8"
)

// slashCommand is a slash command of a manifest.
type slashCommand struct {
	Command     string `json:"command"`
	URL         string `json:"url"`
	Description string `json:"description"`
	UsageHint   string `json:"usage_hint"`
	Escape      bool   `json:"should_escape"`
}

// manifest is the part of an app manifest that the service uses; the rest is
// stored as received.
type manifest struct {
	Display struct {
		Name            string `json:"name"`
		Description     string `json:"description"`
		LongDescription string `json:"long_description"`
		BackgroundColor string `json:"background_color"`
	} `json:"display_information"`
	Features struct {
		BotUser struct {
			DisplayName  string `json:"display_name"`
			AlwaysOnline bool   `json:"always_online"`
		} `json:"bot_user"`
		SlashCommands []slashCommand    `json:"slash_commands"`
		Shortcuts     []json.RawMessage `json:"shortcuts"`
		UnfurlDomains []string          `json:"unfurl_domains"`
		AppHome       struct {
			HomeTab bool `json:"home_tab_enabled"`
		} `json:"app_home"`
	} `json:"features"`
	OAuth struct {
		RedirectURLs []string `json:"redirect_urls"`
		Scopes       struct {
			Bot  []string `json:"bot"`
			User []string `json:"user"`
		} `json:"scopes"`
	} `json:"oauth_config"`
	Settings struct {
		EventSubscriptions struct {
			RequestURL string   `json:"request_url"`
			BotEvents  []string `json:"bot_events"`
			UserEvents []string `json:"user_events"`
			Metadata   []struct {
				AppID     string `json:"app_id"`
				EventType string `json:"event_type"`
			} `json:"metadata_subscriptions"`
		} `json:"event_subscriptions"`
		Interactivity struct {
			IsEnabled  *bool  `json:"is_enabled"`
			RequestURL string `json:"request_url"`
			OptionsURL string `json:"message_menu_options_url"`
		} `json:"interactivity"`
		SocketMode    bool `json:"socket_mode_enabled"`
		TokenRotation bool `json:"token_rotation_enabled"`
		OrgDeploy     bool `json:"org_deploy_enabled"`
	} `json:"settings"`
}

var (
	scopeForm   = regexp.MustCompile(`^[a-z_]+([.-][a-z_]+)*(:[a-z_]+(\.[a-z_]+)*)?$`)
	colorForm   = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)
	commandForm = regexp.MustCompile(`^/[^\s/]{1,31}$`)
)

func parseManifest(raw []byte) (*manifest, error) {
	if len(raw) == 0 {
		return nil, BadManifest.At("manifest").Detailf("The manifest is missing.")
	}
	m := &manifest{}
	if err := json.Unmarshal(raw, m); err != nil {
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) && te.Field != "" {
			return nil, BadManifest.At("manifest."+te.Field).Detailf("This member must not be of type %s.", te.Value)
		}
		return nil, BadManifest.At("manifest").Detailf("The manifest must be a JSON object.")
	}
	return m, m.check()
}

func (m *manifest) check() error {
	bad := func(at, detail string) error { return BadManifest.At("manifest."+at).Detailf("%s", detail) }
	d := m.Display
	switch n := utf8.RuneCountInString(d.Name); {
	case n == 0:
		return bad("display_information.name", "The app needs a name.")
	case n > 35:
		return bad("display_information.name", "A name has at most 35 characters.")
	case utf8.RuneCountInString(d.Description) > 140:
		return bad("display_information.description", "A description has at most 140 characters.")
	case d.BackgroundColor != "" && !colorForm.MatchString(d.BackgroundColor):
		return bad("display_information.background_color", "A colour is # and three or six hexadecimal digits.")
	}
	if n := utf8.RuneCountInString(d.LongDescription); n != 0 && (n < 175 || n > 4000) {
		return bad("display_information.long_description", "A long description has 175 to 4,000 characters.")
	}
	for _, x := range []struct {
		at     string
		scopes []string
	}{{"bot", m.OAuth.Scopes.Bot}, {"user", m.OAuth.Scopes.User}} {
		for _, s := range x.scopes {
			if !scopeForm.MatchString(s) {
				return bad("oauth_config.scopes."+x.at, "A scope looks like chat:write, not "+s+".")
			}
		}
	}
	for _, c := range m.Features.SlashCommands {
		if !commandForm.MatchString(c.Command) {
			return bad("features.slash_commands", "A command is / and up to 31 characters without blanks.")
		}
		if c.URL != "" && !webURL(c.URL) {
			return bad("features.slash_commands", "The URL of a command must be http or https, without a user name or password.")
		}
	}
	for _, x := range [][2]string{{"settings.event_subscriptions.request_url", m.Settings.EventSubscriptions.RequestURL},
		{"settings.interactivity.request_url", m.Settings.Interactivity.RequestURL}} {
		if x[1] != "" && !webURL(x[1]) {
			return bad(x[0], BadURL.Detail)
		}
	}
	return nil
}

// asks returns the parsed manifest of an installed app, which is valid.
func (a *App) asks() *manifest {
	m := &manifest{}
	_ = json.Unmarshal(a.Manifest, m) // checked when the app was created
	return m
}

// webURL reports whether a text is an http or https address. One with a user name or
// a password is none: lists and deliveries would show them.
func webURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}
