// A slow machine, for hunting tests and pages that depend on timing: UNDERSTUDY_SLOW=6 npm test divides the speed of each
// page's processor by six and holds up every script, call and stream by up to 300 ms, before it is sent or before its
// answer comes. UNDERSTUDY_SLOW_SEED draws other delays.
const rate = Number(process.env.UNDERSTUDY_SLOW ?? 0);
const most = 300; // milliseconds

let state = Number(process.env.UNDERSTUDY_SLOW_SEED ?? 1);
/** Returns the next number from 0 to 1 of a sequence that the seed determines. */
function draw() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Holds up a request or its answer. An answer that goes on for ever, and one that is written once, is not held. */
async function hold(route) {
  const request = route.request();
  const late = draw() < 0.5;
  const ms = draw() * most;
  const read = request.method() === 'GET' && !/\/(stream|live|export)\b|socket\.io/.test(request.url());
  try {
    if (late && read) {
      const response = await route.fetch({ maxRedirects: 0 });
      await wait(ms);
      await route.fulfill({ response });
    } else {
      await wait(ms);
      await route.continue();
    }
  } catch {
    await route.abort('connectionfailed').catch(() => {}); // the server or the page is gone
  }
}

const sessions = new WeakMap();

/** Makes the pages of a context slow, where the environment asks for it. */
export async function slowDown(context) {
  if (!(rate > 1)) {
    return;
  }
  await context.route((url) => /\/assets\/|\/(admin|api|v1|graphql|e)\b/.test(url.pathname) || url.pathname.endsWith('/graphql'), hold);
  context.on('page', (page) => void throttle(page, rate));
}

async function throttle(page, by) {
  if (!sessions.has(page)) {
    sessions.set(page, page.context().newCDPSession(page));
  }
  const session = await sessions.get(page).catch(() => undefined);
  await session?.send('Emulation.setCPUThrottlingRate', { rate: by }).catch(() => {});
}

/** Does something of a test's own in a page, at full speed. */
export async function atFullSpeed(page, act) {
  if (!sessions.has(page)) {
    return act();
  }
  await throttle(page, 1);
  try {
    return await act();
  } finally {
    await throttle(page, rate);
  }
}
