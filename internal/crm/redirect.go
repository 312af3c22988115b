package crm

import (
	"context"
	"net"
	"net/url"
	"slices"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// The errors of redirect URIs.
var (
	BadRedirect  = fault.New(fault.Invalid, "bad_redirect_uri", "A redirect URI is an absolute http or https address without a fragment.")
	TooManyURIs  = fault.New(fault.Invalid, "too_many_redirect_uris", "A client has at most 100 redirect URIs.")
	ClientIsGone = fault.New(fault.NotFound, "client_not_found", "The portal has no OAuth client with this id.")
)

const (
	maxRedirects      = 100
	maxRedirectLength = 2048
)

// loopbackURI reports whether the host of an address is the local machine.
func loopbackURI(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// checkRedirect returns an error unless an address is on loopback or equal to one
// that the client has registered.
func (cl *Client) checkRedirect(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return badGrant("BAD_REDIRECT_URI", "missing or invalid redirect uri")
	case !loopbackURI(u) && !slices.Contains(cl.Redirects, text):
		return badGrant("BAD_REDIRECT_URI", "the redirect uri is not registered for this client")
	}
	return nil
}

// RedirectURIs returns a client of the caller's portal, by default its first,
// with its registered addresses. It returns CannotMint for a credential that may
// not administer the portal, and ClientIsGone.
func (c *CRM) RedirectURIs(ctx context.Context, p *auth.Principal, client string) (cl Client, err error) {
	if err := administers(p); err != nil {
		return cl, err
	}
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		cl, err = clientOf(tx, portalOf(p), client)
		return err
	})
	return cl, err
}

// SetRedirectURIs replaces the registered addresses of a client. It returns the
// errors of RedirectURIs, BadRedirect and TooManyURIs.
func (c *CRM) SetRedirectURIs(ctx context.Context, p *auth.Principal, client string, uris []string) (cl Client, err error) {
	if err := administers(p); err != nil {
		return cl, err
	}
	if len(uris) > maxRedirects {
		return cl, TooManyURIs
	}
	for _, text := range uris {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "" || u.User != nil || len(text) > maxRedirectLength {
			return cl, BadRedirect.Detailf("%q is not an absolute http or https address without a fragment", text)
		}
	}
	err = c.world.Write(ctx, func(tx *store.Tx) error {
		if cl, err = clientOf(tx, portalOf(p), client); err != nil {
			return err
		}
		cl.Redirects = uris
		return updateRedirects(tx, cl)
	})
	return cl, err
}

func clientOf(tx *store.Tx, portal int64, id string) (cl Client, err error) {
	if id == "" {
		if id, err = firstClient(tx, portal); err != nil {
			return cl, err
		}
	}
	cl, _, found, err := getClient(tx, id)
	if err == nil && (!found || cl.Portal != portal) {
		err = ClientIsGone
	}
	return cl, err
}
