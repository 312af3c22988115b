package app

import (
	"net/http"

	"understudy/internal/platform/config"
	"understudy/internal/platform/httpkit"
	"understudy/internal/webui"
	"understudy/web"
)

// graphqlPath is the path of the GraphQL endpoint, below the tracker's address.
const graphqlPath = "/graphql"

// makeUI prepares the web UI if the mode includes it, and the page of the GraphQL
// endpoint if pages are built in.
func (a *App) makeUI() error {
	files, built := web.Files()
	if built {
		page, err := webui.NewConsole(webui.Options{Files: files, WriteError: a.console.WriteError}, graphqlPath)
		if err != nil {
			return err
		}
		a.graphqlPage = page
	}
	if a.o.Mode != "full" {
		return nil
	}
	o := webui.Options{WriteError: a.console.WriteError, Config: webui.Config{Version: a.o.Version, Commit: a.o.Commit, Mode: a.o.Mode,
		Fixtures: config.Fixtures, Services: map[string]string{}}}
	for _, s := range a.services() {
		o.Config.Services[s.Name()] = "/" + s.Name()
	}
	if built {
		o.Files = files
	} else {
		a.log.Warn("this program was built without the web UI; build it with make build and Node 20")
	}
	ui, err := webui.New(o)
	a.ui = ui
	return err
}

// serveUI serves /ui; without a UI it replies that there is nothing.
func (a *App) serveUI(w http.ResponseWriter, r *http.Request) {
	if a.ui == nil {
		a.console.WriteError(w, r, httpkit.NoRoute)
		return
	}
	a.ui.ServeHTTP(w, r)
}

// uiAddress returns the address of the web UI, or "" if this build or mode has
// none.
func (a *App) uiAddress() string {
	if _, built := web.Files(); a.ui == nil || !built {
		return ""
	}
	return a.origin() + "/ui/"
}
