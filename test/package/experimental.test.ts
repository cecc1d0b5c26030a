/** Checks that parts without a test with the real program or service are marked in types, help and pages. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AGENTS } from '../../packages/truecast/src/agents/registry/agents.ts';
import { EXPERIMENTAL_AGENT_NAMES } from '../../packages/truecast/src/agents/registry/agent-names.ts';

const ROOT = new URL('../../', import.meta.url);
const MARKED = ['CursorOptions', 'DaytonaOptions', 'VercelOptions', 'cursor', 'daytona', 'vercel'];

const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/** Names of the exported declarations whose docstring has the tag. */
function experimentalNames(path: string): string[] {
  return read(path)
    .split(/^(?=\/\*\*)/mu)
    .filter((part) => /^ \* @experimental \S/mu.test(part))
    .map((part) => /^export (?:function|interface) (\w+)/mu.exec(part)?.[1] ?? part);
}

it('the docstrings of cursor(), vercel() and daytona() say so, and no others', () => {
  const files = globSync('packages/*/src/**/*.ts', { cwd: ROOT.pathname });
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap(experimentalNames).sort()).toEqual(MARKED);
});

it('the help and the question of `truecast init` say so', () => {
  expect(EXPERIMENTAL_AGENT_NAMES).toEqual(['cursor']);
  for (const [name, { hint }] of Object.entries(AGENTS)) {
    expect(hint.includes('experimental'), name).toBe(EXPERIMENTAL_AGENT_NAMES.some((one) => one === name));
  }
  expect(read('docs/cli.md')).toContain('cursor (experimental)');
});

it.each([
  ['docs/agents.md', /`cursor\(\)`.*experimental/u],
  ['docs/sandboxes.md', /`vercel\(\)`.*experimental/u],
  ['docs/sandboxes.md', /`daytona\(\)`.*experimental/u],
  ['docs/tested.md', /`cursor\(\)`.*experimental/u],
  ['docs/tested.md', /`vercel\(\)`, `daytona\(\)`.*experimental/u],
  ['VERSIONING.md', /`@experimental`: `cursor\(\)`, `vercel\(\)`, `daytona\(\)`/u],
])('%s says so', (path, row) => {
  expect(read(path)).toMatch(row);
});
