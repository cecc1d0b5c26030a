/**
 * One turn of the agent in a run: runs its command line, accounts its events, copies its session to
 * the host, and judges its result.
 */
import { recordAgent } from '../../git/command/left-agents.ts';
import { outcomesOf } from '@truecast/core/internal/output/definition/outcome';
import { PreviewPace } from '@truecast/core/internal/output/scan/preview-pace';
import { AgentError } from '@truecast/core/internal/errors/agent-error';
import type { AgentEvent, PrintCommand } from '../../ports/agent-provider.ts';
import { priceUsage, reportedUsage, type Usage } from '@truecast/core/internal/kit/usage';
import { budgetError } from '../accounting/budget.ts';
import { uncountedWarning } from '../accounting/uncounted-budget.ts';
import type { AnswerFinder } from '../finalizer/answer-finder.ts';
import { type TurnRequest, takeTurnThroughLimits } from './through-limits.ts';
import { copySessions } from '../executions/copy-sessions.ts';
import { createElementEvents, type ElementEvents } from '../context/element-events.ts';
import { judgeTurn, keyError, namingModel } from './judge-turn.ts';
import { recordTurn } from './record-turn.ts';
import { runAgentTurn, type AgentProcessResult } from '../turn/run-agent-turn.ts';
import { traceTurn } from '../context/trace-run.ts';
import type { WorkingContext } from '../context/run-context.ts';
import { closeTurnUsage, totalUsage } from '../context/run-progress.ts';

/**
 * Runs the agent until its turn has ended, and adds the result to the run's progress. With
 * `policies.onLimit: 'wait'`, waits for the reset of a model service's limit.
 *
 * @throws AgentError if the process failed; the error contains an answer that was already valid
 */
export async function takeTurn(context: WorkingContext, request: TurnRequest): Promise<AgentProcessResult> {
  try {
    return await takeTurnThroughLimits(context, request, (next) =>
      traceTurn(context, (traced) => runOnce(traced, next)),
    );
  } catch (error) {
    throw await withAnswer(error, request.finder);
  }
}

async function runOnce(context: WorkingContext, request: TurnRequest): Promise<AgentProcessResult> {
  const { options, progress, workspace, server } = context;
  const endTurn = server?.beginTurn();
  const stopCopies = copySessions(context);
  try {
    const command = withEnv(await buildCommand(context, request), {
      ...workspace.agentEnv,
      ...context.traceEnv,
    });
    const elements = createElementEvents(context, request.finder);
    const turn = await recordTurn(context, { ...request, command: command.command }, (onRaw) =>
      runAgentTurn({
        ...options,
        handle: workspace.handle,
        command,
        resumeSession: request.resumeSession,
        signal: context.stop.signal,
        ...(request.finder?.answered !== undefined && { answered: request.finder.answered }),
        isAwaited: () => server?.isBusy === true || request.finder?.isAwaited?.() === true,
        ...createTurnSink(context, request, elements),
        recordProcess: (started) => recordAgent(workspace.worktree.lock, started),
        onRaw,
      }),
    );
    await elements?.settled();
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
    throw namingModel(error, context);
  } finally {
    endTurn?.();
    await stopCopies();
    await recordIteration(context);
  }
}

async function buildCommand(context: WorkingContext, request: TurnRequest): Promise<PrintCommand> {
  const { options, workspace } = context;
  const jsonSchema = options.native?.schema;
  const passesFile = jsonSchema !== undefined && options.agent.nativeMode?.passes === 'file';
  return options.agent.buildPrintCommand({
    prompt: request.prompt,
    dangerouslySkipPermissions: true,
    ...(options.sandbox.tag !== 'none' && { isContained: true }),
    ...(request.resumeSession !== undefined && { resumeSession: request.resumeSession }),
    ...(request.forkSession && { forkSession: true }),
    ...(jsonSchema !== undefined && { jsonSchema }),
    ...(context.progress.attachmentFolder !== undefined && { hasAttachments: true }),
    ...(outcomesOf(options.output)?.asks === true && { asksByOutcome: true }),
    ...(passesFile && {
      jsonSchemaPath: await workspace.writeTemporaryFile('schema.json', JSON.stringify(jsonSchema)),
    }),
    ...(context.server !== undefined && { mcpServer: context.server.command }),
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

function createTurnSink(
  context: WorkingContext,
  { finder }: TurnRequest,
  elements: ElementEvents | undefined,
): TurnSink {
  const { options, progress, stop, mask } = context;
  let hasThrown = false;
  const pace = new PreviewPace(() => performance.now());
  const showPartial = (): void => {
    const partial = options.onPartial === undefined ? undefined : finder?.partial();
    if (partial?.value === undefined) return;
    try {
      options.onPartial?.(partial.value);
    } catch (error) {
      if (!hasThrown) context.warn(`\`onPartial\` threw an error, which was ignored: ${String(error)}`);
      hasThrown = true;
    }
  };
  return {
    onText(text) {
      progress.text.push(text);
      finder?.push(text);
      elements?.take();
      if (pace.grow(text.length)) showPartial();
    },
    onEvent(event) {
      if (pace.isBehind) {
        pace.catchUp();
        showPartial();
      }
      // Zeros do not count: the agent's service has not reported its tokens.
      if (event.type === 'usage' && reportedUsage(event.usage) === undefined) return;
      context.emit(event);
      if (event.type === 'session') {
        progress.sessionId = event.sessionId;
        progress.closedMode = event.closedMode;
      }
      if (event.type === 'warning') {
        const message = mask.mask(event.message);
        // A CLI can repeat a warning in each of its turns.
        if (!progress.warnings.includes(message)) progress.warnings.push(message);
        const refused = keyError(context, event);
        if (refused !== undefined) stop.stop(refused);
      }
      if (event.type !== 'usage') return;
      progress.currentUsage = priceUsage(event.usage, options.prices);
      progress.model = event.model ?? progress.model;
      const spent = budgetError(totalUsage(progress), options.budget);
      if (spent !== undefined) stop.stop(spent);
    },
  };
}

/** If the process failed after its answer was submitted, the answer still counts. */
async function withAnswer(error: unknown, finder: AnswerFinder | undefined): Promise<unknown> {
  if (!AgentError.isInstance(error) || finder === undefined) return error;
  const answer = await finder.finish(undefined);
  return answer.success
    ? Object.assign(error, { output: answer.output, provenance: answer.provenance })
    : error;
}

async function recordIteration(context: WorkingContext): Promise<void> {
  const { progress, workspace } = context;
  let usage = closeTurnUsage(progress);
  const sessionId = progress.sessionId;
  if (sessionId !== undefined) progress.sessionFilePath = await workspace.captureSession(sessionId);
  const { sessionFilePath } = progress;
  if (sessionId !== undefined && sessionFilePath !== undefined) {
    usage ??= await readSessionUsage(context, sessionId);
  }
  tellUncounted(context, usage);
  progress.iterations.push({
    ...(sessionId !== undefined && { sessionId }),
    ...(sessionFilePath !== undefined && { sessionFilePath }),
    ...(usage !== undefined && { usage }),
  });
  await context.execution?.turnEnded(context);
  const spent = budgetError(totalUsage(progress), context.options.budget);
  if (spent !== undefined) context.stop.stop(spent);
}

/** Once: the next turns of the same agent have no counts either. */
function tellUncounted(
  { options, progress, workspace, warn }: WorkingContext,
  usage: Usage | undefined,
): void {
  const { agent, budget } = options;
  const { egress } = workspace.handle;
  const warning = uncountedWarning({ usage, budget, agent: agent.name, egress });
  if (warning !== undefined && !progress.warnings.includes(warning)) warn(warning);
}

/**
 * Usage of a turn from its captured session, for agents whose stream reports none: what the agent's
 * `parseSessionUsage` finds. Returns undefined if the agent has
 * none, or if the session cannot be read.
 */
async function readSessionUsage(
  { options, workspace }: WorkingContext,
  sessionId: string,
): Promise<Usage | undefined> {
  const { agent, prices } = options;
  if (agent.parseSessionUsage === undefined || agent.sessionStorage === undefined) return undefined;
  try {
    const content = await agent.sessionStorage.readHostSession(workspace.worktreePath, sessionId);
    const usage = content === undefined ? undefined : agent.parseSessionUsage(content);
    return usage === undefined ? undefined : priceUsage(usage, prices);
  } catch {
    // The agent's code failed. Its answer is not affected.
    return undefined;
  }
}
