/** Event stream of a durable run: its stored events in order, then its receipt as the last one. */
import { agentRunEvent, type AgentRunEvent } from '@truecast/client/internal/wire/runs/agent-run-event';
import { z } from 'zod';
import { toZod } from '../../contract/to-zod.ts';
import { readJson, readOr } from '../../state/rows/stored-json.ts';
import { toAgentRunReceipt } from '../agent-run-views.ts';
import type { ServerParts } from '../server-parts.ts';
import type { EventSink } from './event-sink.ts';
import { openEventStream, untilItIsBack, type StreamLife } from './stream-loop.ts';

const PAGE = 500;
/** Another process on a SQLite file sends no notification. */
const READ_MS = 1_000;

/** The receipt is stored once, in the run. */
const storedEvent = z.union([z.object({ type: z.literal('receipt'), at: z.string() }), toZod(agentRunEvent)]);

export interface AgentRunStreamOptions extends StreamLife {
  readonly owner: string;
  readonly runId: string;
  /** Position of the last event that the client has. */
  readonly after: number;
  /** True if the client has the receipt. Then no event can come. */
  readonly isComplete: boolean;
}

/** Opens the stream. It ends after the receipt. */
export function openAgentRunStream(
  parts: Pick<ServerParts, 'agentRuns' | 'store' | 'streamTimes' | 'onFault'>,
  { owner, runId, after, isComplete, ...life }: AgentRunStreamOptions,
): ReadableStream<Uint8Array> {
  const { agentRuns, store } = parts;
  let last = after;
  const send = async (sink: EventSink): Promise<void> => {
    while (!sink.closed.aborted) {
      const events = await agentRuns.listRunEvents({ runId, after: last, limit: PAGE });
      for (const { seq, data } of events) {
        const event = await readEvent(data);
        last = seq;
        // A newer version has written it.
        if (event === undefined) continue;
        if (!(await sink.write(event, String(seq)))) return;
        if (event.type === 'receipt') return sink.end();
      }
      if (events.length < PAGE) return;
    }
  };
  const readEvent = async (data: string): Promise<AgentRunEvent | undefined> => {
    const stored = readOr(() => readJson(storedEvent, data), undefined);
    if (stored?.type !== 'receipt' || 'receipt' in stored) return stored;
    const run = await agentRuns.readRun({ owner, runId });
    return { ...stored, receipt: toAgentRunReceipt(run) };
  };
  return openEventStream(parts, life, {
    listen: (ring) => {
      const stop = agentRuns.onRun(runId, () => ring('rows'));
      if (store.dialect !== 'sqlite') return [stop];
      const timer = setInterval(() => ring('rows'), READ_MS);
      return [stop, () => clearInterval(timer)];
    },
    tell: async (rung, sink) => {
      if (isComplete) return sink.end();
      if (rung.has('rows')) await send(sink).catch(untilItIsBack);
    },
  });
}
