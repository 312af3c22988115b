package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An answer is read up to its bound, however long the file is that an agent leaves:
// this one is a terabyte of nothing.
func TestAnAnswerIsReadUpToItsBound(t *testing.T) {
	o := outfit{answer: filepath.Join(t.TempDir(), "answer.txt")}
	f, err := os.Create(o.answer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("SUP-10 \xff"); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1 << 40); err != nil {
		t.Skip("the file system has no such files: ", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	answer, err := o.readAnswer()
	if err != nil || answer == nil || !strings.HasPrefix(*answer, "SUP-10 ��") || len([]rune(*answer)) > maxAnswer {
		t.Errorf("%v, %d characters", err, len(*answer))
	}
}

func TestALinkIsNoAnswer(t *testing.T) {
	dir := t.TempDir()
	o := outfit{answer: filepath.Join(dir, "answer.txt")}
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("secret", o.answer); err != nil {
		t.Skip("no links here: ", err)
	}
	if answer, err := o.readAnswer(); err == nil {
		t.Errorf("the answer is %q", *answer)
	}
}
