/** Tests of what `npm run test:latest-agents` concludes from npm, and of the page that it writes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readPackageFacts } from './package-facts.ts';
import { withTriedAgents } from './tested-table.ts';

const NOW = new Date('2026-11-27T00:00:00Z');
const facts = (said: object) => readPackageFacts('@a/agent', JSON.stringify(said), NOW);

it('tries the newest version, then the three stable ones before it', () => {
  const versions = [
    '0.1.0',
    '0.8.0',
    '0.9.0',
    '1.0.0',
    '1.1.0',
    '1.2.0-beta.1',
    '1.2.0',
    '1.3.0',
    '2.0.0-next',
  ];
  expect(facts({ version: '1.3.0', versions })).toEqual({
    name: '@a/agent',
    newest: '1.3.0',
    candidates: ['1.3.0', '1.2.0', '1.1.0', '1.0.0'],
  });
  expect(facts({ version: '1.0.0', versions: '1.0.0' }).candidates).toEqual(['1.0.0']);
  expect(facts({ version: '1.0.0-rc.1', versions: ['1.0.0-rc.1'] }).candidates).toEqual(['1.0.0-rc.1']);
});

it('follows a deprecation to the package that it names', () => {
  const said = { version: '1.0.0', versions: ['1.0.0'] };
  expect(facts({ ...said, deprecated: 'Moved to @b/agent. @a/agent gets no updates.' }).successor).toBe(
    '@b/agent',
  );
  expect(facts({ ...said, deprecated: 'No longer maintained.' }).successor).toBeUndefined();
  expect(facts(said).successor).toBeUndefined();
});

it('says for how long a package was quiet, from a month and a half on', () => {
  const since = (day: string) =>
    facts({ version: '1.0.0', versions: ['1.0.0'], time: { '1.0.0': day } }).quietDays;
  expect(since('2026-09-01T00:00:00Z')).toBe(87);
  expect(since('2026-11-20T00:00:00Z')).toBeUndefined();
  expect(since('some day')).toBeUndefined();
});

const TRIED = {
  day: '2026-11-27',
  packages: [
    { name: '@b/agent', pinned: '1.0.0', tried: '1.3.0', notes: ['renamed: now `@b/agent`'] },
    { name: 'c', pinned: '2.0.0', tried: '2.0.0', notes: [] },
  ],
  suites: [
    { name: 'codex', passed: 3, failed: ['it works'] },
    { name: 'pi', passed: 2, failed: [] },
  ],
};

it('writes the table between its marks, with each failed test', () => {
  const page = 'before\n<!-- newest agents -->\nold\n<!-- end of newest agents -->\nafter\n';
  const written = withTriedAgents(page, TRIED);
  expect(written).toBe(`before
<!-- newest agents -->
\`npm run test:latest-agents\` on 2026-11-27: 5 tests of 2 suites passed, 1 failed.

| package | in CI | newest that installs | notes |
|---|---|---|---|
| \`@b/agent\` | 1.0.0 | 1.3.0 | renamed: now \`@b/agent\` |
| \`c\` | 2.0.0 | the same | – |

- \`codex\`: it works
<!-- end of newest agents -->
after
`);
  expect(withTriedAgents(written, TRIED)).toBe(written);
  expect(() => withTriedAgents('no marks', TRIED)).toThrow(/Add both lines/u);
});

it('has its marks in the page', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/tested.md'), 'utf8');
  expect(withTriedAgents(page, TRIED)).toContain('| `@b/agent` |');
});
