/**
 * Turn loop: performs the decision that the committed rows imply, commits, and loads again.
 *
 * load → decide → act → commit → load …; after a crash anywhere the next worker makes the same
 * decision from the rows.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { Fence } from '../state/rows/chat-update.ts';
import type { StartedTurn } from '../state/start-with-commit.ts';
import type { Decision } from '../turn/decide.ts';
import { callModel } from './call-model.ts';
import { useHealthyModel } from './choose-model.ts';
import { compactChat } from './compact-chat.ts';
import { decideTurn } from './decide-turn.ts';
import { errorText } from './error-text.ts';
import { endIfSpent, endInterrupted, endFailedTurn, failUnusable, endFinishedTurn } from './end-of-turn.ts';
import { executeBatch } from './execute-batch.ts';
import { loadLeasedTurn, withView, type LoadedTurn } from './load-turn.ts';
import { startClimb } from '@truecast/model/internal/ladder/climb';
import { traceOf } from '@truecast/model/internal/telemetry/traceparent';
import { passTrace } from '@truecast/model/internal/telemetry/tracing';
import { prepareTurn, type PreparedTurn } from './prepare-turn.ts';
import { tracedEndings } from '../metrics/traced-endings.ts';
import type { StepResult, TurnResult, TurnRun } from './turn-run.ts';
import type { TurnPorts } from './turn-ports.ts';
import { isFault, settleFault } from './turn-fault.ts';
import { watchTurn } from './turn-watch.ts';

const DEFAULT_HEARTBEAT_MS = 10_000;

/** The step of each mode that a retry names. */
const STEPS = { native: 'schema', tool: 'required', tool_auto: 'auto', json: 'json' } as const;

/** Runs the turn of an acquired chat. Rejects only if nothing can be committed. The lease then expires. */
export async function runTurn(
  ports: TurnPorts,
  { fence, turn: built, lostWorker }: StartedTurn,
  shutdown: AbortSignal,
): Promise<TurnResult> {
  const { machine, heartbeatMs = DEFAULT_HEARTBEAT_MS } = ports;
  using watch = watchTurn(machine, fence, { heartbeatMs, shutdown });
  try {
    const turn =
      built === undefined
        ? await loadLeasedTurn(machine, { chatId: fence.chatId, signal: watch.signal })
        : withView(built);
    if (turn.chat.status === 'interrupting') {
      // Runs before any preparation, because an unusable model must not prevent the end of a turn.
      await endInterrupted({ ports, fence }, turn, {});
      return 'ended';
    }
    const prepared = await prepareOrFail(ports, turn, fence);
    if (prepared === undefined) return 'ended';
    return await runPrepared({ ports, watch, fence, prepared }, turn, lostWorker);
  } catch (error) {
    if (isOver(error)) return 'lost';
    if (!isFault(error) || watch.reason() === 'shutdown') throw error;
    return await settleFault(ports, fence, error).catch((late: unknown) => {
      if (isOver(late)) return 'lost';
      throw late;
    });
  }
}

/** Runs the turn in a span, which continues the trace of the message. */
function runPrepared(
  given: Pick<TurnRun, 'fence' | 'ports' | 'prepared' | 'watch'>,
  turn: LoadedTurn,
  lostWorker: string | undefined,
): Promise<TurnResult> {
  const { ownerId, id: chatId, model, retry } = turn.chat;
  const { trace = passTrace } = given.ports;
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'chat',
    'gen_ai.conversation.id': chatId,
    'gen_ai.request.model': model,
    'truecast.turn.attempt': given.fence.attempt,
    'truecast.turn.lost_worker': lostWorker,
  };
  return trace(
    { name: 'invoke_agent chat', kind: 'internal', parent: turn.chat, attributes },
    async (span) => {
      const run: TurnRun = {
        ...given,
        ports: { ...given.ports, machine: tracedEndings(given.ports.machine, span) },
        origin: { ownerId, chatId, ...traceOf(span) },
        chosenModel: given.prepared.model,
        failedModels: new Set(),
        climb: startClimb((retry?.refusedModes ?? []).map((each) => STEPS[each])),
        toldWhenStopped: [],
        isTooLong: retry?.isTooLong ?? false,
        compactions: 0,
      };
      const result = await runSteps(run, turn);
      span.set({ 'truecast.result': result });
      return result;
    },
  );
}

/** True if another worker has the chat, or if the chat was deleted. */
function isOver(error: unknown): boolean {
  return ChatStateError.isInstance(error) && OVER.has(error.code);
}

const OVER: ReadonlySet<string> = new Set(['superseded', 'chat-not-found']);

async function runSteps(run: TurnRun, first: LoadedTurn): Promise<TurnResult> {
  const { machine } = run.ports;
  const place = { chatId: run.fence.chatId, signal: run.watch.signal };
  for (let turn = first; ; turn = await loadLeasedTurn(machine, { ...place, since: turn })) {
    const stopped = await stopIfAsked(run, turn);
    if (stopped !== undefined) return stopped;
    await useHealthyModel(run, turn);
    const decision = decideTurn(run, turn);
    const result = await act(run, turn, decision).catch((error: unknown): StepResult => {
      // The chat was interrupted between load and commit. The next load sees it.
      if (ChatStateError.isInstance(error) && error.code === 'not-allowed') return 'go-on';
      throw error;
    });
    if (result !== 'go-on') return result;
  }
}

async function stopIfAsked(run: TurnRun, turn: LoadedTurn): Promise<TurnResult | undefined> {
  if (turn.chat.status === 'interrupting') {
    await endInterrupted(run, turn, { results: run.toldWhenStopped });
    return 'ended';
  }
  if (turn.chat.status !== 'running') return 'lost';
  const reason = run.watch.reason();
  if (reason === 'lost') return 'lost';
  if (reason !== 'shutdown') return undefined;
  await run.ports.machine.release(run.fence);
  return 'shutdown';
}

async function act(run: TurnRun, turn: LoadedTurn, decision: Decision): Promise<StepResult> {
  const isCall = decision.type === 'call-model' || decision.type === 'compact';
  if (isCall && (await endIfSpent(run, turn))) return 'ended';
  switch (decision.type) {
    case 'execute-tools':
      return executeBatch(run, turn, decision);
    case 'wait-for-client':
      await run.ports.machine.enterRequiresAction(run.fence);
      return 'waiting';
    case 'call-model':
      return callModel(run, turn, decision.way);
    case 'compact':
      return compactChat(run, turn);
    case 'finish':
      await endFinishedTurn(run, turn);
      return 'ended';
    case 'fail':
      await endFailedTurn(run, turn, decision);
      return 'ended';
    default:
      return decision satisfies never;
  }
}

/** An unusable model ends the turn without a call. */
async function prepareOrFail(
  ports: TurnPorts,
  turn: LoadedTurn,
  fence: Fence,
): Promise<PreparedTurn | undefined> {
  try {
    return await prepareTurn(ports, turn);
  } catch (error) {
    if (!UsageError.isInstance(error) || turn.chat.status !== 'running') throw error;
    await failUnusable({ ports, fence }, turn, errorText(ports, error));
    return undefined;
  }
}
