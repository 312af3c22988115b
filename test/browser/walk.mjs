// The way from a failed run to its cause that docs/ui.md shows: a test walks it, and `make screenshots` takes its pictures.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const agent = join(import.meta.dirname, '..', '..', 'docs', 'demo', 'agent.mjs');

/** Plays sessions of the scripted agent in a world, and returns what it says of them. */
export async function play(credentials, sessions) {
  const { stdout } = await promisify(execFile)(process.execPath, [agent, credentials, String(sessions)], { timeout: 300_000 });
  return stdout;
}

export const details = (page) => page.getByRole('complementary', { name: 'Event details' });

/** The four steps, each with the name of its picture. */
export const steps = [
  [
    'ui-errors',
    async (page, traces) => {
      await page.goto(traces);
      const error = page.getByRole('table', { name: 'Top errors' }).getByRole('row').filter({ hasText: 'post_update' });
      await error.scrollIntoViewIfNeeded();
    },
  ],
  [
    'ui-trace',
    async (page) => {
      const error = page.getByRole('table', { name: 'Top errors' }).getByRole('row').filter({ hasText: 'post_update' });
      await error.getByRole('link', { name: /^Open the latest/ }).click();
      await details(page).getByText('"channel_not_found"').waitFor();
    },
  ],
  [
    'ui-input',
    async (page) => {
      await details(page).getByRole('tab', { name: 'Input' }).click();
      await details(page).getByText('"support-escalations"').waitFor();
    },
  ],
  [
    'ui-effects',
    async (page) => {
      await page.getByRole('row', { name: /^create_issue,/ }).click();
      await details(page).getByRole('tab', { name: 'Effects' }).click();
      await details(page).getByText('tracker issue').waitFor();
    },
  ],
];
