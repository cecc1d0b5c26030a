/**
 * Runs the suites of real agent CLIs with the newest versions from npm, and writes the result to
 * `docs/tested.md`. Exits with 1 if a test failed, or a package has a new name.
 *
 * `npm run test:latest-agents [-- FOLDER]`: a folder keeps the installed versions for a second run.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { installNewest } from './install-newest.ts';
import { withTriedAgents, type TriedPackage, type TriedSuite } from './tested-table.ts';
import manifest from '../package.json' with { type: 'json' };

/** Suites that cover each CLI's command line, stream, sessions and answers, and our server as its model. */
const SUITES = [
  'claude-code',
  'codex',
  'copilot',
  'opencode-sessions',
  'pi-versions',
  'run-real-clis',
  'finalizer-real-clis',
  'acp-presets',
  'acp-real-clis',
  'acp-tools',
  'clis-on-our-wire',
] as const;
const ROOT: string = resolve(import.meta.dirname, '../../..');
const PAGE: string = join(ROOT, 'docs/tested.md');

const report = z.object({
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })) }),
  ),
});

const given = process.argv[2];
const folder =
  given === undefined ? await mkdtemp(join(tmpdir(), 'truecast-latest-agents-')) : resolve(given);
try {
  const packages = await installNewest(join(ROOT, 'test/agents'), folder, manifest.dependencies);
  for (const { name, tried } of packages) process.stdout.write(`${name} ${tried}\n`);
  const suites: TriedSuite[] = [];
  for (const suite of SUITES) suites.push(await runSuite(suite));
  const day = new Date().toISOString().slice(0, 10);
  await writeFile(PAGE, withTriedAgents(await readFile(PAGE, 'utf8'), { day, packages, suites }));
  process.exitCode = suites.some(({ failed }) => failed.length > 0) || packages.some(isLost) ? 1 : 0;
} finally {
  if (given === undefined) await rm(folder, { recursive: true, force: true });
}

function isLost({ notes, tried }: TriedPackage): boolean {
  return tried === 'none' || notes.some((note) => note.startsWith('renamed'));
}

async function runSuite(name: string): Promise<TriedSuite> {
  const file = join(folder, `${name}.json`);
  await execa(
    'npx',
    [
      'vitest',
      'run',
      '--project',
      'long',
      `test/agents/${name}.test.ts`,
      '--reporter=json',
      `--outputFile=${file}`,
    ],
    {
      cwd: ROOT,
      env: { TRUECAST_AGENTS_FOLDER: folder, CI: 'true' },
      reject: false,
      stdout: 'ignore',
      stderr: 'inherit',
    },
  );
  const results = await readFile(file, 'utf8').then(
    (text) => report.parse(JSON.parse(text)).testResults.flatMap(({ assertionResults }) => assertionResults),
    () => undefined,
  );
  const failed =
    results === undefined
      ? ['the suite did not start']
      : results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  const passed = results?.filter(({ status }) => status === 'passed').length ?? 0;
  process.stdout.write(`${name}: ${passed} passed, ${failed.length} failed\n`);
  return { name, passed, failed };
}
