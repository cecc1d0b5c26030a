/**
 * Terminal recording of README (`npm run docs:recording`): runs the real Claude Code against a scripted
 * model in a pseudo-terminal, and writes the session as an animated SVG. Needs `script` of util-linux,
 * and the CLIs of `test/agents`.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { reply } from '../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../packages/testing/src/scripted-model/scripted-model-server.ts';
import { renderAnimation } from './recording/render-animation.ts';
import { readScreens } from './recording/read-screens.ts';

const ROOT: string = join(import.meta.dirname, '..');
const TARGET: string = join(ROOT, 'docs/images/refused-and-corrected.svg');

/** Small enough for README on a phone, wide enough for the longest line. */
const SIZE = { columns: 80, rows: 20 } as const;

/** Typed into the terminal as it is shown. */
const COMMAND = 'truecast run "Fix the loop and commit." --schema bug.json --agent claude-code';

const SCHEMA = {
  type: 'object',
  properties: { file: { type: 'string' }, line: { type: 'integer' } },
  required: ['file', 'line'],
};

/** The model of the session: it fixes the bug, and its first answer has a wrong type. */
const SCRIPT = [
  reply.delay(900, reply.shell("sed -i 's/<=/</' loop.ts && git commit -qam 'Fix the loop'")),
  reply.delay(900, reply.text('<result>{"file":"loop.ts","line":"one"}</result>')),
  reply.delay(1_500, reply.text('<result>{"file":"loop.ts","line":1}</result>')),
];

const work = mkdtempSync(join(tmpdir(), 'truecast-recording-'));
try {
  makeRepository(work);
  const session = await record(work);
  const screens = await readScreens(session, SIZE);
  const svg = renderAnimation(screens, {
    ...SIZE,
    title: 'truecast run: an answer is refused and corrected',
  });
  writeFileSync(TARGET, svg);
  process.stdout.write(`${TARGET}: ${screens.length} screens, ${svg.length} bytes\n`);
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}

function makeRepository(cwd: string): void {
  const git = (...args: readonly string[]): Buffer => execFileSync('git', args, { cwd });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Truecast');
  git('config', 'user.email', 'truecast@localhost');
  writeFileSync(join(cwd, 'loop.ts'), 'for (let i = 0; i <= 3; i += 1) console.log(i);\n');
  writeFileSync(join(cwd, 'bug.json'), JSON.stringify(SCHEMA));
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
}

/** Runs the command in a pseudo-terminal. Returns its bytes and their times. */
async function record(cwd: string): Promise<{ readonly bytes: Buffer; readonly timing: string }> {
  await using server = await scriptedModelServer({ script: SCRIPT });
  const folder = mkdtempSync(join(tmpdir(), 'truecast-session-'));
  try {
    const start = join(ROOT, 'packages/cli/src/start.ts');
    const program = [
      `stty cols ${SIZE.columns} rows ${SIZE.rows}`,
      `truecast() { '${process.execPath}' '${start}' "$@"; }`,
      `cat '${folder}/shown'`,
      `sleep 1`,
      COMMAND,
    ].join('\n');
    writeFileSync(join(folder, 'shown'), `$ ${COMMAND}\n`);
    writeFileSync(join(folder, 'session.sh'), program);
    const [out, timing] = [join(folder, 'out'), join(folder, 'timing')];
    await promisify(execFile)('script', ['-qe', '-O', out, '-T', timing, '-c', `sh '${folder}/session.sh'`], {
      cwd,
      // A stopped process of the session also stops `script`.
      timeout: 60_000,
      killSignal: 'SIGKILL',
      env: environment(server.anthropicUrl, folder),
    });
    return { bytes: readFileSync(out), timing: readFileSync(timing, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function environment(anthropicUrl: string, home: string): Readonly<Record<string, string>> {
  return {
    PATH: `${join(ROOT, 'test/agents/node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    ANTHROPIC_BASE_URL: anthropicUrl,
    ANTHROPIC_API_KEY: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
  };
}
