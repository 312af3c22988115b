package jsontext

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"time"
)

// Every value is encoded as encoding/json encodes it.
func TestAppendAny(t *testing.T) {
	type record struct {
		A string `json:"a"`
	}
	half, text := 0.5, "t"
	for _, v := range []any{nil, "", "a \"b\" <c> é\x00", true, false, 0, -7, int64(math.MaxInt64), 0.0, math.Copysign(0, -1), 1.0, -2.5, 1e14, 1e15, 1e21, 1e-7, &half, &text,
		int32(3), record{"x"}, []record{{"y"}}, []string(nil), []string{}, []string{"a", "b"}, []any(nil), []any{}, []any{1, "x", nil, []any{map[string]any{}}},
		map[string]any(nil), map[string]any{}, map[string]any{"b": 1, "a": map[string]any{"z": []string{"q"}, "<": "&"}, "": nil, "B": time.Unix(0, 0).UTC(), "r": json.RawMessage(`{"k": 1}`)},
		map[string]string{"b": "x", "a": "y"}} {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		got, err := AppendAny([]byte("before "), v)
		if err != nil || string(got) != "before "+string(bytes.TrimSpace(want.Bytes())) {
			t.Errorf("%#v: %s, %v, want %s", v, got, err, want.Bytes())
		}
	}
	for _, v := range []any{math.NaN(), math.Inf(1), make(chan int), map[string]any{"a": []any{math.NaN()}}} {
		if got, err := AppendAny(nil, v); err == nil {
			t.Errorf("%v is encoded as %s", v, got)
		}
	}
}

func FuzzAppendAny(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.5,"x",null,true,{"b":{}}],"":-0,"1e3":1e300}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		if json.Unmarshal(text, &v) != nil {
			return
		}
		want, _ := json.Marshal(v)
		got, err := AppendAny(nil, v)
		var back any
		if err != nil || json.Unmarshal(got, &back) != nil {
			t.Fatalf("%s: %s, %v", text, got, err)
		}
		if again, _ := json.Marshal(back); !bytes.Equal(again, want) {
			t.Errorf("%s is encoded as %s", want, got)
		}
	})
}
