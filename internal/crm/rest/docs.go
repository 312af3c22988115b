package rest

import "net/http"

var docsRoutes = []route{
	{"GET", "/health", public, (*call).health},
}

func (c *call) health() error { return c.reply(http.StatusOK, map[string]string{"status": "ok"}) }
