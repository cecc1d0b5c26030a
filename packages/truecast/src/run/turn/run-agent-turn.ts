/**
 * One process of the agent: starts it in the sandbox, parses its stdout into events as it arrives,
 * and stops it in time.
 *
 * stdout chunk → parser → events → text to the scanner and the completion watch, the rest to the
 * listeners
 */
import { AgentError } from '@truecast/core/internal/errors/agent-error';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { AgentEvent, PrintCommand, StreamAgentProvider } from '../../ports/agent-provider.ts';
import { createCompletionWatch, type CompletionWatch } from './completion-signal.ts';
import { throughStdin } from '../../sandboxes/shared/env-through-stdin.ts';
import type { OwnExecOptions } from '../../ports/own-git.ts';
import type { HostProcess } from '../../process/process-tree.ts';
import type { SandboxExecResult, SandboxHandle } from '../../ports/sandbox-provider.ts';
import { createTextTail, type TextTail } from '../../support/text-tail.ts';
import { startWatchdog } from './watchdog.ts';

export interface AgentTurnOptions {
  readonly agent: StreamAgentProvider;
  readonly handle: SandboxHandle;
  readonly command: PrintCommand;
  readonly resumeSession: string | undefined;
  readonly completionSignals: readonly string[];
  readonly idleTimeoutMs: number;
  readonly completionTimeoutMs: number;
  readonly signal: AbortSignal;
  /**
   * Resolves after the answer was submitted. The process can exit then, and is killed if it hangs.
   */
  readonly answered?: Promise<void>;
  /**
   * Returns true while a submitted answer is validated. The agent's silence then does not count as
   * a hang.
   */
  isAwaited?(): boolean;
  /** Receives the main agent's text, each piece once. */
  onText(text: string): void;
  onEvent(event: AgentEvent): void;
  /** Called with the agent's process, if it would outlive this one. Returns what to call at its end. */
  recordProcess?(started: HostProcess): () => void;
  /** Receives unchanged stdout. */
  onRaw(chunk: string): void;
}

/** The agent failed. */
export type TurnFailure = Extract<AgentEvent, { readonly type: 'error' }>;

export interface AgentProcessResult {
  readonly exitCode: number;
  readonly stderrTail: string;
  readonly elapsedMs: number;
  /** True if it hung after its completion signal or its submitted answer, and was killed. */
  readonly isCompletedByTimeout: boolean;
  readonly sessionId: string | undefined;
  readonly usage: Usage | undefined;
  readonly model: string | undefined;
  readonly completionSignal: string | undefined;
  /** The final result text, or all of the agent's text if the CLI reports none. */
  readonly resultText: string;
  readonly hasEnded: boolean;
  readonly endValue: unknown;
  readonly endValueText: string | undefined;
  /** True if `endValue` is from a call, because the final event lacked it. */
  readonly isFromCall: boolean;
  /** True if the agent called a tool after its last message. */
  readonly isWorkLast: boolean;
  /** Set if this error was the agent's last event. */
  readonly failure: TurnFailure | undefined;
}

const COMPLETED: unique symbol = Symbol('completed');

/**
 * Runs one process of the agent until it exits.
 *
 * @throws AgentError `idle-timeout` after too long without output, `spawn` if the process could not
 *   start; the signal's reason on abort
 */
export async function runAgentTurn(options: AgentTurnOptions): Promise<AgentProcessResult> {
  const startedAtMs = performance.now();
  const state = createTurnState(options);
  const ender = new AbortController();
  let forget: (() => void) | undefined;
  const onHostProcess = (started: HostProcess): void => void (forget = options.recordProcess?.(started));
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
      { ...options, onHostProcess },
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
    forget?.();
  }
}

function execute(
  { agent, handle, command, onHostProcess }: AgentTurnOptions & Pick<OwnExecOptions, 'onHostProcess'>,
  onEvent: (event: AgentEvent) => void,
  onChunk: (chunk: string) => void,
  onActivity: () => void,
  signal: AbortSignal,
): Promise<SandboxExecResult> {
  const common: OwnExecOptions = {
    onHostProcess,
    stdin: command.stdin ?? '',
    signal,
    isAgent: true,
    ...(command.env !== undefined && { env: command.env }),
  };
  if (agent.execute !== undefined) {
    return agent.execute({ handle, command, options: { ...common, onChunk }, onEvent });
  }
  if (handle.streamsChunks === true) {
    return handle.exec(command.command, { ...common, onChunk, onStderrChunk: onActivity });
  }
  // A custom handle can support lines only. The lines are then joined with newlines again.
  const { command: wrapped, stdin } = throughStdin(command);
  return handle.exec(wrapped, { ...common, stdin, onLine: (line) => onChunk(`${line}\n`) });
}

function idleError({ agent, idleTimeoutMs }: AgentTurnOptions): AgentError {
  const seconds = idleTimeoutMs / 1000;
  return new AgentError(
    `The agent \`${agent.name}\` printed nothing for ${seconds} s and was stopped. Its work is kept. If it needs longer, raise \`timeouts.idleMs\`.`,
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
  /** Processes the text that the parser still buffers. */
  flush(): void;
  finish(end: TurnEnd): AgentProcessResult;
}

function createTurnState(options: AgentTurnOptions): TurnState {
  const parser = options.agent.createStreamParser(
    options.resumeSession === undefined ? {} : { resumeSession: options.resumeSession },
  );
  const completion = createCompletionWatch(options.completionSignals, {
    onlyLastWords: options.agent.isPlainText === true,
  });
  const tail = createTextTail();
  const seen: SeenEvents = {
    hasText: false,
    isWorkLast: false,
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
      // Some CLIs report their text only in the final event. For the others, the text must not be
      // processed twice.
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
        endValueText: seen.end?.valueText,
        isFromCall: seen.end?.isFromCall === true,
        isWorkLast: seen.hasText && seen.isWorkLast,
        failure: seen.failure,
      };
    },
  };
}

interface SeenEvents {
  hasText: boolean;
  isWorkLast: boolean;
  sessionId: string | undefined;
  usage: Usage | undefined;
  model: string | undefined;
  end: Extract<AgentEvent, { readonly type: 'end' }> | undefined;
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
      seen.isWorkLast = false;
      break;
    case 'session':
      seen.sessionId = event.sessionId;
      break;
    case 'usage':
      seen.usage = event.usage;
      seen.model = event.model ?? seen.model;
      break;
    case 'tool-call':
      seen.isWorkLast = true;
      completion.toolCall(event.id);
      break;
    case 'tool-result':
      completion.toolResult(event.id);
      break;
    case 'end':
      // A later end event cancels an earlier error.
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
