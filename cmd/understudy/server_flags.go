package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"understudy/internal/app"
)

// serverFlags find the server; they may stand before or after the arguments.
type serverFlags struct {
	Data     string `default:"./understudy-data" help:"Data folder of the server, whose credentials.json names its address and key."`
	AdminURL string `name:"admin-url" help:"URL of the admin plane: http://HOST/admin/v1."`
	AdminKey string `name:"admin-key" help:"Key of the admin plane."`
	Key      string `name:"key" help:"Key of the server, from which the admin key is derived until that is rotated. Set it as UNDERSTUDY_KEY: other users of the machine can read command lines."`
}

// ownAdminURL is where a server whose options were left as they are serves the admin plane.
const ownAdminURL = "http://127.0.0.1:4400/admin/v1"

// find reads address and key from credentials.json where the flags leave them
// out. With the server's own key there need not be such a file: the key of the
// admin plane derives from it.
func (f *serverFlags) find() error {
	if f.AdminKey == "" && f.Key != "" {
		key, err := app.FirstAdminKey(f.Key)
		if err != nil {
			return usageError{fmt.Errorf("--key: %w", err)}
		}
		f.AdminKey = key
	}
	if f.AdminURL != "" && f.AdminKey != "" {
		return nil
	}
	path := filepath.Join(f.Data, "credentials.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && f.Key != "" {
		f.AdminURL = ownAdminURL
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot find the server: %w; start one, or give --data, or --admin-url and --admin-key", err)
	}
	var c struct {
		Admin struct {
			BaseURL string `json:"base_url"`
			Key     string `json:"key"`
		} `json:"admin"`
	}
	if err := json.Unmarshal(text, &c); err != nil || c.Admin.Key == "" {
		return fmt.Errorf("%s names no admin plane; start the server again, or give --admin-url and --admin-key", path)
	}
	f.AdminURL = cmp.Or(f.AdminURL, c.Admin.BaseURL)
	f.AdminKey = cmp.Or(f.AdminKey, c.Admin.Key)
	return nil
}
