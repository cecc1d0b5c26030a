/** Mistakes that people make with the command: the exit code, and the last line on the screen. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/main.ts';
import type { CommandTerminal } from '../../packages/cli/src/terminal/print.ts';

const NUMBER = '{"type":"object","properties":{"answer":{"type":"number"}},"required":["answer"]}';
const ECHO = 'command:echo hi';
/** Flags of a run that would succeed. */
const RUN = ['run', '--cwd', 'repo', '--sandbox', 'none', '--agent', ECHO];
const ASK = ['run', '--cwd', 'repo', '--sandbox', 'none', 'Fix it'];

const FILES: Readonly<Record<string, string>> = {
  'number.json': NUMBER,
  'broken.json': '{\n  "type": object\n}',
  'list.json': '[1]',
  'wrong-type.json': '{"type":"nmuber"}',
  'pattern.json': '{"type":"string","pattern":"("}',
  'remote.json': '{"$ref":"https://schemas.invalid/x.json"}',
  'none.mjs': 'export const other = 1;\n',
  'text.txt': 'No answer here.',
  'broken.txt': '<result>{"answer": 1,}</result>',
  'wrong.txt': '<result>{"answer": "?"}</result>',
  'needs.md': 'Look at {{ISSUE}}.',
  'inputs.jsonl': '{"A": 1}\n{broken\n',
  'missing.jsonl': '{"B": 1}\n',
  'recording.jsonl': 'not a recording\n',
};

interface Mistake {
  readonly words: readonly string[];
  readonly exit: 1 | 2 | 3;
  /** Part of the last line of stderr, or of the line before it if that names the help. */
  readonly says: string;
  readonly stdin?: string;
}

const MISTAKES: Readonly<Record<string, Mistake>> = {
  'a schema file that does not exist': {
    words: ['check', 'gone.json'],
    exit: 2,
    says: 'got `gone.json`. Check the path',
  },
  'a schema that is not JSON': { words: ['check', 'broken.json'], exit: 2, says: 'at line 2, column 11' },
  'a schema that is a list': { words: ['check', 'list.json'], exit: 2, says: 'an object or a boolean' },
  'a wrong type in a schema': {
    words: ['extract', '--schema', 'wrong-type.json', 'text.txt'],
    exit: 2,
    says: '`type` to be one of null',
  },
  'a wrong pattern in a schema': {
    words: ['extract', '--schema', 'pattern.json', 'text.txt'],
    exit: 2,
    says: 'Unterminated group',
  },
  'a remote reference in a schema': {
    words: ['extract', '--schema', 'remote.json', 'text.txt'],
    exit: 2,
    says: 'points outside the schema',
  },
  'a module without that export': {
    words: ['check', './none.mjs#schema'],
    exit: 2,
    says: 'exports no schema named `schema`',
  },
  'an export that is no schema': {
    words: ['check', './none.mjs#other'],
    exit: 2,
    says: 'exports no schema named `other`',
  },
  'JSON on the command line that is broken': {
    words: ['check', '{"type":}'],
    exit: 2,
    says: 'The value of `--schema` is not valid JSON',
  },
  'an unknown provider': {
    words: ['check', 'number.json', '--for', 'opanai'],
    exit: 2,
    says: 'Did you mean `openai`?',
  },
  'no schema for check': { words: ['check'], exit: 2, says: "missing required argument 'schema'" },
  'a tag with a blank': { words: [...RUN, 'x', '--tag', 'the result'], exit: 2, says: '`--tag`' },
  'a tag in angle brackets': { words: [...RUN, 'x', '--tag', '<result>'], exit: 2, says: '`--tag`' },
  '--mode without a schema': { words: [...RUN, 'x', '--mode', 'mcp'], exit: 2, says: 'Pass `--schema`' },
  '--tag with --mode': {
    words: [...RUN, 'x', '--tag', 'r', '--schema', 'number.json', '--mode', 'native'],
    exit: 2,
    says: 'cannot be combined with `--mode native`',
  },
  '--mode with an agent without a schema mode': {
    words: [...RUN, 'x', '--schema', 'number.json', '--mode', 'native'],
    exit: 2,
    says: 'has no schema mode. Set `--tag`',
  },
  'an unknown mode': {
    words: [...RUN, 'x', '--mode', 'foo'],
    exit: 2,
    says: 'Allowed choices are native, mcp',
  },
  'the short name of an agent': {
    words: [...ASK, '--agent', 'claude'],
    exit: 2,
    says: 'Did you mean `claude-code`?',
  },
  'an unknown agent': {
    words: [...ASK, '--agent', 'gpt4'],
    exit: 2,
    says: 'to be one of claude-code, codex',
  },
  'an unknown agent of a transcript': {
    words: ['extract', '--tag', 'r', '--agent', 'nope', 'text.txt'],
    exit: 2,
    says: '`--agent` to be one of',
  },
  'an agent without a model after the colon': {
    words: [...ASK, '--agent', 'codex:'],
    exit: 2,
    says: '`codex:MODEL`',
  },
  'an agent that is not installed': {
    words: [...ASK, '--agent', 'codex'],
    exit: 2,
    says: 'npm install -g @openai/codex',
  },
  'no agent at all': { words: [...ASK], exit: 2, says: 'No agent is installed.' },
  'an agent without a command line': {
    words: [...ASK, '--agent', 'command'],
    exit: 2,
    says: 'needs a command line',
  },
  'an agent that fails': {
    words: [...ASK, '--agent', 'command:echo no API key >&2; exit 9'],
    exit: 1,
    says: 'exited with code 9: no API key.',
  },
  'an agent whose program is missing': {
    words: [...ASK, '--agent', 'command:no-such-program'],
    exit: 1,
    says: 'not found',
  },
  'a recording that is none': {
    words: [...ASK, '--agent', 'replay:recording.jsonl'],
    exit: 2,
    says: 'recording',
  },
  'a recording that does not exist': {
    words: [...ASK, '--agent', 'replay:gone.jsonl'],
    exit: 2,
    says: '`truecast run --record FILE`',
  },
  'no prompt': { words: [...RUN], exit: 2, says: 'The prompt is empty.' },
  'an empty prompt': { words: [...RUN, '  '], exit: 2, says: 'The prompt is empty.' },
  'two prompts': { words: [...RUN, 'one', '-p', 'two'], exit: 2, says: 'more than once' },
  'a prompt in two words': { words: [...RUN, 'Fix', 'it'], exit: 2, says: 'in quotes' },
  'a prompt file that does not exist': {
    words: [...RUN, '--prompt-file', 'gone.md'],
    exit: 2,
    says: '`--prompt-file` `gone.md` cannot be read',
  },
  'a missing argument of a template': {
    words: [...RUN, '--prompt-file', 'needs.md'],
    exit: 2,
    says: 'Add it to `--arg`',
  },
  'an argument without a value': {
    words: [...RUN, '--prompt-file', 'needs.md', '--arg', 'ISSUE'],
    exit: 2,
    says: '`--arg` to be KEY=VALUE',
  },
  'an argument without a template': {
    words: [...RUN, 'x', '--arg', 'ISSUE=1'],
    exit: 2,
    says: 'set `--prompt-file`',
  },
  'a misspelled flag': {
    words: [...RUN, 'x', '--shema', 'number.json'],
    exit: 2,
    says: 'Did you mean `--schema`?',
  },
  'a misspelled command': { words: ['rnu'], exit: 2, says: 'Did you mean `run`?' },
  'a misspelled group': { words: ['ensembel'], exit: 2, says: 'Did you mean `ensemble`?' },
  'retries that are no number': {
    words: [...RUN, 'x', '--max-corrections', 'two'],
    exit: 2,
    says: 'a whole number, 0 or greater',
  },
  'negative retries': { words: [...RUN, 'x', '--max-corrections', '-1'], exit: 2, says: 'whole number' },
  'a budget that is no number': {
    words: [...RUN, 'x', '--budget-usd', 'abc'],
    exit: 2,
    says: 'a positive number',
  },
  'a budget of money for an agent without costs': {
    words: [...RUN, 'x', '--budget-usd', '1'],
    exit: 2,
    says: 'Use `--budget-tokens`.',
  },
  'a budget of no requests': {
    words: [...RUN, 'x', '--budget-requests', '0'],
    exit: 2,
    says: '`--budget-requests`',
  },
  'a timeout in words': {
    words: [...RUN, 'x', '--timeout', 'soon'],
    exit: 2,
    says: 'such as 90, 90s, 5m or 2h',
  },
  'a timeout of nothing': {
    words: [...RUN, 'x', '--idle-timeout', '0'],
    exit: 2,
    says: 'such as 90, 90s, 5m or 2h',
  },
  'a period in unknown units': {
    words: ['report', '--since', '7x'],
    exit: 2,
    says: 'such as 30m, 24h, 7d or 2w',
  },
  'a share above 1': { words: ['report', '--min-first-try', '90'], exit: 2, says: 'from 0 to 1' },
  'quiet and verbose': {
    words: [...RUN, 'x', '--quiet', '--verbose'],
    exit: 2,
    says: "cannot be used with option '--quiet'",
  },
  'merge and head': { words: [...RUN, 'x', '--merge', '--head'], exit: 2, says: 'exclude each other' },
  'merge-check without merge': {
    words: [...RUN, 'x', '--merge-check', 'true'],
    exit: 2,
    says: 'needs `--merge`',
  },
  'head and a branch': {
    words: [...RUN, 'x', '--head', '--branch', 'b'],
    exit: 2,
    says: 'exclude each other',
  },
  'editable paths without head': {
    words: [...RUN, 'x', '--editable', '.vscode/'],
    exit: 2,
    says: '`--editable` needs `--head`',
  },
  'a session of an agent without sessions': {
    words: [...RUN, 'x', '--resume', 'abc'],
    exit: 2,
    says: '`--resume`',
  },
  'a folder without a repository': {
    words: ['run', '--sandbox', 'none', '--agent', ECHO, '--cwd', 'plain', 'x'],
    exit: 2,
    says: 'git init',
  },
  'a repository without a commit': {
    words: ['run', '--sandbox', 'none', '--agent', ECHO, '--cwd', 'empty-repo', 'x'],
    exit: 2,
    says: 'commit',
  },
  'a bare repository': {
    words: ['run', '--sandbox', 'none', '--agent', ECHO, '--cwd', 'bare.git', 'x'],
    exit: 2,
    says: 'bare',
  },
  'a file as the folder': {
    words: ['run', '--sandbox', 'none', '--agent', ECHO, '--cwd', 'text.txt', 'x'],
    exit: 2,
    says: 'text.txt',
  },
  'a folder that does not exist': {
    words: ['run', '--sandbox', 'none', '--agent', ECHO, '--cwd', 'gone', 'x'],
    exit: 2,
    says: 'gone',
  },
  'a branch that is checked out': { words: [...RUN, 'x', '--branch', 'main'], exit: 1, says: 'main' },
  'an invalid name of a branch': { words: [...RUN, 'x', '--branch', 'a..b'], exit: 2, says: 'a..b' },
  'an unknown sandbox': {
    words: ['run', '--cwd', 'repo', '--sandbox', 'chroot', '--agent', ECHO, 'x'],
    exit: 2,
    says: 'to be one of bubblewrap',
  },
  'a misspelled sandbox': {
    words: ['run', '--cwd', 'repo', '--sandbox', 'bublewrap', '--agent', ECHO, 'x'],
    exit: 2,
    says: 'Did you mean `bubblewrap`?',
  },
  'an unknown egress policy': {
    words: ['run', '--cwd', 'repo', '--egress', 'internet', '--agent', ECHO, 'x'],
    exit: 2,
    says: 'none, host, model or allow=HOST,HOST',
  },
  'an egress policy without a sandbox': {
    words: [...RUN, 'x', '--egress', 'none'],
    exit: 2,
    says: 'needs a sandbox',
  },
  'an answer without its tag': {
    words: ['extract', '--tag', 'result', 'text.txt'],
    exit: 3,
    says: 'Check `--tag`',
  },
  'an answer that is not JSON': {
    words: ['extract', '--schema', 'number.json', 'broken.txt'],
    exit: 3,
    says: 'line 1, column 14',
  },
  'an answer of a wrong type': {
    words: ['extract', '--schema', 'number.json', 'wrong.txt'],
    exit: 3,
    says: 'at answer: Expected number',
  },
  'an answer of a run without its tag': {
    words: [...RUN, 'Answer in <r>.', '--tag', 'r'],
    exit: 3,
    says: '`--max-corrections 2`',
  },
  'an empty transcript': { words: ['extract', '--tag', 'result'], exit: 3, says: 'got text without one' },
  'a transcript that does not exist': {
    words: ['extract', '--tag', 'result', 'gone.txt'],
    exit: 2,
    says: '`gone.txt` to be a readable file',
  },
  'a text as an event stream': {
    words: ['extract', '--tag', 'result', '--agent', 'claude-code', 'text.txt'],
    exit: 2,
    says: 'no event of `claude-code`',
  },
  'no tag and no schema': { words: ['extract', 'text.txt'], exit: 2, says: 'needs `--schema` or `--tag`' },
  'instructions for nothing': { words: ['instructions'], exit: 2, says: 'Pass `--schema`, `--tag` or both' },
  'a batch without inputs': {
    words: ['batch', '--agent', ECHO, '--prompt', 'x'],
    exit: 2,
    says: "required option '--inputs <file>'",
  },
  'a batch with a broken line': {
    words: [
      'batch',
      '--cwd',
      'repo',
      '--sandbox',
      'none',
      '--agent',
      ECHO,
      '--inputs',
      'inputs.jsonl',
      '--prompt',
      '{{A}}',
    ],
    exit: 2,
    says: 'at line 2, column 2',
  },
  'a batch with a missing key': {
    words: [
      'batch',
      '--cwd',
      'repo',
      '--sandbox',
      'none',
      '--agent',
      ECHO,
      '--inputs',
      'missing.jsonl',
      '--prompt',
      '{{A}}',
    ],
    exit: 2,
    says: 'A',
  },
  'a concurrency of nothing': {
    words: [
      'batch',
      '--cwd',
      'repo',
      '--sandbox',
      'none',
      '--agent',
      ECHO,
      '--inputs',
      'missing.jsonl',
      '--prompt',
      'x',
      '--concurrency',
      '0',
    ],
    exit: 2,
    says: '`--concurrency` to be an integer of 1 or more, got `0`.',
  },
  'a report of a missing file': {
    words: ['report', 'gone.jsonl'],
    exit: 2,
    says: 'There is no file `gone.jsonl`',
  },
  'a repository for demo that is none': {
    words: ['demo', '--repo', 'plain'],
    exit: 2,
    says: 'another `--repo`',
  },
  'a script for mock that is none': {
    words: ['mock', '--script', './none.mjs'],
    exit: 2,
    says: 'no script as its default export',
  },
  'a shell without completion': { words: ['completion', 'tcsh'], exit: 2, says: 'bash, zsh, fish' },
  'a port that is no number': { words: ['serve', '--port', 'abc'], exit: 2, says: 'whole number' },
  'a worker without a database': { words: ['worker'], exit: 2, says: '`--database-url postgres://' },
  'a chat without a server': { words: ['chat', 'Hello'], exit: 2, says: 'truecast serve' },
  'a worker on SQLite': {
    words: ['worker', '--database-url', 'chats.sqlite'],
    exit: 2,
    says: 'do not reach other processes',
  },
  'a chat at no URL': { words: ['chat', '--url', 'foo', 'hi'], exit: 2, says: 'the URL of a server' },
  'a chat where no server is': {
    words: ['chat', '--url', 'http://127.0.0.1:1', 'hi'],
    exit: 1,
    says: 'cannot be reached',
  },
  'work to remove that is not there': {
    words: ['clean', '--cwd', 'repo', '--force-dirty', 'gone'],
    exit: 2,
    says: '`--force-dirty` to name a listed worktree or git store, got `gone`',
  },
  'an unknown template before a repository': {
    words: ['init', '--cwd', 'gone', '--template', 'nope'],
    exit: 2,
    says: '`--template` to be one of',
  },
  'an init without a terminal': { words: ['init', '--cwd', 'repo'], exit: 2, says: '--yes' },
};

let folder: string;
const cwd = process.cwd();

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-mistakes-')));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  for (const name of ['repo', 'empty-repo', 'plain']) mkdirSync(join(folder, name));
  const git = (repo: string, ...args: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: join(folder, repo),
    });
  for (const repo of ['repo', 'empty-repo']) git(repo, 'init', '-q', '-b', 'main');
  git('repo', 'commit', '-q', '--allow-empty', '-m', 'begin');
  git('repo', 'clone', '-q', '--bare', '.', '../bare.git');
  process.chdir(folder);
});

afterAll(() => {
  process.chdir(cwd);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

beforeEach(() => {
  vi.stubEnv('HOME', folder);
  vi.stubEnv('PATH', '/usr/bin:/bin');
  for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'TRUECAST_URL', 'TRUECAST_TOKEN']) {
    vi.stubEnv(name, undefined);
  }
  return () => {
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  };
});

interface Ended {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

async function truecast({ words, stdin = '' }: Mistake): Promise<Ended> {
  const streams = { stdin: Readable.from([stdin]), stdout: new PassThrough(), stderr: new PassThrough() };
  // Streams of a process that is not on a terminal.
  const exitCode = await runCommandLine(words, streams as unknown as CommandTerminal);
  const textOf = (stream: PassThrough): string => String(stream.read() ?? '');
  return { exitCode, stdout: textOf(streams.stdout), stderr: textOf(streams.stderr) };
}

it.each(Object.entries(MISTAKES))('%s', async (_title, mistake) => {
  const { exitCode, stdout, stderr } = await truecast(mistake);
  const lines = stderr.trimEnd().split('\n');
  const last = lines.at(-1)?.startsWith('See: ') === true ? lines.at(-2) : lines.at(-1);
  expect({ exitCode, stdout }).toEqual({ exitCode: mistake.exit, stdout: '' });
  expect(last).toContain(mistake.says);
  expect(stderr).not.toMatch(
    /maxCorrections|promptFile|promptArgs|Seconds|`cwd`|`prices`|Output\.|\(\)`|\((?:number|string)\)|^\s+at /mu,
  );
});
