package messaging

import "understudy/internal/platform/fault"

// The errors of the rules. The reasons are also the error codes of the Web API.
var (
	ChannelNotFound    = fault.New(fault.NotFound, "channel_not_found", "")
	MessageNotFound    = fault.New(fault.NotFound, "message_not_found", "")
	ThreadNotFound     = fault.New(fault.NotFound, "thread_not_found", "")
	UserNotFound       = fault.New(fault.NotFound, "user_not_found", "")
	WrongKind          = fault.New(fault.Invalid, "method_not_supported_for_channel_type", "")
	IsArchived         = fault.New(fault.Conflict, "is_archived", "")
	AlreadyArchived    = fault.New(fault.Conflict, "already_archived", "")
	NotInChannel       = fault.New(fault.Forbidden, "not_in_channel", "")
	AlreadyInChannel   = fault.New(fault.Conflict, "already_in_channel", "")
	CannotInviteSelf   = fault.New(fault.Invalid, "cant_invite_self", "")
	CannotKickSelf     = fault.New(fault.Invalid, "cant_kick_self", "")
	CannotKickGeneral  = fault.New(fault.Forbidden, "cant_kick_from_general", "")
	CannotLeaveGeneral = fault.New(fault.Forbidden, "cant_leave_general", "")
	CannotArchive      = fault.New(fault.Forbidden, "cant_archive_general", "")
	LastMember         = fault.New(fault.Forbidden, "last_member", "")
	NotAuthorized      = fault.New(fault.Forbidden, "not_authorized", "")
	NotAdmin           = fault.New(fault.Forbidden, "not_admin", "Only an admin of the workspace may do this.")

	NameRequired    = fault.New(fault.Invalid, "invalid_name_required", "")
	NameTooLong     = fault.New(fault.Invalid, "invalid_name_maxlength", "")
	NameSpecials    = fault.New(fault.Invalid, "invalid_name_specials", "")
	NamePunctuation = fault.New(fault.Invalid, "invalid_name_punctuation", "")
	NameTaken       = fault.New(fault.Conflict, "name_taken", "")
	TooLong         = fault.New(fault.Invalid, "too_long", "")

	NoText          = fault.New(fault.Invalid, "no_text", "")
	MessageTooLong  = fault.New(fault.Invalid, "msg_too_long", "")
	MarkdownTwice   = fault.New(fault.Invalid, "markdown_text_conflict", "")
	CannotUpdate    = fault.New(fault.Forbidden, "cant_update_message", "")
	CannotDelete    = fault.New(fault.Forbidden, "cant_delete_message", "")
	InactiveChannel = fault.New(fault.Conflict, "is_inactive", "")
	CannotBroadcast = fault.New(fault.Invalid, "cant_broadcast_message", "")
	// BroadcastAndContent refuses an update that both broadcasts a reply and changes
	// its content.
	BroadcastAndContent = fault.New(fault.Invalid, "no_dual_broadcast_content_update", "")
	CannotDMBot         = fault.New(fault.Forbidden, "cannot_dm_bot", "")
	UserDisabled        = fault.New(fault.Forbidden, "user_disabled", "")

	UsersNotSupplied = fault.New(fault.Invalid, "users_list_not_supplied", "")
	TooManyUsers     = fault.New(fault.Invalid, "too_many_users", "")
	NoUser           = fault.New(fault.Invalid, "no_user", "")

	AlreadyReacted  = fault.New(fault.Conflict, "already_reacted", "")
	NoReaction      = fault.New(fault.NotFound, "no_reaction", "")
	BadEmojiName    = fault.New(fault.Invalid, "invalid_name", "")
	TooManyReaction = fault.New(fault.Forbidden, "too_many_reactions", "")
	TooManyEmoji    = fault.New(fault.Forbidden, "too_many_emoji", "")

	InvalidProfile  = fault.New(fault.Invalid, "invalid_profile", "")
	NotEmojiSyntax  = fault.New(fault.Invalid, "profile_status_set_failed_not_emoji_syntax", "")
	UnknownEmoji    = fault.New(fault.Invalid, "profile_status_set_failed_not_valid_emoji", "")
	ReservedName    = fault.New(fault.Invalid, "reserved_name", "")
	InvalidPresence = fault.New(fault.Invalid, "invalid_presence", "")
	NoQuery         = fault.New(fault.Invalid, "no_query", "")
	InvalidCursor   = fault.New(fault.Invalid, "invalid_cursor", "")
	AccountInactive = fault.New(fault.Unauthenticated, "account_inactive", "")

	WorkspaceNotFound = fault.New(fault.NotFound, "workspace_not_found", "There is no workspace with this id that you can see.")
	DomainTaken       = fault.New(fault.Conflict, "domain_taken", "Another workspace has this domain.")
	BadDomain         = fault.New(fault.Invalid, "invalid_domain", "A domain has 1 to 63 of a-z, 0-9 and -, and does not begin or end with -.")
	BadName           = fault.New(fault.Invalid, "invalid_name", "A name has 1 to 80 characters.")
	BadManifest       = fault.New(fault.Invalid, "invalid_manifest", "The manifest is not valid.")
	NotProvisioned    = fault.New(fault.Forbidden, "not_provisioned", "People created this workspace; only provisioned workspaces have credentials to show.")
	AppNotFound       = fault.New(fault.NotFound, "app_not_found", "There is no app with this id in the workspace.")
)
