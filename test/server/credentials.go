package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Credentials is what tests need of credentials.json.
type Credentials struct {
	Environment string `json:"environment"`
	Admin       struct {
		BaseURL string `json:"base_url"`
		Key     string `json:"key"`
	} `json:"admin"`
	Messaging Messaging `json:"messaging"`
	CRM       CRM       `json:"crm"`
	Tracker   Tracker   `json:"tracker"`
	Ingest    Ingest    `json:"ingest"`
}

// CRM is the crm object of credentials.json.
type CRM struct {
	BaseURL     string `json:"base_url"`
	AccessToken string `json:"access_token"`
}

// Tracker is the tracker object of credentials.json.
type Tracker struct {
	BaseURL string `json:"base_url"`
	APIKey  string `json:"api_key"`
}

// Ingest is the ingest object of credentials.json.
type Ingest struct {
	BaseURL        string `json:"base_url"`
	OrganizationID string `json:"organization_id"`
	APIKey         string `json:"api_key"`
}

// Messaging is the messaging object of credentials.json, and the reply of a provision.
type Messaging struct {
	BaseURL           string `json:"base_url"`
	WorkspaceID       string `json:"workspace_id"`
	AdminUserID       string `json:"admin_user_id"`
	AdminEmail        string `json:"admin_email"`
	AdminPassword     string `json:"admin_password"`
	AppID             string `json:"app_id"`
	BotID             string `json:"bot_id"`
	BotUserID         string `json:"bot_user_id"`
	BotToken          string `json:"bot_token"`
	UserToken         string `json:"user_token"`
	SigningSecret     string `json:"signing_secret"`
	VerificationToken string `json:"verification_token"`
}

// Credentials reads credentials.json.
func (s *Server) Credentials() (Credentials, error) {
	var c Credentials
	b, err := os.ReadFile(filepath.Join(s.Dir, "credentials.json"))
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(b, &c)
}

// New starts a server for a test, on a fresh data folder, and stops it when the test ends.
func New(t testing.TB, args ...string) (*Server, Credentials) {
	t.Helper()
	return Open(t, Options{Dir: t.TempDir(), Args: args})
}

// Open is New with all options.
func Open(t testing.TB, o Options) (*Server, Credentials) {
	t.Helper()
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the server wrote:\n%s", s.Output())
		}
	})
	c, err := s.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}
