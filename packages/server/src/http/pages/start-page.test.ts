/** The page at `/` of a server without the console. */
import { expect, it } from 'vitest';
import { startPage } from './start-page.ts';

it('has no script, and names the build of the console and the API in about a kilobyte', () => {
  const page = startPage();
  expect(page).not.toContain('<script');
  expect(page).toContain('npm run build');
  expect(page).toContain('createChatServer({ console: true })');
  expect(page).toContain('href="docs"');
  expect(page.length).toBeLessThan(1_024);
});
