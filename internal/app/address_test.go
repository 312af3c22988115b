package app_test

import (
	"fmt"
	"testing"

	"understudy/internal/platform/store/storetest/throwaway"
)

// freeAddress gives a loopback address that nobody listens on at this moment.
func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := throwaway.Port()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}
