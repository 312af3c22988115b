package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"understudy/test/server"
)

// stubs are programs that the examples for CI call and that are not tested here:
// the build, npm's and Python's packages, and containers, of which the program
// itself stands in for one.
var stubs = map[string]string{
	"make":    `mkdir -p bin && ln -sf "$PROGRAM" bin/understudy`,
	"npm":     `test "$1" = ci`,
	"python3": `test "$1 $2" = "-m pytest" && test -x "$UNDERSTUDY_BIN"`,
	"docker": `case $1 in
run) UNDERSTUDY_ALLOW_PRIVATE_WEBHOOKS=true "$PROGRAM" serve --listen "$ADDRESS" --data "$STATE/data" >"$STATE/log" 2>&1 & echo $! >"$STATE/pid" ;;
inspect) if UNDERSTUDY_LISTEN=$ADDRESS "$PROGRAM" health >/dev/null 2>&1; then echo healthy; else echo starting; fi ;;
rm) kill "$(cat "$STATE/pid")" ;;
esac`,
}

// The examples for CI run as they stand.
func TestTheExamplesForCI(t *testing.T) {
	t.Parallel()
	server.NeedTools(t, "sh", "node", "openssl", "sed", "grep")
	_, section, found := strings.Cut(whole(t, "../../docs", "helpers.md"), "\n## CI\n")
	scripts := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1)
	if !found || len(scripts) != 2 {
		t.Fatalf("docs/helpers.md has %d examples for CI", len(scripts))
	}
	program, err := server.Binary()
	if err != nil {
		t.Fatal(err)
	}
	if program, err = filepath.Abs(program); err != nil {
		t.Fatal(err)
	}
	client, err := filepath.Abs("../../clients/node")
	if err != nil {
		t.Fatal(err)
	}
	address, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	for i, script := range scripts {
		dir := t.TempDir()
		for _, folder := range []string{"stubs", "state", "my-agent", "my-bot/node_modules"} {
			if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		files := map[string]string{
			"my-bot/package.json": `{"type": "module"}`,
			"my-bot/bot.test.mjs": `import { test } from 'node:test';
import { fork } from 'understudy-test';
test('a question', async () => {
  const w = await fork({ fixture: 'demo', seed: 7 });
  await w.person('messaging/jon.abel').say('#general', 'hello');
  await w.delete();
  console.log('asked at ' + (process.env.UNDERSTUDY_ADMIN_URL ?? 'a server of its own'));
});`,
		}
		for name, text := range stubs {
			files["stubs/"+name] = "#!/bin/sh\n" + text + "\n"
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(client, filepath.Join(dir, "my-bot/node_modules/understudy-test")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(program, filepath.Join(dir, "stubs/understudy")); err != nil {
			t.Fatal(err)
		}
		sh := exec.CommandContext(t.Context(), "sh", "-c", script[1])
		sh.Dir = dir
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "UNDERSTUDY_") {
				sh.Env = append(sh.Env, v)
			}
		}
		sh.Env = append(sh.Env, "PATH="+filepath.Join(dir, "stubs")+":"+os.Getenv("PATH"), "PROGRAM="+program, "ADDRESS="+address, "STATE="+filepath.Join(dir, "state"))
		want := "asked at a server of its own"
		if i == 1 { // its server is not at the usual port, which another may have
			want = "asked at http://" + address + "/admin/v1"
			sh.Env = append(sh.Env, "UNDERSTUDY_ADMIN_URL=http://"+address+"/admin/v1")
		}
		out, err := sh.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("example %d: %v, want %q:\n%s", i+1, err, want, out)
		}
	}
}
