/** Events of a run as its page shows them, from the events of a kept run or of a durable one. Pure, but for the reader of the answer. */
import type { AgentRunEvent } from '@truecast/client/internal/wire/runs/agent-run-event';
import type { RunAttempt, RunEventPageView, RunEventView } from '@truecast/client/internal/wire/kept-run';
import type { ReceiptUsage } from '@truecast/client/internal/wire/receipt';
import { countText } from '../../parts/format.ts';
import { NO_ANSWER, type AnswerReader, type LiveAnswer } from './answer-reader.ts';

/** An event in the log. */
export interface LoggedEvent extends Omit<RunEventView, 'type'> {
  readonly type: RunEventView['type'] | 'state' | 'usage';
}

/** Everything that the events so far say. */
export interface FollowedEvents {
  readonly events: readonly LoggedEvent[];
  /** Text of the agent so far. */
  readonly text: string;
  readonly attempts: readonly RunAttempt[];
  /** The answer before it is sealed. */
  readonly answer: LiveAnswer;
  readonly commits: readonly string[];
  readonly warnings: readonly string[];
  readonly usage?: ReceiptUsage;
  /** Status and phase. Empty before the first of these events. */
  readonly state: string;
  /** True if no event follows. */
  readonly isComplete: boolean;
  /** Reason why no event follows, although the run is live. */
  readonly failure: Error | undefined;
}

export const NO_EVENTS: FollowedEvents = {
  events: [],
  text: '',
  attempts: [],
  answer: NO_ANSWER,
  commits: [],
  warnings: [],
  state: '',
  isComplete: false,
  failure: undefined,
};

/** Adds a page of a kept run. The reader takes its events too, so each page comes once. */
export function withPage(
  state: FollowedEvents,
  { status, events, next }: Pick<RunEventPageView, 'status' | 'events' | 'next'>,
  reader?: AnswerReader,
): FollowedEvents {
  return { ...withEvents(state, events, reader), state: status, isComplete: next === undefined };
}

/** Adds events of a durable run. The receipt is the last one. */
export function withStreamed(
  state: FollowedEvents,
  received: readonly { readonly id: string; readonly event: AgentRunEvent }[],
  reader?: AnswerReader,
): FollowedEvents {
  const events = received.map(({ id, event }) => toLogged(event, id));
  const next = withEvents(state, events, reader);
  const changed = received.findLast(({ event }) => event.type === 'status')?.event;
  const usage = received.findLast(({ event }) => event.type === 'usage')?.event;
  return {
    ...next,
    ...(changed?.type === 'status' && { state: stateText(changed) }),
    ...(usage?.type === 'usage' && { usage: usage.usage }),
    isComplete: received.some(({ event }) => event.type === 'receipt'),
  };
}

/** Status and phase of a durable run, for comparison. */
export function stateText({
  status,
  phase = '',
}: {
  readonly status: string;
  readonly phase?: string | undefined;
}): string {
  return `${status} ${phase}`.trim();
}

function withEvents(
  state: FollowedEvents,
  events: readonly LoggedEvent[],
  reader: AnswerReader | undefined,
): FollowedEvents {
  if (events.length === 0) return state;
  const of = (type: LoggedEvent['type']): readonly LoggedEvent[] =>
    events.filter((event) => event.type === type);
  return {
    ...state,
    events: [...state.events, ...events],
    text: withText(state, events),
    attempts: [
      ...state.attempts,
      ...of('attempt').map(({ name = '', text = '' }) => ({ code: name, message: text })),
    ],
    answer: reader?.read(events) ?? state.answer,
    commits: [...state.commits, ...of('commit').map(({ name = '' }) => name)],
    warnings: [...state.warnings, ...of('warning').map(({ text = '' }) => text)],
  };
}

/** Text that follows other work is a new paragraph. Text that follows text continues it. */
function withText({ text, events: before }: FollowedEvents, events: readonly LoggedEvent[]): string {
  let whole = text;
  let last = before.findLast(({ type }) => !PASSING.includes(type))?.type;
  for (const event of events) {
    if (event.type === 'text') {
      const gap = whole === '' || last === 'text' || whole.endsWith('\n') ? '' : '\n\n';
      whole += gap + (event.text ?? '');
    }
    if (!PASSING.includes(event.type)) last = event.type;
  }
  return whole;
}

/** Events between two parts of one text. */
const PASSING: readonly LoggedEvent['type'][] = ['state', 'usage', 'commit', 'warning'];

type Facts = Pick<LoggedEvent, 'type' | 'name' | 'text' | 'issues'>;

const FACTS: {
  readonly [T in AgentRunEvent['type']]: (event: Extract<AgentRunEvent, { type: T }>) => Facts;
} = {
  status: ({ status, phase = '' }) => ({ type: 'state', name: status, text: phase }),
  execution: ({ number, worker }) => ({
    type: 'start',
    name: `execution ${number}`,
    text: `worker ${worker}`,
  }),
  session: ({ session_id: name }) => ({ type: 'session', name }),
  text: ({ text }) => ({ type: 'text', text }),
  tool_call: ({ name, title = '' }) => ({ type: 'tool_call', name, text: title }),
  attempt: ({ attempt: { code: name, message: text }, issues }) => ({
    type: 'attempt',
    name,
    text,
    ...(issues !== undefined && { issues }),
  }),
  commit: ({ sha }) => ({ type: 'commit', name: sha }),
  usage: ({ usage }) => ({
    type: 'usage',
    text: `${countText(usage.input_tokens)} in, ${countText(usage.output_tokens)} out`,
  }),
  warning: ({ message }) => ({ type: 'warning', text: message }),
  receipt: ({ receipt: { status, error } }) => ({
    type: 'end',
    name: status,
    ...(error !== undefined && { text: error.message }),
  }),
};

function toLogged(event: AgentRunEvent, id: string): LoggedEvent {
  // The table has a function for each type.
  const factsOf = FACTS[event.type] as (event: AgentRunEvent) => Facts;
  return { id, at: event.at, iteration: 1, ...factsOf(event) };
}
