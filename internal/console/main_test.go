package console_test

import (
	"testing"

	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

type object = map[string]any
