package schema

import (
	"slices"
	"strings"
)

// otherTypes are upstream's object types that this service lacks, by plural name,
// singular name and id, sorted.
var otherTypes = []string{
	"0-101", "0-115", "0-116", "0-123", "0-136", "0-14", "0-142", "0-162", "0-18", "0-19", "0-27", "0-410", "0-420", "0-421",
	"0-46", "0-47", "0-48", "0-49", "0-53", "0-54", "0-69", "0-7", "0-74", "0-8", "0-84", "0-85", "0-86", "0-970", "appointment",
	"appointments", "call", "calls", "cart", "carts", "commerce_payment", "commerce_payments", "communication", "communications",
	"course", "courses", "deal_split", "discount", "discounts", "email", "emails", "fee", "feedback_submission",
	"feedback_submissions", "fees", "goal_target", "goal_targets", "invoice", "invoices", "lead", "leads", "line_item",
	"line_items", "listing", "listings", "marketing_event", "marketing_events", "meeting_event", "meetings", "note", "notes",
	"order", "orders", "postal_mail", "product", "products", "project", "projects", "quote", "quotes", "service", "services",
	"subscription", "subscriptions", "task", "tasks", "tax", "taxes", "user", "users",
}

// IsOtherType reports whether a name, in any case, or an id is that of an object
// type of upstream that this service lacks.
func IsOtherType(s string) bool {
	_, found := slices.BinarySearch(otherTypes, strings.ToLower(s))
	return found
}
