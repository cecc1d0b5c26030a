/**
 * Owns one process of the agent: starts it in the sandbox, turns its stdout into events as it arrives, and ends it in time.
 *
 * stdout chunk → parser → events → text to the scanner and the completion watch, the rest to whoever listens
 */
import { AgentError } from '../errors/agent-error.ts';
import type { Usage } from '../errors/usage.ts';
import type { AgentEvent, AgentProvider, PrintCommand } from './agents/agent-provider.ts';
import { createCompletionWatch, type CompletionWatch } from './completion-signal.ts';
import { throughStdin } from './sandboxes/env-through-stdin.ts';
import type { SandboxExecOptions, SandboxExecResult, SandboxHandle } from './sandboxes/sandbox-provider.ts';
import { createTextTail, type TextTail } from './text-tail.ts';
import { startWatchdog } from './watchdog.ts';

/** What one process of the agent needs. */
export interface AgentTurnOptions {
  readonly agent: AgentProvider;
  readonly handle: SandboxHandle;
  readonly command: PrintCommand;
  readonly resumeSession: string | undefined;
  readonly completionSignals: readonly string[];
  readonly idleTimeoutMs: number;
  readonly completionTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Resolves when the answer was handed in: the process may end then, and is ended when it hangs. */
  readonly answered?: Promise<void>;
  /** Tells whether an answer that was handed in is being judged: the agent is silent then for our sake. */
  isAwaited?(): boolean;
  /** Takes the main agent's words, each once. */
  onText(text: string): void;
  onEvent(event: AgentEvent): void;
  /** Takes stdout as it came. */
  onRaw(chunk: string): void;
}

/** The agent gave up. */
export type TurnFailure = Extract<AgentEvent, { readonly type: 'error' }>;

/** How one process of the agent ended. */
export interface AgentTurn {
  readonly exitCode: number;
  readonly stderrTail: string;
  readonly elapsedMs: number;
  /** True when it was ended because it hung after its completion signal, or after its answer was handed in. */
  readonly isCompletedByTimeout: boolean;
  readonly sessionId: string | undefined;
  readonly usage: Usage | undefined;
  readonly model: string | undefined;
  readonly completionSignal: string | undefined;
  /** The final result text, or all of the agent's words where the CLI tells none. */
  readonly resultText: string;
  readonly hasEnded: boolean;
  readonly endValue: unknown;
  /** The agent's last word was this error. */
  readonly failure: TurnFailure | undefined;
}

const COMPLETED: unique symbol = Symbol('completed');

/**
 * Runs one process of the agent to its end.
 *
 * @throws AgentError `idle-timeout` after too long a silence, `spawn` when the process could not start; the signal's reason on abort
 */
export async function runAgentTurn(options: AgentTurnOptions): Promise<AgentTurn> {
  const startedAtMs = performance.now();
  const state = createTurnState(options);
  const ender = new AbortController();
  const watchdog = startWatchdog({
    ...options,
    completion: state.completion,
    onWarning: (message) => options.onEvent({ type: 'warning', message }),
    onTimeout: (kind) => ender.abort(kind === 'idle' ? idleError(options) : COMPLETED),
  });
  const onChunk = (chunk: string): void => {
    state.push(chunk);
    watchdog.activity();
  };
  void options.answered?.then(() => {
    state.completion.answered();
    watchdog.activity();
  });
  const elapsedMs = (): number => Math.round(performance.now() - startedAtMs);
  try {
    const result = await execute(
      options,
      state.take,
      onChunk,
      () => watchdog.activity(),
      AbortSignal.any([options.signal, ender.signal]),
    );
    return state.finish({ exitCode: result.exitCode, stderrTail: result.stderr, elapsedMs: elapsedMs() });
  } catch (error) {
    if (error !== COMPLETED) {
      state.flush();
      throw error;
    }
    return state.finish({ exitCode: 0, stderrTail: '', elapsedMs: elapsedMs(), isCompletedByTimeout: true });
  } finally {
    watchdog.stop();
  }
}

function execute(
  { agent, handle, command }: AgentTurnOptions,
  onEvent: (event: AgentEvent) => void,
  onChunk: (chunk: string) => void,
  onActivity: () => void,
  signal: AbortSignal,
): Promise<SandboxExecResult> {
  const common: SandboxExecOptions = {
    stdin: command.stdin ?? '',
    signal,
    isAgent: true,
    ...(command.env !== undefined && { env: command.env }),
  };
  if (agent.execute !== undefined) {
    return agent.execute({ handle, command, options: { ...common, onChunk }, onEvent });
  }
  if (handle.streamsChunks === true)
    return handle.exec(command.command, { ...common, onChunk, onStderrChunk: onActivity });
  // A handle written by hand may know lines only; then what was cut at newlines is joined again.
  const { command: wrapped, stdin } = throughStdin(command);
  return handle.exec(wrapped, { ...common, stdin, onLine: (line) => onChunk(`${line}\n`) });
}

function idleError({ agent, idleTimeoutMs }: AgentTurnOptions): AgentError {
  const seconds = idleTimeoutMs / 1000;
  return new AgentError(
    `The agent \`${agent.name}\` printed nothing for ${seconds} s and was ended. Its work is kept; raise \`idleTimeoutSeconds\` if it needs longer.`,
    { code: 'idle-timeout', elapsedMs: idleTimeoutMs },
  );
}

interface TurnEnd {
  readonly exitCode: number;
  readonly stderrTail: string;
  readonly elapsedMs: number;
  readonly isCompletedByTimeout?: boolean;
}

interface TurnState {
  readonly completion: CompletionWatch;
  push(chunk: string): void;
  take(event: AgentEvent): void;
  /** Takes what the parser still holds. */
  flush(): void;
  finish(end: TurnEnd): AgentTurn;
}

function createTurnState(options: AgentTurnOptions): TurnState {
  const parser = options.agent.createStreamParser(
    options.resumeSession === undefined ? {} : { resumeSession: options.resumeSession },
  );
  const completion = createCompletionWatch(options.completionSignals);
  const tail = createTextTail();
  const seen: SeenEvents = {
    hasText: false,
    sessionId: undefined,
    usage: undefined,
    model: undefined,
    end: undefined,
    failure: undefined,
  };
  const take = (event: AgentEvent): void => {
    noteEvent(seen, completion, event);
    if (event.type === 'text') takeText(event.text, options, completion, tail);
    options.onEvent(event);
  };
  const flush = (): void => parser.end().forEach(take);
  return {
    completion,
    push(chunk) {
      options.onRaw(chunk);
      parser.push(chunk).forEach(take);
    },
    take,
    flush,
    finish(end) {
      flush();
      // Some CLIs tell their words only in the final event; those that told them before must not be heard twice.
      if (!seen.hasText && seen.end?.text !== undefined) takeText(seen.end.text, options, completion, tail);
      return {
        isCompletedByTimeout: false,
        ...end,
        sessionId: seen.sessionId,
        usage: seen.usage,
        model: seen.model,
        completionSignal: completion.armed,
        resultText: seen.end?.text ?? tail.toString(),
        hasEnded: seen.end !== undefined,
        endValue: seen.end?.value,
        failure: seen.failure,
      };
    },
  };
}

interface SeenEvents {
  hasText: boolean;
  sessionId: string | undefined;
  usage: Usage | undefined;
  model: string | undefined;
  end: { readonly text?: string; readonly value?: unknown } | undefined;
  failure: TurnFailure | undefined;
}

function takeText(
  text: string,
  options: AgentTurnOptions,
  completion: CompletionWatch,
  tail: TextTail,
): void {
  completion.text(text);
  tail.push(text);
  options.onText(text);
}

function noteEvent(seen: SeenEvents, completion: CompletionWatch, event: AgentEvent): void {
  switch (event.type) {
    case 'text':
      seen.hasText = true;
      break;
    case 'session':
      seen.sessionId = event.sessionId;
      break;
    case 'usage':
      seen.usage = event.usage;
      seen.model = event.model ?? seen.model;
      break;
    case 'tool-call':
      completion.toolCall(event.id);
      break;
    case 'tool-result':
      completion.toolResult(event.id);
      break;
    case 'end':
      // A later end recovers from an earlier error.
      seen.end = event;
      seen.failure = undefined;
      break;
    case 'error':
      seen.failure = event;
      break;
    case 'thinking':
    case 'warning':
      break;
    default:
      event satisfies never;
  }
}
