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

// uiCmd prints a link to the web UI that signs in with the admin key.
type uiCmd struct {
	adminFlags
	Env  string `name:"env" default:"default" help:"Environment to look at."`
	As   string `name:"as" help:"Person of messaging to act as: id, handle or e-mail address."`
	Path string `name:"path" help:"Page below /ui to open, such as worlds."`
	Open bool   `name:"open" help:"Also open the link in the browser."`
}

var errNoUI = errors.New("this server has no web UI: start it with --mode full, of a program that was built with Node")

// Run prints the link, and opens nothing unless asked.
func (c *uiCmd) Run() error {
	if err := c.find(); err != nil {
		return err
	}
	admin, err := url.Parse(c.AdminURL)
	if err != nil || admin.Host == "" {
		return usageError{fmt.Errorf("--admin-url: %q is no address", c.AdminURL)}
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

// hasUI asks whether pages are served at an origin.
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
