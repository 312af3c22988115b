package rest

import (
	"fmt"
	"net/http"
	"time"

	"understudy/internal/crm"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// The errors of the wire itself.
var (
	errNoRoute   = fault.New(fault.NotFound, "no_route", "resource not found")
	errMethod    = fault.New(fault.Invalid, "method_not_allowed", "This method is not allowed for this resource.")
	errMediaType = fault.New(fault.Invalid, "unsupported_media_type", "The request body must be application/json.")
	errBadInput  = fault.New(fault.Invalid, "bad_input", "Invalid input JSON.")
	errScopes    = fault.New(fault.Forbidden, "missing_scopes", "This app hasn't been granted all required scopes to make this call. Read more about required scopes here: https://developers.hubspot.com/scopes.")
)

// problem is the envelope of errors, and of the failed entries of a multi-status
// reply.
type problem struct {
	Status           string              `json:"status"`
	Message          string              `json:"message"`
	CorrelationID    string              `json:"correlationId,omitempty"`
	Category         string              `json:"category"`
	SubCategory      string              `json:"subCategory,omitempty"`
	PolicyName       string              `json:"policyName,omitempty"`
	ErrorType        string              `json:"errorType,omitempty"`
	Context          map[string][]string `json:"context,omitempty"`
	Links            map[string]string   `json:"links,omitempty"`
	Errors           []detail            `json:"errors,omitempty"`
	OAuthError       string              `json:"error,omitempty"`
	OAuthDescription string              `json:"error_description,omitempty"`
}

type detail struct {
	Message string              `json:"message"`
	Code    string              `json:"code,omitempty"`
	In      string              `json:"in,omitempty"`
	Context map[string][]string `json:"context,omitempty"`
}

// form is the wire form of a reason.
type form struct {
	status   int
	category string
}

// forms maps reasons to their forms, unless the form follows from the kind.
var forms = map[fault.Reason]form{
	errMethod.Reason:            {http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED"},
	errMediaType.Reason:         {http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE"},
	errScopes.Reason:            {http.StatusForbidden, "MISSING_SCOPES"},
	errSearches.Reason:          {http.StatusTooManyRequests, "RATE_LIMITS"},
	auth.Expired.Reason:         {http.StatusUnauthorized, "EXPIRED_AUTHENTICATION"},
	crm.ContactExists.Reason:    {http.StatusConflict, "CONFLICT"},
	crm.DefinitionExists.Reason: {http.StatusConflict, "OBJECT_ALREADY_EXISTS"},
	httpkit.TooLarge.Reason:     {http.StatusRequestEntityTooLarge, "VALIDATION_ERROR"},
	"store_unavailable":         {http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE"},
	auth.BadLogin.Reason:        {http.StatusUnauthorized, "INVALID_AUTHENTICATION"},
}

var kindForms = map[fault.Kind]form{
	fault.Invalid:         {http.StatusBadRequest, "VALIDATION_ERROR"},
	fault.Unprocessable:   {http.StatusBadRequest, "VALIDATION_ERROR"},
	fault.Unauthenticated: {http.StatusUnauthorized, "INVALID_AUTHENTICATION"},
	fault.Forbidden:       {http.StatusForbidden, "FORBIDDEN"},
	fault.NotFound:        {http.StatusNotFound, "OBJECT_NOT_FOUND"},
	fault.Conflict:        {http.StatusConflict, "CONFLICT"},
	fault.TooLarge:        {http.StatusRequestEntityTooLarge, "VALIDATION_ERROR"},
	fault.RateLimited:     {http.StatusTooManyRequests, "RATE_LIMIT"},
	fault.Unavailable:     {http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE"},
}

const noCredentials = "Authentication credentials not found. This API supports OAuth 2.0 authentication and you can find more details at https://developers.hubspot.com/docs/methods/auth/oauth-overview"

// problemOf returns the envelope of an error without its correlation id. Anything
// but a fault.Error is internal, and its text is not shown.
func (h *Handler) problemOf(err error) (int, problem) {
	e, ok := fault.As(err)
	if !ok || e.Kind == fault.Internal {
		return http.StatusInternalServerError, problem{Status: "error", Message: "internal error", Category: "INTERNAL_ERROR"}
	}
	f, ok := forms[e.Reason]
	if !ok {
		f = kindForms[e.Kind]
	}
	p := problem{Status: "error", Message: e.Detail, Category: f.category}
	switch e.Reason {
	case auth.Missing.Reason, auth.Invalid.Reason, auth.Revoked.Reason:
		p.Message = noCredentials
	case auth.Expired.Reason:
		ago, _ := e.Attrs.(time.Duration)
		p.Message = fmt.Sprintf("The OAuth token used to make this call expired %d second(s) ago.", int64(ago.Seconds()))
	case errScopes.Reason:
		scopes, _ := e.Attrs.([]string)
		p.Errors = []detail{{Message: "One or more of the following scopes are required.", Context: map[string][]string{"requiredGranularScopes": scopes}}}
		p.Links = map[string]string{"scopes": "https://developers.hubspot.com/scopes"}
	case errWindow.Reason:
		p.PolicyName, p.ErrorType = tenSecondly, "RATE_LIMIT"
	case errSearches.Reason:
		p.PolicyName, p.ErrorType = secondly, "RATE_LIMIT"
	case errDaily.Reason:
		p.PolicyName, p.ErrorType = daily, "RATE_LIMIT"
	case httpkit.BadJSON.Reason:
		p.Message = "Invalid input JSON on line 1, column 1: " + e.Detail
	case crm.BadGrant.Reason:
		p.Category, p.OAuthError, p.OAuthDescription = e.Field, oauthErrors[e.Field], e.Detail
	}
	switch a := e.Attrs.(type) {
	case crm.Details:
		p.SubCategory, p.Context = a.SubCategory, a.Context
	case crm.ValidationProblems:
		for _, v := range a {
			name := "propertyName"
			if v.Code == crm.RequiredField {
				name = "properties"
			}
			p.Errors = append(p.Errors, detail{Message: v.Message, Code: v.Code, In: v.Property, Context: map[string][]string{name: {v.Property}}})
		}
	}
	return f.status, p
}

// WriteError replies with an error's envelope.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	status, p := h.problemOf(err)
	if status == http.StatusInternalServerError && !httpkit.IsInjected(err) {
		h.Log.ErrorContext(r.Context(), "a CRM request failed", "service", crm.Name, "path", r.Pattern, "error", err)
	}
	p.CorrelationID = h.IDs.UUID()
	w.Header().Set("X-HubSpot-Correlation-Id", p.CorrelationID)
	httpkit.SetRetryAfter(w, err)
	httpkit.WriteJSON(w, status, p)
}

func badInput(format string, args ...any) error {
	return errBadInput.Detailf("%s", fmt.Sprintf(format, args...))
}
