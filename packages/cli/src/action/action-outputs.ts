/** Outputs of the step `agent`: the value, its file, the patch, and facts about the run. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import { GIT_TIMEOUT_MS, git, gitFailed } from 'truecast/internal/git/command/git';
import { openRepository, pathsOf } from 'truecast/internal/git/repository/repository';
import type { ActionReport } from './action-report.ts';
import type { Annotation, Runner } from './runner.ts';

/** Outputs that a key of the value cannot replace. */
const RESERVED = new Set(['file']);
const OUTPUT_KEY = /^[A-Za-z_][\w-]{0,99}$/u;

/** Where the outputs are written. */
export interface OutputPlace {
  readonly runner: Runner;
  /** Folder for files. @default the folder for temporary files */
  readonly folder: string | undefined;
  /** The repository. @default the current folder */
  readonly cwd: string | undefined;
}

/** Writes every output. Returns annotations about them. */
export async function writeOutputs(
  report: ActionReport,
  { runner, folder, cwd }: OutputPlace,
): Promise<readonly Annotation[]> {
  // Created after the run, so that no agent knows it.
  const files = await mkdtemp(join(folder ?? tmpdir(), 'truecast-'));
  await runner.output('status', report.status);
  const patch = await writePatch(report, join(files, 'work.patch'), cwd);
  const facts: Readonly<Record<string, string | undefined>> = {
    branch: report.branch,
    commits: JSON.stringify(report.commits),
    'patch-file': patch,
    attempts: String(report.attempts.length),
    'cost-usd': report.costUsd === undefined ? undefined : String(report.costUsd),
    'log-file': report.logFile,
    sandbox: report.sandbox,
  };
  for (const [name, text] of Object.entries(facts)) if (text !== undefined) await runner.output(name, text);
  return report.value === undefined ? [] : writeValue(report.value, join(files, 'value.json'), runner);
}

async function writeValue(value: unknown, path: string, runner: Runner): Promise<readonly Annotation[]> {
  const json = jsonText(value);
  await writeFile(path, json);
  await runner.output('value-file', path);
  const isWritten = await runner.output('value', json);
  for (const [key, each] of isRecord(value) ? Object.entries(value) : []) {
    const isScalar = each === null || ['string', 'number', 'boolean'].includes(typeof each);
    if (isScalar && OUTPUT_KEY.test(key) && !RESERVED.has(key)) {
      await runner.output(`value-${key}`, String(each));
    }
  }
  if (isWritten) return [];
  const message = `The value has ${Buffer.byteLength(json)} bytes, and an output at most 1 MiB. It is only in the file of the output value-file.`;
  return [{ level: 'notice', title: 'The value is in a file', message }];
}

/** Returns canonical JSON. A value that has none, such as one with half of a surrogate pair, is plain JSON. */
function jsonText(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null';
  const parsed = parseJson(json);
  if (!parsed.success) return json;
  try {
    return canonicalJson(parsed.value);
  } catch {
    return json;
  }
}

/** Writes the changes of the branch. Returns undefined without commits. */
async function writePatch(
  { branch, commits }: ActionReport,
  path: string,
  cwd = '.',
): Promise<string | undefined> {
  if (branch === undefined || commits.length === 0) return undefined;
  const repository = await openRepository(cwd, { timeoutMs: GIT_TIMEOUT_MS });
  const range = `HEAD...refs/heads/${branch}`;
  const args = ['diff', '--binary', '--full-index', '--no-color', '--no-ext-diff', '--no-textconv'];
  // Git writes the file: a patch can have bytes that are not UTF-8.
  const call = { cwd: repository.topLevel, paths: pathsOf(repository), timeoutMs: GIT_TIMEOUT_MS };
  const written = await git([...args, '--no-renames', `--output=${path}`, range, '--'], call);
  if (written.exitCode !== 0) throw gitFailed(args, written, repository.topLevel);
  return path;
}
