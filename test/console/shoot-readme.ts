/** Pictures of README and of the site, `docs/images/console-*.png`: a valid answer, wide and for a phone, in both themes. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { signIn, watchPage, type ConsoleServer } from './console-fixture.ts';

/** Transitions last up to 420 ms. */
const SETTLED_MS = 600;
const PICTURES = {
  console: { viewport: { width: 1440, height: 500 }, deviceScaleFactor: 1 },
  'console-narrow': { viewport: { width: 390, height: 500 }, deviceScaleFactor: 2 },
} as const;

/** Writes the pictures to `folder`. The newest chat of the server has to have a valid answer. */
export async function shootReadme(browser: Browser, server: ConsoleServer, folder: string): Promise<void> {
  for (const [name, look] of Object.entries(PICTURES)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await watchPage(browser, server, { ...look, colorScheme });
      await signIn(page, server);
      await page.goto(`${server.url}/chats`);
      await page.locator('ol a').first().click();
      await page.locator('[data-state=valid]').first().waitFor();
      await page.locator('[data-state=valid]').first().scrollIntoViewIfNeeded();
      await page.waitForTimeout(SETTLED_MS);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
      await page.context().close();
    }
  }
}
