package mcptools

// The results are the Web API's own replies; these schemas describe the members
// that a client can rely on.

const okOut = `{"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}}`

const nextOut = `"response_metadata":{"type":"object","description":"next_cursor is empty, or this is absent, at the end.",
	"properties":{"next_cursor":{"type":"string"}}}`

const messageOut = `{"type":"object","required":["ts"],"properties":{
	"type":{"type":"string"},
	"subtype":{"type":"string"},
	"ts":{"type":"string","description":"Names the message within its channel."},
	"user":{"type":"string","description":"Id of the author."},
	"bot_id":{"type":"string"},
	"text":{"type":"string"},
	"thread_ts":{"type":"string","description":"The ts of the thread's first message."},
	"reply_count":{"type":"integer"},
	"reactions":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"count":{"type":"integer"},
		"users":{"type":"array","items":{"type":"string"}}}}}}}`

const channelsOut = `{"type":"object","required":["ok","channels"],"properties":{
	"ok":{"type":"boolean"},
	"channels":{"type":"array","items":{"type":"object","required":["id"],"properties":{
		"id":{"type":"string"},"name":{"type":"string"},"is_member":{"type":"boolean"},"is_archived":{"type":"boolean"},
		"num_members":{"type":"integer"},
		"topic":{"type":"object","properties":{"value":{"type":"string"}}},
		"purpose":{"type":"object","properties":{"value":{"type":"string"}}}}}},
	` + nextOut + `}}`

const postedOut = `{"type":"object","required":["ok","channel","ts"],"properties":{
	"ok":{"type":"boolean"},
	"channel":{"type":"string","description":"Id of the channel that it was posted to."},
	"ts":{"type":"string","description":"Names the new message within its channel."},
	"message":` + messageOut + `}}`

const messagesOut = `{"type":"object","required":["ok","messages"],"properties":{
	"ok":{"type":"boolean"},
	"messages":{"type":"array","items":` + messageOut + `},
	"has_more":{"type":"boolean"},
	` + nextOut + `}}`

const usersOut = `{"type":"object","required":["ok","members"],"properties":{
	"ok":{"type":"boolean"},
	"members":{"type":"array","items":{"type":"object","required":["id"],"properties":{
		"id":{"type":"string"},"name":{"type":"string"},"real_name":{"type":"string"},"deleted":{"type":"boolean"},
		"is_bot":{"type":"boolean"},"is_admin":{"type":"boolean"},"tz":{"type":"string"},"profile":{"type":"object"}}}},
	` + nextOut + `}}`

const profileOut = `{"type":"object","required":["ok","profile"],"properties":{
	"ok":{"type":"boolean"},
	"profile":{"type":"object","properties":{"real_name":{"type":"string"},"display_name":{"type":"string"},"title":{"type":"string"},
		"email":{"type":"string"},"phone":{"type":"string"},"status_text":{"type":"string"},"status_emoji":{"type":"string"}}}}}`

const identityOut = `{"type":"object","required":["ok","user_id","team_id"],"properties":{
	"ok":{"type":"boolean"},"url":{"type":"string"},"team":{"type":"string"},"team_id":{"type":"string"},
	"user":{"type":"string"},"user_id":{"type":"string"},"bot_id":{"type":"string"}}}`

const searchOut = `{"type":"object","required":["ok","messages"],"properties":{
	"ok":{"type":"boolean"},"query":{"type":"string"},
	"messages":{"type":"object","required":["matches"],"properties":{
		"total":{"type":"integer"},
		"paging":{"type":"object","properties":{"count":{"type":"integer"},"total":{"type":"integer"},"page":{"type":"integer"},"pages":{"type":"integer"}}},
		"matches":{"type":"array","items":{"type":"object","required":["ts"],"properties":{
			"ts":{"type":"string"},"user":{"type":"string"},"username":{"type":"string"},"text":{"type":"string"},"permalink":{"type":"string"},
			"channel":{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}}}}}}}}}}`

const openedOut = `{"type":"object","required":["ok","channel"],"properties":{
	"ok":{"type":"boolean"},"already_open":{"type":"boolean"},
	"channel":{"type":"object","required":["id"],"properties":{"id":{"type":"string","description":"The channel_id to post to."}}}}}`
