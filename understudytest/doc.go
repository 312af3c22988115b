// Package understudytest makes worlds for tests: a messaging workspace, a CRM
// portal, a tracker and an ingestion project that one test has for itself, with
// people who act and checks of what changed.
//
//	w := understudytest.New(t, understudytest.Fixture("demo"), understudytest.Seed(7))
//	question := w.Person("messaging/jon.abel").Say("#support", "Who is on call?")
//	runTheBot(w.Messaging.APIURL, w.Messaging.BotToken)
//	w.Expect(understudytest.Inserted("messaging.message").Where("thread_ts", question.TS).Contains("plain", "@tom.okafor"))
//	w.NothingElse()
//
// The first New starts a server in the process of the test. With
// UNDERSTUDY_ADMIN_URL and UNDERSTUDY_ADMIN_KEY it uses one that runs. Every
// method is one or two requests to the admin plane: what it does, the pages
// below docs describe.
//
// A request that is refused ends the test with t.Fatal. A check that does not
// hold fails it with t.Error and shows the evidence; the test goes on.
package understudytest
