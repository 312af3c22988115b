package otlp

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/httpkit"
)

const (
	maxBody = 20 << 20 // bytes, after decompression
	// maxBuilt bounds the size of a decoded body beyond that of the body, in bytes.
	// Decoded and stored form together need less memory than a request may use.
	maxBuilt = 32 << 20
	// maxValues bounds the values of a JSON body; valueBytes is the memory that each
	// value needs, in bytes.
	maxValues  = 200_000
	valueBytes = 160
)

// decode reads a request's body. It returns badBody, httpkit.TooLarge and budget.Exhausted.
func decode(ctx context.Context, form form, b []byte) (*tracepb.TracesData, error) {
	data := &tracepb.TracesData{}
	if form == asJSON {
		if err := budget.JSONWithin(ctx, b, maxValues, valueBytes); err != nil {
			return nil, err
		}
		read := protojson.UnmarshalOptions{DiscardUnknown: true, AllowPartial: true, RecursionLimit: maxDepth}
		if err := read.Unmarshal(b, data); err != nil {
			return nil, badBody.Detailf("The body is not a traces request in JSON: %s", sentence(err))
		}
		return data, nil
	}
	built, err := scan(b)
	switch {
	case errors.Is(err, errNested):
		return nil, badBody.Detailf("The values are nested more than %d messages deep.", maxDepth)
	case err != nil:
		return nil, badBody.Detailf("The body is not a traces request in protobuf.")
	case built > maxBuilt+len(b):
		return nil, httpkit.TooLarge.Detailf("The body has too many values: they would take %d MiB.", built>>20)
	}
	if err := budget.Work(ctx, int64(built)); err != nil {
		return nil, err
	}
	if err := (proto.UnmarshalOptions{DiscardUnknown: true, AllowPartial: true}).Unmarshal(b, data); err != nil {
		return nil, badBody.Detailf("The body is not a traces request in protobuf.")
	}
	return data, nil
}

// hexOf returns an id of size bytes as hexadecimal text. In JSON ids are hexadecimal,
// but the decoder reads them as base64, so encoding them as base64 restores the text.
func hexOf(id []byte, size int, form form) string {
	if form == asJSON && len(id) == 2*size*3/4 {
		return base64.StdEncoding.EncodeToString(id)
	}
	return hex.EncodeToString(id)
}
