/** Reads a folder of manifests from disk, or single manifests. Loads the YAML parser when called. */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { ManifestError, type ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { isAllowedFile } from '@truecast/host/internal/allowed-files';
import type { CompleteManifest } from './agent-manifest.ts';
import type { KnownCode } from './judge-agent.ts';
import type { Environment, ModelsManifest } from './models-manifest.ts';
import type { EnsembleContext, EnsembleFolder } from './read-ensemble.ts';
import type { ManifestText } from './read-fields.ts';

const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

/**
 * Loads `agents/*.yaml`, `scenarios/*.yaml` and `models.yaml` of a folder and validates them
 * together.
 *
 * Files with other extensions than `.yaml` and `.yml` are ignored.
 *
 * @throws UsageError `invalid-option` when `folder` cannot be read
 * @throws ManifestError `invalid-manifest` with every problem of every file, each by line and
 *   column
 * @example
 * ```ts
 * const { scenarios } = await loadEnsemble('ensembles');
 * console.log([...scenarios.keys()]);
 * ```
 */
export async function loadEnsemble(folder: string, context: EnsembleContext = {}): Promise<EnsembleFolder> {
  const { found, problems } = await inspectEnsemble(folder, context);
  if (problems.length > 0) throw new ManifestError(problems);
  return found;
}

/** The manifests of a folder that could be read, and the problems of all. */
export interface InspectedEnsemble {
  /** With problems, its manifests can contradict each other. */
  readonly found: EnsembleFolder;
  readonly problems: readonly ManifestProblem[];
}

/**
 * Reads a folder as `loadEnsemble()` does, and returns its problems beside what could be read.
 *
 * @throws UsageError `invalid-option` when `folder` cannot be read
 */
export async function inspectEnsemble(folder: string, context: EnsembleContext): Promise<InspectedEnsemble> {
  assertKind(folder, 'a string', 'folder', 'Pass the path of a folder with `agents` and `scenarios`.');
  assertKind(context, 'an object', 'context', 'Pass `{ env, handlers }`, or leave it out.');
  const { env = process.env } = context;
  assertKind(env, 'an object', 'env', 'Pass `process.env`, or leave it out.');
  const names = await list(folder);
  if (names === undefined) {
    throw new UsageError(
      `Expected a folder with \`agents\` and \`scenarios\`, got ${describeValue(folder)}. Check the path.`,
    );
  }
  const broken: ManifestProblem[] = [];
  const read = (paths: readonly string[]): Promise<ManifestText[]> => readTexts(paths, broken);
  const agents = await read(await yamlFiles(join(folder, 'agents')));
  const scenarios = await read(await yamlFiles(join(folder, 'scenarios')));
  const [model, ...others] = await read(
    names.filter((name) => /^models\.ya?ml$/u.test(name)).map((name) => join(folder, name)),
  );
  if (scenarios.length === 0) {
    broken.push(
      problemOf(join(folder, 'scenarios'), 'There is no scenario in this folder: expected a `.yaml` file.'),
    );
  }
  for (const { file } of others) broken.push(problemOf(file, '`models.yaml` already defines models.'));
  const { readEnsemble } = await import('./read-ensemble.ts');
  const models = model && { ...model, isAllowed: isAllowedFile(model.file, model.text) };
  const result = readEnsemble(
    { agents, scenarios, ...(models !== undefined && { models }) },
    { ...context, env },
  );
  return result.success
    ? { found: result.ensemble, problems: broken }
    : { found: result.found, problems: [...broken, ...result.problems] };
}

/**
 * Parses an agent manifest.
 *
 * @param file - name of the text in problems, such as a path
 * @throws ManifestError `invalid-manifest` with every problem, each by line and column
 * @example
 * ```ts
 * const ada = await parseAgentManifest(text, 'agents/ada.yaml');
 * console.log(ada.mayEmit);
 * ```
 * @public
 */
export async function parseAgentManifest(
  text: string,
  file: string,
  known: KnownCode = {},
): Promise<CompleteManifest> {
  assertKind(text, 'a string', 'text', 'Pass the YAML text of the manifest.');
  assertKind(file, 'a string', 'file', 'Pass the name of the text in problems, such as its path.');
  assertKind(known, 'an object', 'known', 'Pass `{ handlers }`, or leave it out.');
  const { readAgentManifest } = await import('./agent-fields.ts');
  const { manifest, problems } = readAgentManifest({ text, file }, known);
  if (manifest === undefined || problems.length > 0) throw new ManifestError(problems);
  return manifest;
}

/** Parses `models.yaml` at the path `file`. @throws ManifestError with every problem */
export async function parseModelsManifest(
  text: string,
  file: string,
  env: Environment,
): Promise<ModelsManifest> {
  const { readModelsManifest } = await import('./models-manifest.ts');
  const variables = { env, isAllowed: isAllowedFile(file, text) };
  const { manifest, problems } = readModelsManifest({ text, file }, variables);
  if (manifest === undefined || problems.length > 0) throw new ManifestError(problems);
  return manifest;
}

/** Returns the value of a YAML text, or undefined for wrong syntax. */
export async function yamlValue(text: string): Promise<unknown> {
  const { readYaml } = await import('./yaml-source.ts');
  return readYaml(text, 'the file').source?.value;
}

/** Returns the entries of a folder, sorted by name. Empty if the folder does not exist. */
async function list(folder: string): Promise<string[] | undefined> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      ['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(String(error.code))
    ) {
      return undefined;
    }
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
      texts.push({ file, text: new TextDecoder('utf-8', { fatal: true }).decode(await readManifest(file)) });
    } catch (error) {
      const reason = error instanceof TypeError ? 'it is not UTF-8' : String(error);
      broken.push(problemOf(file, `The file cannot be read: ${reason}.`));
    }
  }
  return texts;
}

/** A repository can contain links, pipes and devices. They are not followed or opened. */
async function readManifest(path: string): Promise<Buffer> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const found = await file.stat();
  if (found.isFile() && found.size <= MAX_MANIFEST_BYTES) return await file.readFile();
  throw new UsageError(`expected a regular file of at most ${MAX_MANIFEST_BYTES} bytes`);
}

function problemOf(file: string, message: string): ManifestProblem {
  return { file, line: 1, column: 1, path: [], message };
}
