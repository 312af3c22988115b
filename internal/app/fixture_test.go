package app

import (
	"testing"

	"understudy/internal/platform/config"
)

// Environments with a fixture begin as copies of each other. What follows from an
// environment's secrets is replaced in a copy; what documents have drawn would be shared.
func TestFixturesDrawNoSecrets(t *testing.T) {
	for _, name := range config.Fixtures {
		docs, err := fixture(name)
		if err != nil || len(docs) == 0 {
			t.Fatal(name, len(docs), err)
		}
		for _, doc := range docs {
			for service, kinds := range map[string][]string{"messaging": {"apps"}, "tracker": {"webhooks", "api_keys"}} {
				for _, kind := range kinds {
					if doc.Member(service).Member(kind) != nil {
						t.Errorf("the fixture %s has %s.%s", name, service, kind)
					}
				}
			}
		}
	}
}
