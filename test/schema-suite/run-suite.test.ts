import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import type { DraftReport } from './run-draft.ts';

const RUN_SUITE = fileURLToPath(new URL('run-suite.ts', import.meta.url));

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Creates a folder with the suite's layout and returns its path. */
function makeSuite(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-suite-'));
  folders.push(folder);
  for (const [name, groups] of Object.entries(files)) {
    const path = join(folder, 'tests', name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, JSON.stringify(groups));
  }
  return folder;
}

/** A group with one value, which the suite declares valid. */
function group(schema: unknown, data: unknown = 1, valid = true): unknown {
  return { description: 'group', schema, tests: [{ description: 'test', data, valid }] };
}

async function runSuite(...args: readonly string[]): Promise<{ exitCode: number; reports: DraftReport[] }> {
  const { stdout, exitCode } = await execa(process.execPath, [RUN_SUITE, ...args, '--json'], {
    reject: false,
  });
  return { exitCode: exitCode ?? -1, reports: JSON.parse(stdout) as DraftReport[] }; // Printed by run-suite.ts, which types it.
}

describe('run-suite', () => {
  it('counts passed, failed and refused cases, and lists the last two', async () => {
    const folder = makeSuite({
      'draft2020-12/number.json': [
        group({ type: 'number' }),
        group({ type: 'string' }, 'a', false),
        group({ pattern: '(' }),
        group({ type: 'number' }, 'a', false),
      ],
    });
    const { exitCode, reports } = await runSuite(folder);
    expect(exitCode).toBe(1);
    const place = { file: 'number.json', group: 'group', test: 'test' };
    expect(reports).toEqual([
      {
        draft: '2020-12',
        passed: 2,
        failed: 1,
        refused: 1,
        remote: 0,
        misses: [
          { ...place, valid: false, outcome: 'wrong' },
          { ...place, valid: true, outcome: 'pattern' },
        ],
      },
    ]);
  });

  it('skips only schemas that need the suite’s server or a metaschema', async () => {
    const folder = makeSuite({
      'draft2020-12/ref.json': [
        group({ $ref: 'http://localhost:1234/integer.json' }),
        group({ $id: 'http://localhost:1234/base/', $ref: 'other.json' }),
        group({ items: { $ref: 'https://json-schema.org/draft/2020-12/schema' } }),
        group({ $schema: 'http://localhost:1234/own-dialect.json' }),
        group({ const: { $ref: 'http://localhost:1234/integer.json' } }, 1, false),
        group({
          $id: 'http://localhost:1234/root',
          $ref: 'leaf#here',
          $defs: { leaf: { $id: 'leaf', $defs: { here: { $anchor: 'here', type: 'number' } } } },
        }),
      ],
    });
    const { exitCode, reports } = await runSuite(folder);
    expect(exitCode).toBe(0);
    expect(reports).toMatchObject([{ passed: 2, failed: 0, refused: 0, remote: 4 }]);
  });

  it('reads each folder with its draft', async () => {
    const tuple = [group({ items: [{ type: 'string' }] }, [1], false)];
    const folder = makeSuite({ 'draft7/items.json': tuple, 'draft2020-12/items.json': tuple });
    const { reports } = await runSuite(folder);
    expect(reports).toMatchObject([
      { draft: '7', passed: 1 },
      { draft: '2020-12', passed: 0, refused: 1 },
    ]);
    expect((await runSuite(folder, '--draft', '7')).reports).toHaveLength(1);
  });

  it('runs optional cases on request only', async () => {
    const folder = makeSuite({
      'draft7/type.json': [group({})],
      'draft7/optional/format/date.json': [group({ format: 'date' }, '2026-02-30', false)],
    });
    expect((await runSuite(folder)).reports).toMatchObject([{ passed: 1 }]);
    expect((await runSuite(folder, '--optional')).reports).toMatchObject([{ passed: 2 }]);
  });

  it('prints its usage when the folder does not exist', async () => {
    const { exitCode, stderr } = await execa(process.execPath, [RUN_SUITE, tmpdir()], { reject: false });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('tests/draft2020-12');
  });
});
