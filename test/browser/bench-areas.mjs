// Measures traces, worlds and the tracker where there is much: a session and a list of EVENTS (10,000) events, a list of
// ENVIRONMENTS (10,000), a team of ISSUES (500,000). bench.mjs writes the figures into docs/performance/web.md; alone it prints them.
import { startBrowser, startServer } from './server.mjs';

const number = (name, usual) => Number(process.env[name] ?? usual);
const { EVENTS, ENVIRONMENTS, ISSUES, ROUNDS, SECONDS } = {
  EVENTS: number('EVENTS', 10_000),
  ENVIRONMENTS: number('ENVIRONMENTS', 10_000),
  ISSUES: number('ISSUES', 500_000),
  ROUNDS: number('ROUNDS', 5),
  SECONDS: number('SECONDS', 8),
};
const many = (n) => n.toLocaleString('en');
const at = (list, share) => list.toSorted((a, b) => a - b)[Math.floor(list.length * share)] ?? Number.NaN;

async function post(url, key, body) {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const value = await reply.json();
  if (!reply.ok || value.errors) {
    throw new Error(`${url}: ${JSON.stringify(value).slice(0, 300)}`);
  }
  return value;
}

/** Fills a session with events, one in ten of which has children. */
async function fillSession({ ingest }, session) {
  const began = Date.now() - 60_000;
  const ids = Array.from({ length: EVENTS }, () => crypto.randomUUID());
  for (let first = 0; first < EVENTS; first += 500) {
    const events = ids.slice(first, first + 500).map((id, n) => ({
      event_id: id,
      session_id: session,
      parent_id: first + n === 0 ? null : ids[Math.floor((first + n - 1) / 10)],
      primitive_name: `step_${first + n}`,
      primitive_type: 'tool',
      args: `input ${first + n}`,
      result: `output ${first + n}`,
      success: (first + n) % 97 !== 5,
      latency: 5,
      timestamp: began + first + n,
    }));
    await post(`${ingest.base_url}/api/v1/capture-events`, ingest.api_key, { events });
  }
}

async function fillTeam({ tracker }) {
  const graph = (query) => post(`${tracker.base_url}/graphql`, tracker.api_key, { query }).then((r) => r.data);
  const { teams } = await graph('{ teams(first: 1, filter: {key: {eq: "WEB"}}) { nodes { id } } }');
  const team = teams.nodes[0].id;
  let made = 0;
  const batch = async () => {
    while (made < ISSUES) {
      const first = made;
      made += 50;
      const issues = Array.from({ length: 50 }, (_, n) => `{teamId: "${team}", title: "Much ${first + n}", priority: ${n % 5}}`);
      await graph(`mutation { issueBatchCreate(input: {issues: [${issues}]}) { success } }`);
    }
  };
  await Promise.all([batch(), batch(), batch(), batch()]);
}

async function fillWorlds(server) {
  const key = server.credentials.admin.key;
  await post(`${server.origin}/admin/v1/environments`, key, { id: 'parent', ephemeral: true });
  for (let left = ENVIRONMENTS; left > 0; left -= 1000) {
    await post(`${server.origin}/admin/v1/environments/parent/fork`, key, { count: Math.min(left, 1000), ephemeral: true });
  }
}

/** Scrolls a box for some seconds, 600 px a frame, and returns how the frames went. */
const scroll = (page, selector, seconds) =>
  page.evaluate(
    ([selector, seconds]) =>
      new Promise((resolve) => {
        const box = document.querySelector(selector);
        const frames = [];
        let last = performance.now();
        let most = 0;
        let step = 600;
        const end = last + seconds * 1000;
        const draw = (now) => {
          frames.push(now - last);
          last = now;
          most = Math.max(most, document.querySelectorAll('*').length);
          const before = box.scrollTop;
          box.scrollBy(0, step);
          step = box.scrollTop === before ? -step : step; // at its end it turns
          if (now < end) {
            requestAnimationFrame(draw);
          } else {
            resolve({ frames: frames.slice(1), most, heap: performance.memory?.usedJSHeapSize ?? Number.NaN });
          }
        };
        requestAnimationFrame(draw);
      }),
    [selector, seconds],
  );

/** Measures the areas; add takes a name, a budget, a figure, its unit and its decimal places. */
export async function measureAreas(server, browser, add) {
  const session = crypto.randomUUID();
  console.log(`making ${many(EVENTS)} events, ${many(ENVIRONMENTS)} environments, ${many(ISSUES)} issues`);
  await fillSession(server.credentials, session);
  await fillWorlds(server);
  await fillTeam(server.credentials);
  const key = `#key=${server.credentials.admin.key}`;
  const open = async (path, row) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', reducedMotion: 'reduce' });
    const page = await context.newPage();
    const began = performance.now();
    await page.goto(`${server.ui}${path}${key}`);
    await page.getByRole('row', { name: row }).first().waitFor();
    return { page, took: performance.now() - began };
  };
  const screens = [
    [`a session of ${many(EVENTS)} events`, `e/default/traces/sessions/${session}`, /^step_\d+/, '.trace'],
    [`the list of ${many(EVENTS)} events`, 'e/default/traces/events', /step_\d+/, '.table-box'],
    [`the list of ${many(ENVIRONMENTS)} environments`, 'worlds', /\w/, '.table-box'],
    [`a team of ${many(ISSUES)} issues`, 'e/default/tracker/WEB/list', /Much \d+/, '.issues'],
  ];
  for (const [what, path, row, box] of screens) {
    const times = [];
    for (let i = 0; i < ROUNDS; i++) {
      const { page, took } = await open(path, row);
      times.push(took);
      await page.context().close();
    }
    add(`${what}: usable, cold, p50`, 1000, at(times, 0.5), 'ms');
    const { page } = await open(path, row);
    if (/session/.test(what)) {
      await page.getByRole('button', { name: 'Expand all' }).click();
    }
    const selector = await page.evaluate((list) => list.split(', ').find((s) => document.querySelector(s)), box);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    const busy = async () => (await cdp.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000;
    const before = await busy();
    const { frames, most, heap } = await scroll(page, selector, SECONDS);
    const each = ((await busy()) - before) / frames.length;
    add('scrolling it, 600 px a frame', '≥ 55', (frames.length * 1000) / frames.reduce((a, b) => a + b, 0), 'fps', 1);
    add('the same, p95 of a frame', 20, at(frames, 0.95), 'ms', 1);
    add('the same, longest frame', 100, Math.max(...frames), 'ms', 1);
    add("the same, processor time of the page's thread for a frame", 16.7, each, 'ms', 1);
    add('the same, DOM nodes', 3000, most, '');
    add('the same, JavaScript heap', 150, heap / 1e6, 'MB', 1);
    await page.context().close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const [server, browser] = await Promise.all([startServer('--fixture', 'demo', '--rate-limits', 'off'), startBrowser()]);
  try {
    await measureAreas(server, browser, (what, budget, value, unit, digits = 0) =>
      console.log(`${what}: ${value.toFixed(digits)} ${unit} (budget ${budget})`),
    );
  } finally {
    await browser.close();
    await server.stop();
  }
}
