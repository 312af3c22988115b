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

// serverFlags identify the server; they are allowed before and after the
// arguments.
type serverFlags struct {
	Data     string `default:"./understudy-data" help:"Data folder of the server, whose credentials.json names its address and key."`
	AdminURL string `name:"admin-url" help:"URL of the admin plane: http://HOST/admin/v1."`
	AdminKey string `name:"admin-key" help:"Key of the admin plane."`
	Key      string `name:"key" help:"Key of the server, from which the admin key is derived; after a rotation credentials.json in the data folder has the newer one. Set it as UNDERSTUDY_KEY: other users of the machine can read command lines."`
}

// ownAdminURL is the admin plane's URL of a server with default options.
const ownAdminURL = "http://127.0.0.1:4400/admin/v1"

// find reads missing flags from credentials.json. If the server's own key is
// known, the file is not necessary: the admin key is derived from it. The file of
// the same server contains the current key after a rotation.
func (f *serverFlags) find() error {
	if f.AdminURL != "" && f.AdminKey != "" {
		return nil
	}
	own, missing := f.read()
	if f.AdminKey == "" && f.Key != "" {
		key, err := app.AdminKey(f.Key, own.Key)
		if err != nil {
			return usageError{fmt.Errorf("--key: %w", err)}
		}
		f.AdminKey = key
		if errors.Is(missing, os.ErrNotExist) {
			f.AdminURL = cmp.Or(f.AdminURL, ownAdminURL)
		}
		if f.AdminURL != "" {
			return nil
		}
	}
	if missing != nil {
		return missing
	}
	f.AdminURL = cmp.Or(f.AdminURL, own.BaseURL)
	f.AdminKey = cmp.Or(f.AdminKey, own.Key)
	return nil
}

// adminPlane is the part of credentials.json for the admin plane.
type adminPlane struct {
	BaseURL string `json:"base_url"`
	Key     string `json:"key"`
}

// read reads credentials.json in the data folder.
func (f *serverFlags) read() (adminPlane, error) {
	path := filepath.Join(f.Data, "credentials.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return adminPlane{}, fmt.Errorf("cannot find the server: %w; start one, or give --data, or --admin-url and --admin-key", err)
	}
	var c struct{ Admin adminPlane }
	if err := json.Unmarshal(text, &c); err != nil || c.Admin.Key == "" {
		return adminPlane{}, fmt.Errorf("%s names no admin plane; start the server again, or give --admin-url and --admin-key", path)
	}
	return c.Admin, nil
}
