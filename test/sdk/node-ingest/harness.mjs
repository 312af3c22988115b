// A running server and the ways of reading what was recorded.
import { serve, sleep } from '../process.mjs';

export async function start() {
  const { credentials: { ingest, admin }, stop } = await serve();
  const read = async (path) => {
    const reply = await fetch(`${ingest.base_url}/api/v1/${path}`, { headers: { 'x-api-key': ingest.api_key } });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
  return {
    ...ingest,
    admin,
    read,
    // until asks again until check holds, for 10 seconds at most.
    async until(path, check) {
      for (let last, i = 0; ; i++) {
        last = await read(path);
        if (check(last)) return last;
        if (i === 200) throw new Error(`${path} never came to it: ${JSON.stringify(last)}`);
        await sleep(50);
      }
    },
    stop,
  };
}
