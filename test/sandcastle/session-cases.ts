/** Inputs of session paths, session transfers and session usage. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as theirs from '@ai-hero/sandcastle';
import * as ours from '../../packages/truecast/src/exports/sandcastle.ts';
import type { Difference, OracleCase } from './oracle-case.ts';

const ID = '213b01b2-bdfb-4311-ae8c-278749623d07';

const DIRECTORIES: readonly (readonly [string, Difference?])[] = [
  ['/home/me/repo'],
  ['/home/me/repo/'],
  ['/home/me/repo//'],
  ['/'],
  ['relative/folder'],
  ['/a'],
  ['C:\\Users\\me\\repo', 'session paths'],
  ['/home/me/my.app', 'session paths'],
  ['/home/me/my app', 'session paths'],
  ['/home/me/my_app', 'session paths'],
  ['/home/mé/repo', 'session paths'],
  [`/${'long/'.repeat(60)}`, 'session paths'],
];

const line = (value: unknown): string => JSON.stringify(value);

/** Sessions as the CLIs write them, one JSON object per line. */
const SESSIONS: readonly (readonly [string, string, Difference?])[] = [
  ['a line with the directory', line({ type: 'user', cwd: '/from' })],
  ['a line with another directory', line({ cwd: '/else' })],
  ['several lines', [line({ cwd: '/from' }), line({ cwd: '/else' }), line({ cwd: '/from' })].join('\n')],
  ['an empty session', ''],
  ['an empty last line', `${line({ cwd: '/from' })}\n`],
  ['a line that is not JSON', `{"cwd":"/from"\n${line({ cwd: '/from' })}`],
  ['a directory in a tool input', line({ input: { cwd: '/from' } })],
  ['a directory as a prefix of another', line({ cwd: '/from-other' })],
  ['a number as the directory', line({ cwd: 5 })],
  ['a directory below', line({ cwd: '/from/sub' }), 'paths below the worktree in a session'],
  ['spaces in an unchanged line', '{ "cwd": "/else" }', 'bytes of a session'],
];

const CODEX_SESSIONS: readonly (readonly [string, string, Difference?])[] = [
  ['a directory in the payload', line({ type: 'session_meta', payload: { cwd: '/from' } })],
  ['another directory in the payload', line({ type: 'session_meta', payload: { cwd: '/else' } })],
  [
    'a turn',
    line({ type: 'turn_context', payload: { cwd: '/from' } }),
    'paths below the worktree in a session',
  ],
];

const usage = (input: number): unknown => ({
  type: 'assistant',
  message: {
    content: [],
    usage: {
      input_tokens: input,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 3,
      output_tokens: 4,
    },
  },
});

const USAGES: readonly (readonly [string, string])[] = [
  ['one message', line(usage(1))],
  ['the last of several messages', [line(usage(1)), line({ type: 'user' }), line(usage(9))].join('\n')],
  ['no message', line({ type: 'user' })],
  ['a message without usage', line({ type: 'assistant', message: { content: [] } })],
  ['an empty session', ''],
  ['a cut last line', `${line(usage(7))}\n{"type":"assist`],
];

/** Creates the cases. `folder` is an empty temporary folder. */
export function sessionCases(folder: string): OracleCase[] {
  const projects = join(folder, 'projects');
  const codex = join(folder, 'codex');
  for (const path of [
    join(projects, '-work', `${ID}.jsonl`),
    join(codex, '2026/01/02', `rollout-2026-01-02T03-04-05-${ID}.jsonl`),
  ]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '{}');
  }
  const each = (
    input: string,
    call: (library: typeof ours | typeof theirs) => unknown,
    differs?: Difference,
  ) => ({
    input,
    theirs: () => call(theirs),
    ours: () => call(ours),
    ...(differs !== undefined && { differs }),
  });
  return [
    ...DIRECTORIES.map(([cwd, differs]) =>
      each(`encodeProjectPath of ${cwd.slice(0, 40)}`, (of) => of.encodeProjectPath(cwd), differs),
    ),
    each('claudeHostSessionPath', (of) => of.claudeHostSessionPath('/work', ID, '/store')),
    each('claudeSandboxSessionPath', (of) => of.claudeSandboxSessionPath('/work', ID, '/store')),
    each(
      'claudeHostSessionPath of ../x',
      (of) => of.claudeHostSessionPath('/work', '../x', '/store'),
      'session ids',
    ),
    each(
      'claudeSandboxSessionPath of a;b',
      (of) => of.claudeSandboxSessionPath('/work', 'a;b', '/store'),
      'session ids',
    ),
    each('findClaudeSessionOnHost', (of) => of.findClaudeSessionOnHost(ID, projects)),
    each('findClaudeSessionOnHost of another id', (of) => of.findClaudeSessionOnHost('x', projects)),
    each('findClaudeSessionOnHost without a store', (of) => of.findClaudeSessionOnHost(ID, '/missing')),
    each(
      'findClaudeSessionOnHost of ../-work/id',
      (of) => of.findClaudeSessionOnHost(`../-work/${ID}`, projects),
      'session ids',
    ),
    each('findCodexSessionOnHost', (of) => of.findCodexSessionOnHost(ID, codex)),
    each('findCodexSessionOnHost of another id', (of) => of.findCodexSessionOnHost('x', codex)),
    each('findCodexSessionOnHost without a store', (of) => of.findCodexSessionOnHost(ID, '/missing')),
    ...SESSIONS.map(([name, text, differs]) =>
      each(
        `transferClaudeSession of ${name}`,
        (of) => of.transferClaudeSession(text, '/from', '/to'),
        differs,
      ),
    ),
    ...[...SESSIONS, ...CODEX_SESSIONS].map(([name, text, differs]) =>
      each(`transferCodexSession of ${name}`, (of) => of.transferCodexSession(text, '/from', '/to'), differs),
    ),
    ...USAGES.map(([name, text]) =>
      each(`parseSessionUsage of ${name}`, (of) => of.claudeCode('m').parseSessionUsage?.(text)),
    ),
    each('hostSessionFilePath of claudeCode()', (of) =>
      of
        .claudeCode('m', { sessionStorage: { hostProjectsDir: projects } })
        .sessionStorage.hostSessionFilePath('/work', ID),
    ),
    each('existsOnHost of claudeCode()', (of) =>
      of
        .claudeCode('m', { sessionStorage: { hostProjectsDir: projects } })
        .sessionStorage.existsOnHost('/work', ID),
    ),
    each('existsOnHost of claudeCode() elsewhere', (of) =>
      of
        .claudeCode('m', { sessionStorage: { hostProjectsDir: projects } })
        .sessionStorage.existsOnHost('/else', ID),
    ),
    each('readHostSession of claudeCode()', (of) =>
      of
        .claudeCode('m', { sessionStorage: { hostProjectsDir: projects } })
        .sessionStorage.readHostSession('/work', ID),
    ),
    each('readHostSession of claudeCode() elsewhere', (of) =>
      of
        .claudeCode('m', { sessionStorage: { hostProjectsDir: projects } })
        .sessionStorage.readHostSession('/else', ID),
    ),
    each('findByIdOnHost of claudeCode()', (of) =>
      of.claudeCode('m', { sessionStorage: { hostProjectsDir: projects } }).sessionStorage.findByIdOnHost(ID),
    ),
    each('existsOnHost of codex()', (of) =>
      of.codex('m', { sessionStorage: { hostSessionsDir: codex } }).sessionStorage.existsOnHost('/work', ID),
    ),
    each('hostSessionFilePath of codex()', (of) =>
      of
        .codex('m', { sessionStorage: { hostSessionsDir: codex } })
        .sessionStorage.hostSessionFilePath('/work', ID),
    ),
    each('readHostSession of codex()', (of) =>
      of
        .codex('m', { sessionStorage: { hostSessionsDir: codex } })
        .sessionStorage.readHostSession('/work', ID),
    ),
  ];
}
