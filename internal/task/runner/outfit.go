package runner

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"understudy/internal/platform/ids"
	"understudy/internal/task"
	"understudy/internal/task/plane"
)

// outfit is the variables and files that the programs of a run receive.
type outfit struct {
	work      string   // the command's working folder
	answer    string   // the file for the agent's answer
	variables []string // NAME=value
}

// withheld reports whether a variable of the runner is removed for the programs
// of a run: it concerns the admin plane, data or another key.
func withheld(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	name = strings.ToUpper(name)
	for _, secret := range []string{"UNDERSTUDY_ADMIN_", "UNDERSTUDY_KEY", "UNDERSTUDY_DATA"} { // UNDERSTUDY_DATABASE too
		if strings.HasPrefix(name, secret) {
			return true
		}
	}
	return false
}

// fitOut creates the directory of a run and returns its outfit.
func (a *attempt) fitOut(ctx context.Context) (o outfit, err error) {
	o.work, o.answer = filepath.Join(a.folder, "work"), filepath.Join(a.folder, "answer.txt")
	if err := os.Mkdir(o.work, 0o700); err != nil {
		return o, err
	}
	instruction, tools := filepath.Join(a.folder, "instruction.txt"), filepath.Join(a.folder, "mcp.json")
	if err := os.WriteFile(instruction, []byte(a.task.Instruction), 0o600); err != nil {
		return o, err
	}
	var servers, text []byte
	var asked errgroup.Group
	for format, into := range map[string]*[]byte{"mcp": &servers, "env": &text} {
		asked.Go(func() (err error) {
			*into, err = a.plane.Text(ctx, http.MethodGet, plane.Of(a.environment, "/credentials?format="+format), nil)
			return err
		})
	}
	if err := asked.Wait(); err != nil {
		return o, err
	}
	given := strings.Split(strings.TrimSpace(string(text)), "\n")
	if a.task.As != "" {
		if servers, err = a.lend(ctx, given, servers); err != nil {
			return o, placed{"as", err}
		}
	}
	if err := os.WriteFile(tools, servers, 0o600); err != nil {
		return o, err
	}
	random := ids.Random()
	a.session = random.UUID()
	own := append(given,
		"AGNOST_SESSION_ID="+a.session,
		"TRACEPARENT=00-"+random.Hex(32)+"-"+random.Hex(16)+"-01",
		"UNDERSTUDY_RUN="+a.task.Name+"-"+strconv.Itoa(a.number),
		"UNDERSTUDY_TASK="+a.task.Name,
		"UNDERSTUDY_INSTRUCTION="+a.task.Instruction,
		"UNDERSTUDY_INSTRUCTION_FILE="+instruction,
		"UNDERSTUDY_ANSWER_FILE="+o.answer,
		"UNDERSTUDY_MCP_CONFIG="+tools)
	for _, v := range a.options.Environ {
		if !withheld(v) {
			o.variables = append(o.variables, v)
		}
	}
	o.variables = with(o.variables, own...)
	return o, nil
}

// with returns an environment with some variables replaced.
func with(environ []string, variables ...string) []string {
	out := slices.DeleteFunc(slices.Clone(environ), func(old string) bool {
		name, _, _ := strings.Cut(old, "=")
		return slices.ContainsFunc(variables, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	})
	return append(out, variables...)
}

// without returns an environment without some variables.
func without(environ []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(names, name)
	})
}

// maxAnswer is the longest answer of an agent, in bytes.
const maxAnswer = 256 << 10

// readAnswer returns the content of the answer file; nil if there is none.
func (o *outfit) readAnswer() (*string, error) {
	info, err := os.Lstat(o.answer)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a link could point to a file that the agent must not read
		return nil, errors.New("the answer file is not a regular file")
	}
	f, err := os.Open(o.answer)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxAnswer)) // the file may be larger than memory
	if err != nil {
		return nil, err
	}
	answer := strings.TrimRight(strings.ToValidUTF8(string(text), "�"), "\r\n")
	answer = strings.ReplaceAll(answer, "\x00", "�")
	return &answer, nil
}

// appVariables returns the variables of an app under test, in addition to the
// command's.
func appVariables(t *task.Task, credentials json.RawMessage, port int) ([]string, error) {
	out := []string{"PORT=" + strconv.Itoa(port)}
	if t.App.App == "" {
		return out, nil
	}
	var all struct {
		Messaging struct {
			Apps []struct {
				Name   string `json:"name"`
				ID     string `json:"app_id"`
				Token  string `json:"bot_token"`
				Secret string `json:"signing_secret"`
			} `json:"apps"`
		} `json:"messaging"`
	}
	if err := json.Unmarshal(credentials, &all); err != nil {
		return nil, err
	}
	for _, one := range all.Messaging.Apps {
		if one.Name == t.App.App || one.ID == t.App.App {
			return append(out, "SLACK_BOT_TOKEN="+one.Token, "SLACK_SIGNING_SECRET="+one.Secret), nil
		}
	}
	return nil, t.Bad("app.app", "the world has no app "+t.App.App)
}
