/**
 * One turn of the agent in a run: runs its command line, accounts its events, copies its session to
 * the host, and judges its result.
 */
import { AgentError } from '@truecast/core/internal/errors/agent-error';
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import type { AgentEvent, PrintCommand } from '../../ports/agent-provider.ts';
import { priceUsage } from '@truecast/core/internal/errors/base/prices';
import { budgetError } from '../accounting/budget.ts';
import type { AnswerFinder } from '../finalizer/answer-finder.ts';
import { recordTurn } from './record-turn.ts';
import { runAgentTurn, type AgentProcessResult } from './run-agent-turn.ts';
import type { WorkingContext } from '../context/run-context.ts';
import { closeTurnUsage, totalUsage } from '../context/run-progress.ts';

/** Inputs of one turn. */
export interface TurnRequest {
  readonly prompt: string;
  readonly resumeSession: string | undefined;
  readonly forkSession: boolean;
  readonly finder: AnswerFinder | undefined;
}

/**
 * Runs the agent once and adds the result to the run's progress.
 *
 * @throws AgentError if the process failed; the error carries an answer that was already valid
 */
export async function takeTurn(context: WorkingContext, request: TurnRequest): Promise<AgentProcessResult> {
  const { options, progress, workspace } = context;
  try {
    const command = withEnv(await buildCommand(context, request), workspace.agentEnv);
    const turn = await recordTurn(context, { ...request, command: command.command }, (onRaw) =>
      runAgentTurn({
        ...options,
        handle: workspace.handle,
        command,
        resumeSession: request.resumeSession,
        signal: context.stop.signal,
        ...(request.finder?.answered !== undefined && { answered: request.finder.answered }),
        isAwaited: () => request.finder?.isAwaited?.() ?? false,
        ...createTurnSink(context, request),
        onRaw,
      }),
    );
    progress.stdout.push(turn.resultText);
    if (turn.isCompletedByTimeout) {
      const done =
        turn.completionSignal === undefined ? 'submitted its answer' : 'printed its completion signal';
      context.warn(`The agent ${done} but did not exit, so it was stopped.`);
    }
    progress.completionSignal = turn.completionSignal;
    const failure = judgeTurn(turn, context);
    if (failure !== undefined) throw failure;
    await workspace.syncOut();
    return turn;
  } catch (error) {
    throw await withAnswer(error, request.finder);
  } finally {
    await recordIteration(context);
  }
}

async function buildCommand(context: WorkingContext, request: TurnRequest): Promise<PrintCommand> {
  const { options, workspace } = context;
  const jsonSchema = options.native?.schema;
  const passesFile = jsonSchema !== undefined && options.agent.nativeRoute?.passes === 'file';
  return options.agent.buildPrintCommand({
    prompt: request.prompt,
    dangerouslySkipPermissions: true,
    ...(request.resumeSession !== undefined && { resumeSession: request.resumeSession }),
    ...(request.forkSession && { forkSession: true }),
    ...(jsonSchema !== undefined && { jsonSchema }),
    ...(passesFile && {
      jsonSchemaPath: await workspace.writeTemporaryFile('schema.json', JSON.stringify(jsonSchema)),
    }),
    ...(request.finder?.mcpServer !== undefined && { mcpServer: request.finder.mcpServer }),
    ...(workspace.handle.modelBaseUrl !== undefined && { modelBaseUrl: workspace.handle.modelBaseUrl }),
  });
}

function withEnv(command: PrintCommand, agentEnv: Readonly<Record<string, string>>): PrintCommand {
  return { ...command, env: { ...agentEnv, ...command.env } };
}

interface TurnSink {
  onText(text: string): void;
  onEvent(event: AgentEvent): void;
}

function createTurnSink(context: WorkingContext, { finder }: TurnRequest): TurnSink {
  const { options, progress, stop, mask } = context;
  return {
    onText(text) {
      progress.text.push(text);
      finder?.push(text);
      const partial = options.onPartialOutput === undefined ? undefined : finder?.partial();
      if (partial?.value !== undefined) options.onPartialOutput?.(partial.value);
    },
    onEvent(event) {
      context.emit(event);
      if (event.type === 'session') progress.sessionId = event.sessionId;
      if (event.type === 'warning') progress.warnings.push(mask.mask(event.message));
      if (event.type !== 'usage') return;
      progress.currentUsage = priceUsage(event.usage, options.prices);
      progress.model = event.model ?? progress.model;
      const spent = budgetError(totalUsage(progress), options.budget);
      if (spent !== undefined) stop.stop(spent);
    },
  };
}

/** An agent has succeeded if it exited with 0 and sent its final event, with no error after it. */
function judgeTurn(turn: AgentProcessResult, { options, mask }: WorkingContext): AgentError | undefined {
  // A missing answer is handled by the caller's retries. It is not a failure of the agent.
  if (turn.isCompletedByTimeout || (options.route === 'native' && turn.failure?.isAnswerMissing === true))
    return undefined;
  const { name, hasEndEvent } = options.agent;
  // Masked before it is truncated, because a partial secret would not be found.
  const stderrTail = mask.mask(turn.stderrTail);
  const evidence = { exitCode: turn.exitCode, stderrTail, elapsedMs: turn.elapsedMs };
  if (turn.failure !== undefined) {
    const { message, statusCode } = turn.failure;
    const status = statusCode === undefined ? '' : ` (status ${statusCode})`;
    return new AgentError(
      `The agent \`${name}\` gave up${status}: ${asSentence(cut(mask.mask(message)))} Its work is kept; see the log.`,
      {
        ...evidence,
        code: 'api',
        ...(statusCode !== undefined && { statusCode }),
      },
    );
  }
  if (turn.exitCode !== 0) {
    const reason = stderrTail.trim() === '' ? mask.mask(turn.resultText) : stderrTail;
    return new AgentError(
      `The agent \`${name}\` exited with code ${turn.exitCode}: ${asSentence(cut(lastWords(reason)))} Its work is kept; see the log.`,
      {
        ...evidence,
        code: 'exit',
      },
    );
  }
  if (turn.hasEnded || !hasEndEvent) return undefined;
  return new AgentError(
    `The agent \`${name}\` exited with code 0 without its final event. Its work is kept; check its version with \`truecast doctor\`.`,
    {
      ...evidence,
      code: 'incomplete',
    },
  );
}

/** An agent's text that more text follows. */
function asSentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}

function lastWords(text: string): string {
  return text.trim().slice(-200);
}

/** If the process failed after its answer was submitted, the answer still counts. */
async function withAnswer(error: unknown, finder: AnswerFinder | undefined): Promise<unknown> {
  if (!AgentError.isInstance(error) || finder === undefined) return error;
  const answer = await finder.finish(undefined);
  return answer.success
    ? Object.assign(error, { output: answer.value, provenance: answer.provenance })
    : error;
}

async function recordIteration(context: WorkingContext): Promise<void> {
  const { progress, workspace } = context;
  const usage = closeTurnUsage(progress);
  const sessionId = progress.sessionId;
  if (sessionId !== undefined) progress.sessionFilePath = await workspace.captureSession(sessionId);
  const { sessionFilePath } = progress;
  progress.iterations.push({
    ...(sessionId !== undefined && { sessionId }),
    ...(sessionFilePath !== undefined && { sessionFilePath }),
    ...(usage !== undefined && { usage }),
  });
}
