/**
 * Screenshots of the built site (`node site/check/take-screenshots.ts FOLDER`): wide and narrow, light and
 * dark. A person or an agent looks at them before a change of the look is merged.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startBrowser } from '../../test/console/shared-browser.ts';
import { BASE } from '../prepare/prepare.ts';
import { serveSite } from './serve-site.ts';

const PAGES = {
  home: '/',
  start: '/first-answer/',
  run: '/run/',
  guarantees: '/guarantees/',
  error: '/errors/invalid-json/',
  missing: '/404.html',
};
const folder = resolve(process.argv[2] ?? 'screenshots');
mkdirSync(folder, { recursive: true });
await using server = await serveSite(join(import.meta.dirname, '../dist'), BASE);
const browser = await startBrowser();
try {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      for (const [name, path] of Object.entries(PAGES)) {
        await page.goto(server.url + path);
        const file = join(folder, `${name}-${viewport.width}-${colorScheme}.png`);
        await page.screenshot({ path: file, fullPage: name === 'home' });
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
}
