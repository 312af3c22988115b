package otlp

import (
	"errors"
	"reflect"
	"unicode/utf8"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// maxDepth bounds the nesting of messages. It allows some 30 levels of lists within an
// attribute.
const maxDepth = 100

var (
	errNested = errors.New("the values are nested too deeply")
	errWire   = errors.New("the body is not a valid protobuf message")
)

// layout describes a type of message: the memory that a message needs, and its
// fields.
type layout struct {
	bytes int // the size of the struct and of its place in a list
	parts map[protowire.Number]*layout
	texts map[protowire.Number]bool
	lists map[protowire.Number]bool // of texts
}

// traces is the layout of a request.
var traces = layoutOf((&tracepb.TracesData{}).ProtoReflect().Descriptor(), map[protoreflect.FullName]*layout{})

func layoutOf(d protoreflect.MessageDescriptor, seen map[protoreflect.FullName]*layout) *layout {
	if l := seen[d.FullName()]; l != nil {
		return l
	}
	l := &layout{parts: map[protowire.Number]*layout{}, texts: map[protowire.Number]bool{}, lists: map[protowire.Number]bool{}}
	seen[d.FullName()] = l
	t, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName())
	if err != nil {
		panic(err) // its package is imported
	}
	const place, oneof = 24, 24
	l.bytes = int(reflect.TypeOf(t.Zero().Interface()).Elem().Size()) + place
	if d.Oneofs().Len() > 0 {
		l.bytes += oneof
	}
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		switch {
		case f.Message() != nil:
			l.parts[f.Number()] = layoutOf(f.Message(), seen)
		case f.Kind() == protoreflect.StringKind:
			l.texts[f.Number()], l.lists[f.Number()] = true, f.IsList()
		}
	}
	return l
}

// scan reads a request before it is decoded. It returns the approximate size of the
// decoded messages in bytes. It replaces bytes in texts that are not UTF-8, because
// the decoder would reject all spans of the request. It returns errNested and errWire.
func scan(b []byte) (bytes int, err error) { return traces.scan(b, maxDepth) }

func (l *layout) scan(b []byte, depth int) (bytes int, err error) {
	if depth == 0 {
		return 0, errNested
	}
	bytes = l.bytes
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return 0, errWire
		}
		b = b[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
				return 0, errWire
			}
			b = b[n:]
			continue
		}
		value, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return 0, errWire
		}
		b = b[n:]
		if part := l.parts[number]; part != nil {
			more, err := part.scan(value, depth-1)
			if err != nil {
				return 0, err
			}
			bytes += more
		} else if l.texts[number] {
			bytes += len(value)
			if l.lists[number] {
				bytes += 24
			}
			clean(value)
		}
	}
	return bytes, nil
}

// clean replaces each byte that is not part of valid UTF-8 with a question mark.
func clean(b []byte) {
	if utf8.Valid(b) {
		return
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			b[i] = '?'
		}
		i += n
	}
}
