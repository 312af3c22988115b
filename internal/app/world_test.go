package app_test

import (
	"testing"

	"understudy/internal/app/apptest"
)

// plane and world are apptest's, with what the tests of this package ask of several services.
type plane struct{ apptest.Plane }

type world struct{ apptest.World }

// at walks into a reply.
var at = apptest.Get

func planeOf(t *testing.T, s *apptest.Server) plane { return plane{apptest.PlaneOf(t, s)} }

func onPlanes(t *testing.T, test func(t *testing.T, p plane)) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) { test(t, plane{p}) })
}

func (p plane) world(reply map[string]any) world { return world{p.World(reply)} }

func (p plane) at(clock string) world { return world{p.At(clock)} }
