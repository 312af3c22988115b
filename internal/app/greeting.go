package app

import (
	"fmt"
	"strings"

	"understudy/internal/platform/environment"
)

// Greeting returns the text for the terminal, with all addresses. It ends with
// the address of the web UI, if there is one.
func (a *App) Greeting() string {
	var b strings.Builder
	b.WriteString("understudy is ready.\n\n")
	for _, s := range a.services() {
		fmt.Fprintf(&b, "  %-10s %s\n", s.Name(), a.baseURL(environment.Default, s.Name()))
	}
	fmt.Fprintf(&b, "  %-10s %s\n", "admin", a.adminOrigin()+"/admin/v1")
	b.WriteString("\n")
	fmt.Fprintf(&b, "Credentials are in %s. Try:\n\n", a.CredentialsPath())
	fmt.Fprintf(&b, "  curl -s %s/api/auth.test -H \"Authorization: Bearer $(sed -n 's/.*\"bot_token\": \"\\(.*\\)\".*/\\1/p' %s)\"\n\n",
		a.baseURL(environment.Default, "messaging"), a.CredentialsPath())
	if ui := a.uiAddress(); ui != "" {
		b.WriteString("Open in a browser (`understudy ui` prints a link that signs in):\n\n")
		fmt.Fprintf(&b, "  %-10s %s\n\n", "web UI", ui)
	}
	return b.String()
}
