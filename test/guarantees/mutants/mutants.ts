/** Mutants: patches that remove one guarantee on one route, and the trial of each on a copy of the sources. */
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { CELLS } from '../table/cells.ts';
import { ROUTES, type GuaranteeId, type Route } from '../table/guarantees.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A patch, named `<guarantee>-<route>.patch`, with `-` for the `/` of a route. */
export interface Mutant {
  readonly name: string;
  readonly path: string;
  readonly id: GuaranteeId;
  readonly route: Route;
}

/** What a trial found. Only `killed` is right. */
export type Verdict = 'killed' | 'survived' | 'does not apply' | 'did not run';

/** Returns all mutants. @throws RangeError for a name that is not of a held cell */
export function listMutants(): readonly Mutant[] {
  return globSync('*.patch', { cwd: import.meta.dirname })
    .toSorted()
    .map(toMutant);
}

function toMutant(file: string): Mutant {
  const name = basename(file, '.patch');
  const [guarantee = '', ...rest] = name.split('-');
  const id = Object.keys(CELLS).find((each) => each.toLowerCase() === guarantee);
  const route = ROUTES.find((each) => each.replace('/', '-') === rest.join('-'));
  if (id === undefined || route === undefined) throw new RangeError(`${file} names no guarantee and route.`);
  // An id of the table, as found above.
  const cell = CELLS[id as GuaranteeId][route];
  if (!('held' in cell)) throw new RangeError(`${file} is of a cell that is not held.`);
  return { name, path: join(import.meta.dirname, file), id: id as GuaranteeId, route };
}

/** Returns true if the patch applies to the sources as they are. */
export async function applies(mutant: Mutant, cwd: string = ROOT): Promise<boolean> {
  const { exitCode } = await execa('git', ['apply', '--check', mutant.path], { cwd, reject: false });
  return exitCode === 0;
}

/** Returns true if the patches apply to the sources one after the other. */
export async function applyTogether(mutants: readonly Mutant[]): Promise<boolean> {
  const paths = mutants.map(({ path }) => path);
  const { exitCode } = await execa('git', ['apply', '--check', ...paths], { cwd: ROOT, reject: false });
  return exitCode === 0;
}

/** A copy of the sources of HEAD, in which mutants are tried. */
export interface SourceCopy extends AsyncDisposable {
  readonly folder: string;
  try(mutant: Mutant): Promise<Verdict>;
  /** Returns the names of the mutants whose tests fail without them. */
  failWithout(mutants: readonly Mutant[]): Promise<readonly string[]>;
}

/** Makes the copy: a worktree of git, whose `node_modules` has links to the packages of this one. */
export async function copySources(): Promise<SourceCopy> {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-mutants-')));
  const folder = join(parent, 'sources');
  await execa('git', ['worktree', 'add', '--detach', '--quiet', folder, 'HEAD'], { cwd: ROOT });
  linkModules(folder);
  const run = async (mutants: readonly Mutant[]): Promise<Results> => runTests(folder, mutants);
  return {
    folder,
    async try(mutant) {
      if (!(await applies(mutant, folder))) return 'does not apply';
      await execa('git', ['apply', mutant.path], { cwd: folder });
      try {
        const status = (await run([mutant])).get(mutant.name);
        if (status === undefined) return 'did not run';
        return status === 'failed' ? 'killed' : 'survived';
      } finally {
        await execa('git', ['apply', '--reverse', mutant.path], { cwd: folder });
      }
    },
    async failWithout(mutants) {
      const results = await run(mutants);
      return mutants.filter(({ name }) => results.get(name) !== 'passed').map(({ name }) => name);
    },
    async [Symbol.asyncDispose]() {
      await execa('git', ['worktree', 'remove', '--force', folder], { cwd: ROOT, reject: false });
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** The workspaces are links into the copy. Links to the originals would bypass each mutant. */
function linkModules(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@truecast'), { recursive: true });
  const others = readdirSync(join(ROOT, 'node_modules')).filter(
    (name) => !['@truecast', 'truecast', '.cache'].includes(name) && !name.startsWith('.vite'),
  );
  for (const name of others) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  symlinkSync(join(folder, 'packages/truecast'), join(modules, 'truecast'));
  for (const name of readdirSync(join(ROOT, 'node_modules/@truecast'))) {
    symlinkSync(join(folder, 'packages', name), join(modules, '@truecast', name));
  }
}

type Results = ReadonlyMap<string, string>;

const reportSchema = z.object({
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ title: z.string(), status: z.string() })) }),
  ),
});

/** Runs the tests of the mutants' cells once, and returns the status of each. */
async function runTests(folder: string, mutants: readonly Mutant[]): Promise<Results> {
  const report = join(folder, 'node_modules', 'report.json');
  rmSync(report, { force: true });
  const files = [...new Set(mutants.map(({ id }) => `test/guarantees/${id.toLowerCase()}-`))];
  const names = mutants.map(titleStart).join('|');
  const options = [
    '--project',
    'quick',
    '--project',
    'long',
    '--maxWorkers',
    '2',
    '--retry',
    '0',
    '--testNamePattern',
    names,
  ];
  await execa(
    join(ROOT, 'node_modules/.bin/vitest'),
    ['run', ...files, ...options, '--reporter', 'json', '--outputFile', report],
    {
      cwd: folder,
      reject: false,
      // The source of the command, because a mutant changes no build. The short form has no test of each cell.
      env: {
        TRUECAST_MATRIX: 'whole',
        TRUECAST_COMMAND: 'source',
        TRUECAST_TEST_BUILD: '',
        TRUECAST_TEST_POSTGRES: '',
      },
    },
  );
  const { testResults } = reportSchema.parse(JSON.parse(readFileSync(report, 'utf8')));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return new Map(
    mutants.flatMap((mutant) => {
      const found = tests.find(({ title }) => title.startsWith(titleStart(mutant)));
      return found === undefined ? [] : [[mutant.name, found.status] as const];
    }),
  );
}

const titleStart = ({ id, route }: Mutant): string => `${id} ${route}: `;
