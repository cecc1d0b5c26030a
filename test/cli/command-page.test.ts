/**
 * Checks docs/cli.md against the commands and their flags.
 *
 * This test writes the file: `npx vitest run test/cli/command-page.test.ts -u`.
 */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../packages/cli/src/commands.ts';
import { commandPage } from './command-page.ts';

test('docs/cli.md describes each command and flag', async () => {
  const page = await commandPage();
  for (const name of Object.keys(COMMANDS)) expect(page).toContain(`\n## ${name}\n`);
  await expect(page).toMatchFileSnapshot(fileURLToPath(new URL('../../docs/cli.md', import.meta.url)));
});
