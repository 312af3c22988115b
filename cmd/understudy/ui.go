package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// uiCmd prints a sign-in link to the web UI that contains the admin key.
type uiCmd struct {
	adminFlags
	Env  string `name:"env" default:"default" help:"Id or name of the environment to open."`
	As   string `name:"as" help:"Person of messaging to act as: an id, a handle or an e-mail address."`
	Path string `name:"path" help:"Path below /ui of the page to open, such as worlds."`
	Open bool   `name:"open" help:"Also open the link in a browser."`
}

var errNoUI = errors.New("this server has no web UI: start it with --mode full, from a program that was built with Node")

// Run prints the link, and opens it if requested.
func (c *uiCmd) Run() error {
	if err := c.find(); err != nil {
		return err
	}
	admin, err := url.Parse(c.AdminURL)
	if err != nil || admin.Host == "" {
		return usageError{fmt.Errorf("--admin-url must be a URL such as http://127.0.0.1:4400/admin/v1, not %q", c.AdminURL)}
	}
	if _, err := c.call(http.MethodGet, envPath(c.Env), nil); err != nil {
		return err
	}
	origin := admin.Scheme + "://" + admin.Host
	if err := hasUI(origin); err != nil {
		return err
	}
	fragment := url.Values{"key": {c.AdminKey}}
	if c.As != "" {
		fragment.Set("as", c.As)
	}
	path := "e/" + url.PathEscape(c.Env) + "/messaging"
	if c.Path != "" {
		path = strings.TrimPrefix(c.Path, "/")
	}
	link := origin + "/ui/" + path + "#" + fragment.Encode()
	if c.JSON {
		printLine(map[string]any{"url": link})
	} else {
		fmt.Println(link)
	}
	fmt.Fprintln(os.Stderr, "The link holds the admin key: whoever has it may do everything.")
	if c.Open {
		return openLink(link)
	}
	return nil
}

// hasUI returns an error unless pages are served at an origin.
func hasUI(origin string) error {
	reply, err := (&http.Client{Timeout: 10 * time.Second}).Get(origin + "/ui/")
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	_ = reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return errNoUI
	}
	return nil
}

func openLink(link string) error {
	command := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if command == nil {
		command = []string{"xdg-open"}
	}
	if err := exec.Command(command[0], append(command[1:], link)...).Start(); err != nil {
		return fmt.Errorf("cannot open a browser: %w", err)
	}
	return nil
}
