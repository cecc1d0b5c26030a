/**
 * Every command on a real terminal, with control characters in each name and text that a repository,
 * an agent, a model or a client can choose.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { stubEvent } from '../../packages/core/src/event-contract/stub-event.ts';
import { COMMANDS } from '../../packages/cli/src/commands.ts';
import {
  controlIn,
  FILE,
  HOSTILE,
  makeHostile,
  NAME,
  onTerminal,
  piped,
  type Words,
} from './hostile-place.ts';
import { FORM } from '../matrix.ts';
import { serveBeside } from './serve-fixture.ts';
import { openSession, type ProgramSession } from '../program-session.ts';
import { describeUnless, missing } from '../needs.ts';

const RUN = ['--sandbox', 'none', '--agent'];
const NO_SERVER = ['--url', 'http://127.0.0.1:1', '--token', 'x'];
const ok = 'command:sh agent.sh 0';
const failing = 'command:sh agent.sh 3';

/** Words of each command, in the order in which they run in one repository. */
const CASES: Readonly<Record<string, readonly Words[]>> = {
  '': [[], [HOSTILE], ['--help', HOSTILE]],
  run: [
    ['run', 'x', '--tag', 'result', ...RUN, ok, '--verbose'],
    ['run', 'x', '--schema', 's.json', ...RUN, ok, '--branch', NAME, '--json'],
    ['run', 'x', '--schema', 'good.json', ...RUN, ok, '--name', HOSTILE],
    ['run', 'x', '--tag', 'result', ...RUN, failing],
    ['run', 'x', '--tag', 'result', ...RUN, failing, '--json'],
    ['run', 'x', '--tag', 'result', ...RUN, ok, '--merge', '--sensitive-changes', 'error'],
    ['run', 'x', '--tag', 'result', ...RUN, ok, '--merge'],
    ['run', 'x', '--tag', 'absent', ...RUN, ok],
    ['run', 'x', '--schema', 'broken.json', ...RUN, ok],
    ['run', 'x', '--agent', HOSTILE],
    ['run', 'x', '--sandbox', HOSTILE],
    ['run', 'x', `--${HOSTILE}`],
    ['run', '--prompt-file', HOSTILE, ...RUN, ok],
    ['run', 'x', '--cwd', HOSTILE],
    ['run', 'x', '--branch', HOSTILE, ...RUN, ok],
    ['run', 'x', '--resume', HOSTILE, ...RUN, ok],
    ['run', 'x', '--egress', HOSTILE],
    ['run', '!`sh agent.sh 3`', ...RUN, ok],
  ],
  batch: [
    ['batch', '{{X}}', '--inputs', 'inputs.jsonl', '--schema', 's.json', ...RUN, ok],
    ['batch', '{{X}}', '--inputs', 'inputs.jsonl', '--tag', 'result', ...RUN, failing, '--out', FILE],
    ['batch', '{{Y}}', '--inputs', 'said.txt', '--tag', 'result', ...RUN, failing],
  ],
  compare: [
    ['compare', '{{X}}', '--inputs', 'inputs.jsonl', '--schema', 's.json', '--repeat', '1', ...RUN, ok],
    ['compare', 'x', '--schema', 's.json', '--model', HOSTILE],
    ['compare', 'x', '--schema', 's.json', '--models', 'said.txt', '--model', 'x'],
  ],
  action: [['action'], ['action', 'publish'], ['action', HOSTILE]],
  extract: [
    ['extract', 'said.txt', '--tag', 'result'],
    ['extract', 'said.txt', '--tag', 'result', '--json'],
    ['extract', 'said.txt', '--schema', 's.json'],
    ['extract', HOSTILE, '--tag', 'result'],
  ],
  check: [
    ['check', 'bad.json'],
    ['check', 'good.json'],
    ['check', 'good.json', '--json'],
    ['check', 'broken.json'],
    ['check', HOSTILE],
    ['check', 'good.json', '--for', HOSTILE],
  ],
  instructions: [
    ['instructions', '--schema', 'good.json'],
    ['instructions', '--schema', 'bad.json'],
  ],
  report: [['report'], ['report', '--json'], ['report', '--since', HOSTILE]],
  clean: [['clean'], ['clean', '--json'], ['clean', '--all', HOSTILE]],
  doctor: [['doctor'], ['doctor', '--all'], ['doctor', '--json']],
  init: [['init', '--yes', '--no-install']],
  ensemble: [
    ['ensemble', 'list'],
    ['ensemble', 'check'],
    ['ensemble', 'run', HOSTILE],
    ['ensemble', 'replay', HOSTILE],
    ['ensemble', 'leaderboard'],
    ['ensemble', 'report', HOSTILE],
    ['ensemble', 'say', HOSTILE, HOSTILE],
  ],
  completion: [
    ['completion', 'bash'],
    ['completion', HOSTILE],
  ],
  token: [
    ['token', 'create', '--name', HOSTILE],
    ['token', 'create', '--name', NAME],
    ['token', 'list'],
    ['token', 'list', '--json'],
    ['token', 'revoke', HOSTILE],
    ['token', 'show'],
  ],
  link: [['link'], ['link', '--json'], ['link', '--url', HOSTILE, '--token', HOSTILE]],
  data: [
    ['data', 'audit'],
    ['data', 'export', HOSTILE],
    ['data', 'erase', HOSTILE],
  ],
  allow: [
    ['allow', HOSTILE],
    ['allow', 'keys.yaml'],
    ['allow', 'keys.yaml', '--json'],
    ['allow', 'keys.yaml', '--revoke'],
  ],
  chat: [['chat', HOSTILE, '--url', 'http://127.0.0.1:1']],
  usage: [['usage'], ['usage', '--json']],
  runs: [
    ['runs', 'create', HOSTILE, '--repository', HOSTILE, '--agent', HOSTILE, ...NO_SERVER],
    ['runs', 'create', 'x', '--repository', 'web', '--agent', 'codex', '--metadata', HOSTILE],
    ['runs', 'create', 'x', '--repository', 'web', '--agent', 'codex', '--schema', HOSTILE],
    ['runs', 'list', '--status', HOSTILE],
    ['runs', 'show', HOSTILE, ...NO_SERVER],
    // With an address, it waits until the server is there.
    ['runs', 'watch', HOSTILE],
    ['runs', HOSTILE],
  ],
  serve: [
    ['serve', '--config', HOSTILE],
    ['serve', '--model', HOSTILE],
    ['serve', '--host', HOSTILE],
  ],
  worker: [['worker', '--database-url', HOSTILE]],
  mock: [
    ['mock', '--script', HOSTILE],
    ['mock', '--port', HOSTILE],
  ],
  demo: [
    ['demo', '--repo', HOSTILE],
    ['demo', '--repo', '.'],
  ],
  docker: [['docker', 'remove-image', '--image-name', HOSTILE]],
  podman: [
    ['podman', 'build-image', '--image-name', HOSTILE],
    ['podman', HOSTILE],
  ],
};

/** The short form tries a sixth of the lines of a command on a terminal, and another sixth in a pipe. */
const isTried = (index: number, turn: number): boolean => FORM === 'whole' || index % 6 === turn;

describeUnless(missing('script'), 'a terminal', () => {
  let session: ProgramSession;
  beforeAll(async () => {
    session = await openSession('terminal');
  });
  afterAll(() => session[Symbol.asyncDispose]());

  it('is tried with every command', () => {
    expect(
      Object.keys(CASES)
        .filter((name) => name !== '')
        .toSorted(),
    ).toEqual(Object.keys(COMMANDS).toSorted());
  });

  it.each(Object.entries(CASES))('gets no control characters from `truecast %s`', async (_name, lines) => {
    const place = makeHostile();
    const found: Record<string, string> = {};
    for (const [index, words] of lines.entries()) {
      if (isTried(index, 0)) {
        const control = controlIn(await onTerminal(session, place, words));
        if (control !== undefined) found[JSON.stringify(words)] = control;
      }
      if (!isTried(index, 1) && !words.includes('--json')) continue;
      const { stdout, stderr } = await piped(place, words);
      const isJson = words.includes('--json');
      if (isJson && stdout !== '') expect(() => JSON.parse(stdout) as unknown, stdout).not.toThrow();
      const both = controlIn(stderr) ?? controlIn(stdout);
      if (both !== undefined) found[`${JSON.stringify(words)} in a pipe`] = both;
    }
    expect(found).toEqual({});
  });

  it('gets none from models and ensembles', async () => {
    const { cwd, env } = makeHostile();
    await using model = await scriptedModelServer({ script: (turn) => reply.text(hostileEvent(turn)) });
    const place = { cwd, env: { ...env, TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'm' } };
    const lines: Words[] = [
      ['ensemble', 'run', 'duel'],
      ['ensemble', 'run', 'duel', '--json'],
      ['ensemble', 'list'],
      ['ensemble', 'leaderboard'],
      ['ensemble', 'report'],
    ];
    for (const words of lines) {
      expect(controlIn(await onTerminal(session, place, words)), words.join(' ')).toBeUndefined();
    }
    const { stdout } = await piped(place, ['ensemble', 'run', 'duel', '--json']);
    expect(stdout).toContain('\\u009b');
    const { runId } = JSON.parse(stdout.split('\n')[0] ?? '') as { runId: string };
    expect(controlIn(stdout)).toBeUndefined();
    for (const flags of [[], ['--json']]) {
      expect(
        controlIn(await onTerminal(session, place, ['ensemble', 'replay', runId, ...flags])),
      ).toBeUndefined();
    }
  });

  it('gets none from chats of a server', async () => {
    const { cwd, env } = makeHostile();
    await using model = await scriptedModelServer({
      script: () => reply.text(JSON.stringify({ answer: 1, [NAME]: HOSTILE })),
    });
    const models = { ...env, TRUECAST_BASE_URL: model.openaiUrl };
    await using server = await serveBeside(cwd, ['--model', 'local:m'], models);
    const { url } = server;
    const lines: Words[] = [
      ['chat', HOSTILE, '--schema', 's.json', '--url', url],
      ['chat', HOSTILE, '--schema', 'good.json', '--url', url, '--json'],
      ['chat', HOSTILE, '--url', url],
      ['usage'],
      ['data', 'audit'],
    ];
    for (const words of lines) {
      expect(controlIn(await onTerminal(session, { cwd, env }, words)), words.join(' ')).toBeUndefined();
    }
    expect(controlIn(server.said())).toBeUndefined();
    expect(
      controlIn(
        server
          .logged()
          .map((line) => JSON.stringify(line))
          .join('\n'),
      ),
    ).toBeUndefined();
  });
});

/** An event of an obedient model whose texts are hostile. */
function hostileEvent(turn: { readonly system: string; readonly userText: string }): string {
  const isJudge = turn.system.includes('judge');
  const extras = isJudge ? { extraFields: ['winner'], winners: ['ada', 'bob'] } : {};
  const kind = isJudge ? 'judge.verdict' : 'agent.spoke';
  const event = stubEvent({ allowedKinds: [kind], ...extras, seed: turn.system + turn.userText });
  const spoil = (value: unknown): unknown =>
    typeof value === 'string' && value.includes(' ') ? `${value} ${HOSTILE}` : value;
  return JSON.stringify(JSON.parse(event), (_key, value: unknown) => spoil(value));
}
