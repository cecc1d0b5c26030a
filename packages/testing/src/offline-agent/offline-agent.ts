#!/usr/bin/env node
/**
 * Offline agent: a program that works in a git repository as a coding agent does, without a model,
 * account or network. It is started by path, also inside sandboxes, so it imports Node built-ins
 * only. All of its answers are computed.
 *
 * stdin: the prompt, which names a tag -> a new line in TRUECAST.md -> a commit -> stdout:
 * progress, then `<tag>{"commit", "filesTracked", "largestFile": {"path", "bytes"}}</tag>`, as of
 * that commit.
 */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/**
 * The only file that it writes: at the root, with a recognizable name, so that it is easy to
 * delete.
 */
const NOTE_FILE = 'TRUECAST.md';
const NOTE_HEADER =
  '# Notes of the offline agent\n\nWritten by `truecast demo` and the like. Safe to delete.\n\n';

/** Enough for a listing of a million long paths. */
const MAX_GIT_OUTPUT_BYTES = 512 * 1024 * 1024;

const FALLBACK_IDENTITY = [
  '-c',
  'user.name=Truecast offline agent',
  '-c',
  'user.email=offline-agent@truecast.invalid',
];

/** `--demo PAUSE_MS` makes a mistake in the first answer, and pauses after each line. */
const DEMO_PAUSE_MS = process.argv[2] === '--demo' ? Number(process.argv[3] ?? 0) : undefined;
/** Part of the prompt of a retry in a fresh session. */
const PREVIOUS_ANSWER = 'Your previous answer was:';

interface TrackedFile {
  readonly path: string;
  readonly bytes: number;
}

interface Tracked {
  readonly count: number;
  /** Undefined if no tracked entry has a size. */
  readonly largest: TrackedFile | undefined;
}

await main();

async function main(): Promise<void> {
  const prompt = await text(process.stdin);
  const tag = tagNamedIn(prompt);
  const root = readGit('rev-parse', '--show-toplevel');
  process.chdir(root);
  const isCorrection = DEMO_PAUSE_MS !== undefined && prompt.includes(PREVIOUS_ANSWER);
  const commit = isCorrection ? readGit('rev-parse', 'HEAD') : surveyAndCommit(root);
  if (isCorrection) say('I see: the number of files must be a number. I correct that, and nothing else.');
  const after = trackedAt(commit);
  // In a demonstration, the first answer contains a number in words, a typical mistake of models.
  const hasSlip = DEMO_PAUSE_MS !== undefined && !isCorrection;
  const filesTracked = hasSlip ? `${after.count} files` : after.count;
  say(`<${tag}>\n${JSON.stringify({ commit, filesTracked, largestFile: after.largest })}\n</${tag}>`);
}

/** Writes and commits the note, and returns the commit. */
function surveyAndCommit(root: string): string {
  say(`Reading the repository at ${root}.`);
  const head = tryGit('rev-parse', '--short', '--verify', '--quiet', 'HEAD');
  const before: Tracked = head === undefined ? { count: 0, largest: undefined } : trackedAt('HEAD');
  say(`It tracks ${describe(before)}.`);
  say(`Writing ${NOTE_FILE}.`);
  writeNote(head === undefined ? 'no commit yet' : `${describe(before)}, at ${head}`);
  const commit = commitNote();
  say(`Committed ${NOTE_FILE} as ${commit.slice(0, 10)}.`);
  return commit;
}

/** The last complete tag in the prompt, else the last opening tag. */
function tagNamedIn(prompt: string): string {
  const names = [...prompt.matchAll(/<([A-Za-z_][A-Za-z0-9_.-]*)>/gu)].map((match) => match[1] ?? '');
  const name = names.findLast((each) => prompt.includes(`</${each}>`)) ?? names.at(-1);
  return name ?? fail('The prompt names no tag for the answer. Add one to it, such as <result>.');
}

function trackedAt(revision: string): Tracked {
  const entries = readGit('ls-tree', '-r', '-l', '-z', revision).split('\0').filter(Boolean);
  const files = entries.map(trackedFile).filter((file) => file !== undefined);
  const largest = files.reduce<TrackedFile | undefined>(
    (most, file) => (most === undefined || file.bytes > most.bytes ? file : most),
    undefined,
  );
  return { count: entries.length, largest };
}

/** Parses `<mode> <type> <object> <size>\t<path>`. A submodule has no size. */
function trackedFile(entry: string): TrackedFile | undefined {
  const [, bytes, path] = /^\S+ \S+ \S+ +(\d+)\t(.*)$/su.exec(entry) ?? [];
  return path === undefined ? undefined : { path, bytes: Number(bytes) };
}

function describe({ count, largest }: Tracked): string {
  const files = count === 1 ? '1 file' : `${count} files`;
  return largest === undefined
    ? files
    : `${files}; the largest is ${largest.path} with ${largest.bytes} bytes`;
}

function writeNote(seen: string): void {
  // A link with that name could redirect the write outside the repository.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
  try {
    const file = openSync(NOTE_FILE, flags, 0o644);
    const header = fstatSync(file).size === 0 ? NOTE_HEADER : '';
    writeSync(file, `${header}- ${new Date().toISOString()}: ${seen}.\n`);
    closeSync(file);
  } catch (error) {
    fail(`${NOTE_FILE} cannot be written: ${String(error)}`);
  }
}

function commitNote(): string {
  const isIdentified = ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'].every(
    (name) => tryGit('var', name) !== undefined,
  );
  const identity = isIdentified ? [] : FALLBACK_IDENTITY;
  readGit('add', '--force', '--', NOTE_FILE);
  // Disables signing, because no user can type a passphrase, and the user's hooks. Other staged
  // changes stay staged.
  const flags = [
    '--quiet',
    '--no-verify',
    '--no-gpg-sign',
    '--message',
    'docs: note what the repository holds',
  ];
  readGit(...identity, 'commit', ...flags, '--', NOTE_FILE);
  return readGit('rev-parse', 'HEAD');
}

/** Runs git and returns its stdout without the last newline. Exits if git fails. */
function readGit(...args: readonly string[]): string {
  const { status, stdout, stderr, error } = git(args);
  if (status !== 0) fail(`git ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
  return stdout.replace(/\n$/u, '');
}

/** The same, but returns undefined if git fails. */
function tryGit(...args: readonly string[]): string | undefined {
  const { status, stdout } = git(args);
  return status === 0 ? stdout.replace(/\n$/u, '') : undefined;
}

function git(args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync('git', args, { encoding: 'utf8', maxBuffer: MAX_GIT_OUTPUT_BYTES });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
  if (DEMO_PAUSE_MS !== undefined) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, DEMO_PAUSE_MS);
  }
}

function fail(message: string): never {
  process.stderr.write(`offline agent: ${message}\n`);
  process.exit(1);
}
