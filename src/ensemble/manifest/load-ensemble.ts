/** Owns reading a folder of manifests from the disk. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describeValue } from '../../errors/describe-value.ts';
import { ManifestError, type ManifestProblem } from '../../errors/manifest-error.ts';
import { UsageError } from '../../errors/usage-error.ts';
import {
  readEnsemble,
  type EnsembleFolder,
  type EnsembleContext,
  type ManifestText,
} from './read-ensemble.ts';

/**
 * Loads `agents/*.yaml`, `scenarios/*.yaml` and `models.yaml` of a folder, and judges them together.
 *
 * Files that do not end in `.yaml` or `.yml` are not read.
 *
 * @throws UsageError `invalid-option` when `folder` cannot be read
 * @throws ManifestError `invalid-manifest` with every problem of every file, each by line and column
 * @example
 * ```ts
 * const { scenarios } = await loadEnsemble('ensembles', { env: process.env });
 * console.log([...scenarios.keys()]);
 * ```
 */
export async function loadEnsemble(folder: string, context: EnsembleContext): Promise<EnsembleFolder> {
  const names = await list(folder);
  if (names === undefined)
    throw new UsageError(
      `Expected a folder with \`agents\` and \`scenarios\`, got ${describeValue(folder)}. Check the path.`,
    );
  const broken: ManifestProblem[] = [];
  const read = (paths: readonly string[]): Promise<ManifestText[]> => readTexts(paths, broken);
  const agents = await read(await yamlFiles(join(folder, 'agents')));
  const scenarios = await read(await yamlFiles(join(folder, 'scenarios')));
  const models = await read(
    names.filter((name) => /^models\.ya?ml$/u.test(name)).map((name) => join(folder, name)),
  );
  if (scenarios.length === 0)
    broken.push(problemOf(join(folder, 'scenarios'), 'There is no scenario here: expected a `.yaml` file.'));
  for (const { file } of models.slice(1))
    broken.push(problemOf(file, 'There are models in `models.yaml` already.'));
  const [model] = models;
  const result = readEnsemble({ agents, scenarios, ...(model !== undefined && { models: model }) }, context);
  if (!result.success) throw new ManifestError([...broken, ...result.problems]);
  if (broken.length > 0) throw new ManifestError(broken);
  return result.ensemble;
}

/** The entries of a folder in the order of their names, or nothing where there is none. */
async function list(folder: string): Promise<string[] | undefined> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      ['ENOENT', 'ENOTDIR', 'EACCES'].includes(String(error.code))
    )
      return undefined;
    throw error;
  }
}

async function yamlFiles(folder: string): Promise<string[]> {
  const names = (await list(folder)) ?? [];
  return names.filter((name) => /^[^.].*\.ya?ml$/u.test(basename(name))).map((name) => join(folder, name));
}

async function readTexts(paths: readonly string[], broken: ManifestProblem[]): Promise<ManifestText[]> {
  const texts: ManifestText[] = [];
  for (const file of paths) {
    try {
      texts.push({ file, text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file)) });
    } catch (error) {
      const reason = error instanceof TypeError ? 'it is not UTF-8' : String(error);
      broken.push(problemOf(file, `The file cannot be read: ${reason}.`));
    }
  }
  return texts;
}

function problemOf(file: string, message: string): ManifestProblem {
  return { file, line: 1, column: 1, path: [], message };
}
