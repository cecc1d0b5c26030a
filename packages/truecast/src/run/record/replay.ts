/** `replay()`: agent that plays a recording, parsed by the recorded agent's parser. */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { dirname, resolve } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { cut, describeValue } from '@truecast/core/internal/kit/describe-value';
import { applyRecordedWork } from './recorded-work.ts';
import {
  promptHash,
  readRecording,
  type RecordedTurn,
  type Recording,
  type RecordingHeader,
} from './recording.ts';
import type { SandboxExecResult } from '../../ports/sandbox-provider.ts';
import type { AgentExecution, AgentProvider, StreamAgentProvider } from '../../ports/agent-provider.ts';
import { command } from '../../agents/command.ts';
import { toStreamAgent } from '../../agents/stream/line-agent.ts';
import { withLineView } from '../../agents/stream/line-view.ts';
import type { HostSessionStorage } from '../../ports/agent-sessions.ts';
import { findAgent } from '../../agents/registry/agents.ts';

/** Options of `replay()`. */
export interface ReplayOptions {
  /**
   * Playback speed relative to the recording. `Infinity` plays without delays. @default Infinity
   */
  readonly speed?: number;
  /**
   * If true, an unrecorded prompt or changes that do not apply to the worktree are errors. If
   * false, they are warnings. @default false
   */
  readonly strict?: boolean;
  /** Repeats the recorded file changes and commits in the sandbox. @default true */
  readonly work?: boolean;
  /**
   * The recorded agent, whose parser reads the stream. @default the agent with the recorded name
   * and its default options
   */
  readonly agent?: AgentProvider;
}

/**
 * Creates an agent that plays a recording of `run({ record })`: offline, in any sandbox, byte for
 * byte, with the recorded chunk boundaries.
 *
 * A turn is found by its prompt. If the prompt was not recorded, the next turn is played with a
 * warning. Retries are separate turns. The recorded text is parsed by the current parser version.
 * File changes and commits are repeated with git, with the recorded authors and dates. Other
 * commands of the agent are not repeated. Only git is started, and no key is needed. One `replay()`
 * value plays each recorded turn once.
 *
 * @throws UsageError if the file is not a recording, or its agent is unknown and none was given;
 *   during a run, if the recording has no turn left, or with `strict` no turn for the prompt
 *
 * @example
 * ```ts
 * const { output } = await run({
 *   agent: replay('test/recordings/triage.jsonl', { strict: true }),
 *   sandbox: noSandbox(),
 *   prompt: 'Triage the issue in ISSUE.md. Answer in <result>.',
 *   output: Output.object({ tag: 'result', schema: z.object({ severity: z.string() }) }),
 * });
 * console.log(output.severity);
 * ```
 */
export function replay(file: string, options: ReplayOptions = {}): StreamAgentProvider {
  assertKind(file, 'a string', 'file', 'Pass the path of a recording.');
  assertKind(options, 'an object', 'options', 'Pass `{ strict: true }`, or leave it out.');
  const { speed = Infinity, strict = false, work = true } = options;
  if (!(speed > 0)) {
    throw new UsageError(`Expected \`speed\` to be a positive number, got ${describeValue(speed)}.`);
  }
  const path = resolve(file);
  const recording = readRecording(path);
  const base = options.agent === undefined ? agentOf(recording.header) : toStreamAgent(options.agent);
  const choose = createChooser(path, recording, strict);
  const chosen = new Map<string, ChosenTurn>();
  const { sessionStorage: _storage, program: _program, buildInteractiveArgs: _interactive, ...kept } = base;
  const agent: StreamAgentProvider = {
    ...kept,
    ...(recording.header.model !== undefined && { model: recording.header.model }),
    env: {},
    captureSessions: false,
    canUseMcp: false,
    readonlyPaths: [],
    ...(base.sessionStorage !== undefined && { sessionStorage: playedSessions(path) }),
    // No request is sent, but a sandbox with `egress: "model"` requires model access.
    modelAccess: () => ({
      upstreamUrl: 'http://127.0.0.1:9',
      headers: {},
      environment: () => ({}),
      secretNames: [],
    }),
    buildPrintCommand: ({ prompt }) => {
      const turn = choose(prompt);
      const line = `replay ${path}#${turn.index}`;
      chosen.set(line, turn);
      return { command: line, stdin: prompt };
    },
    ...withLineView((parserOptions) => base.createStreamParser(parserOptions)),
    execute: async (execution) => {
      const turn = chosen.get(execution.command.command);
      if (turn === undefined) {
        throw new UsageError(
          'A replay runs only commands that it built itself. Call `buildPrintCommand` first.',
        );
      }
      if (turn.warning !== undefined) execution.onEvent({ type: 'warning', message: turn.warning });
      await playStdout(turn.turn, execution, speed);
      const failure = work ? await playWork(turn.turn, execution) : undefined;
      if (failure !== undefined && strict) return { stdout: '', stderr: failure, exitCode: 1 };
      if (failure !== undefined) execution.onEvent({ type: 'warning', message: failure });
      return endOf(turn.turn, execution);
    },
  };
  replays.add(agent);
  return agent;
}

const replays = new WeakSet<AgentProvider>();

export function isReplay(agent: AgentProvider): boolean {
  return replays.has(agent);
}

function agentOf({ agent, model, isPlainText }: RecordingHeader): StreamAgentProvider {
  if (isPlainText) return command({ command: 'true', name: agent });
  const entry = findAgent(agent);
  if (entry !== undefined) return entry.make(model);
  throw new UsageError(
    `The recording was made with the agent \`${cut(agent)}\`, which Truecast has no parser for. Pass the recorded agent: \`replay(file, { agent })\`.`,
    { code: 'unsupported' },
  );
}

interface ChosenTurn {
  readonly index: number;
  readonly turn: RecordedTurn;
  readonly warning: string | undefined;
}

function createChooser(path: string, { turns }: Recording, strict: boolean): (prompt: string) => ChosenTurn {
  const left = turns.map((turn, index) => ({ turn, index }));
  return (prompt) => {
    const hash = promptHash(prompt);
    const at = left.findIndex(({ turn }) => turn.promptSha256 === hash);
    const next = left[Math.max(0, at)];
    if (next === undefined) {
      throw new UsageError(
        `The recording \`${path}\` has ${turns.length} turn${turns.length === 1 ? '' : 's'}, and all were replayed. Record the run again, or create a new \`replay()\` for each run.`,
        { code: 'unsupported' },
      );
    }
    const warning = at === -1 ? differs(next.turn, prompt) : undefined;
    if (warning !== undefined && strict) throw new UsageError(warning, { code: 'unsupported' });
    left.splice(left.indexOf(next), 1);
    return { ...next, warning };
  };
}

function differs(turn: RecordedTurn, prompt: string): string {
  return `The prompt differs from the recorded one: expected ${describeValue(turn.prompt)}, got ${describeValue(prompt)}. Record the run again, or restore the prompt.`;
}

/** Session storage of a replay: the session is the recording, so nothing is copied. */
function playedSessions(path: string): HostSessionStorage {
  return {
    captureToHost: () => Promise.resolve(path),
    resumeIntoSandbox: () => Promise.resolve(),
    readHostSession: () => Promise.resolve(undefined),
    existsOnHost: () => Promise.resolve(true),
    hostSessionFilePath: () => path,
    findByIdOnHost: () => Promise.resolve({ path, searchedRoot: dirname(path) }),
  };
}

async function playStdout(
  { stdout }: RecordedTurn,
  { options }: AgentExecution,
  speed: number,
): Promise<void> {
  const startedAtMs = performance.now();
  for (const { atMs, text } of stdout) {
    options.signal?.throwIfAborted();
    const waitMs = speed === Infinity ? 0 : atMs / speed - (performance.now() - startedAtMs);
    // Without delays, listeners still need a turn of the event loop. A timer would cost a
    // millisecond each.
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: options.signal }).catch(() => undefined);
    else await nextTurn();
    options.signal?.throwIfAborted();
    options.onChunk?.(text);
  }
}

async function playWork(
  { work }: RecordedTurn,
  { handle, options }: AgentExecution,
): Promise<string | undefined> {
  if (work === undefined) return undefined;
  const exec = (line: string, { stdin = '' }: { readonly stdin?: string } = {}): Promise<SandboxExecResult> =>
    handle.exec(line, { stdin, ...(options.signal !== undefined && { signal: options.signal }) });
  const failure = await applyRecordedWork(exec, work);
  return failure === undefined
    ? undefined
    : `The recorded changes cannot be applied to this worktree: ${cut(failure)} Start from the recorded commit, record again, or pass \`work: false\`.`;
}

function endOf({ end }: RecordedTurn, { onEvent }: AgentExecution): SandboxExecResult {
  if (end === undefined) return { stdout: '', stderr: 'The recording ends within this turn.', exitCode: 1 };
  // The recorded process hung after its completion signal, which was a success. The replay does not
  // hang.
  if (end.endedBy === 'completed') onEvent({ type: 'end' });
  return { stdout: '', stderr: end.stderrTail, exitCode: end.exitCode };
}
