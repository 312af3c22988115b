// Limits hold for tools as for everyone, and the model is told how long to wait.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TRANSPORTS, start } from './harness.mjs';

describe('limits', () => {
  let s;
  before(async () => { s = await start('--rate-limits', 'real'); });
  after(() => s.stop());

  for (const [i, transport] of TRANSPORTS.entries()) {
    it(`posting too fast over ${transport} says how many seconds to wait`, async () => {
      const bot = await s.tools(transport, 'messaging', s.credentials.messaging.bot_token);
      const { channel: { id } } = await s.method('conversations.create', { name: `fast-${i}` });
      let said;
      for (let n = 0; n < 40 && !said; n += 1) {
        const r = await bot.client.callTool({ name: 'msg_post_message', arguments: { channel_id: id, text: `${n}` } });
        if (r.isError) said = JSON.parse(r.content[0].text);
      }
      assert.equal(said?.error, 'ratelimited');
      assert.ok(said.retry_after >= 1);
      assert.ok(said.hint.includes(`${said.retry_after} second`), said.hint);
    });
  }

  it('the largest page of every tracker list fits under the cap on complexity', async () => {
    const tools = await s.tools('http', 'tracker', s.credentials.tracker.api_key);
    for (const name of ['list_teams', 'list_issues', 'list_projects']) assert.ok((await tools.call(name, { limit: 250 })).pageInfo, name);
  });

  it('calls of tools are recorded like any other', async () => {
    const { requests } = (await s.rest('GET', `${s.credentials.admin.base_url}/environments/default/requests?limit=200`, { token: s.credentials.admin.key })).body;
    assert.ok(requests.some((r) => r.path === '/api/chat.postMessage' && r.status === 429), 'refused posts are there');
  });
});
