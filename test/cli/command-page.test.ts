/**
 * Checks docs/cli.md, docs/cli-server.md and docs/cli-ensemble.md against the commands and their flags.
 *
 * This test writes the files: `npx vitest run test/cli/command-page.test.ts -u`.
 */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../packages/cli/src/commands.ts';
import { commandPages } from './command-page.ts';

test('the pages of docs/ describe each command and flag', async () => {
  const pages = await commandPages();
  const text = Object.values(pages).join('');
  for (const name of Object.keys(COMMANDS)) expect(text.split(`\n## ${name}\n`), name).toHaveLength(2);
  for (const [file, page] of Object.entries(pages)) {
    await expect(page).toMatchFileSnapshot(fileURLToPath(new URL(`../../docs/${file}`, import.meta.url)));
  }
});
