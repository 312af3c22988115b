// A running server and the ways of reading what was recorded.
import { serve, sleep } from '../process.mjs';
import { witness } from '../witness.mjs';

/** Starts a server. The program sends to base_url; what it called is written down when the tests stop the server. */
export async function start(name, version) {
  const server = await serve();
  const { credentials: { ingest, admin }, stop } = server;
  const seen = await witness(server, { service: 'ingest', kind: 'official', name, version });
  const read = async (path) => {
    const reply = await fetch(`${ingest.base_url}/api/v1/${path}`, { headers: { 'x-api-key': ingest.api_key } });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
  return {
    ...ingest,
    base_url: seen.base_url,
    admin,
    read,
    // until asks again until check holds, for a minute at most.
    async until(path, check) {
      for (let last, i = 0; ; i++) {
        last = await read(path);
        if (check(last)) return last;
        if (i === 1200) throw new Error(`${path} never came to it: ${JSON.stringify(last)}`);
        await sleep(50);
      }
    },
    async stop() {
      await seen.done();
      await stop();
    },
  };
}
