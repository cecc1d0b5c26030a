/** Transition table of an agent run: for each state and transition, the allowed end states or the refusal. Pure. */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';

/** All states, in the order of the listing. */
export const RUN_STATES = [
  'none',
  'queued',
  'running',
  'answered',
  'canceling',
  'succeeded',
  'failed',
  'canceled',
] as const;

/** A status. `answered` is a running run whose answer is accepted. */
export type AgentRunState = (typeof RUN_STATES)[number];

/** Status of a stored run. */
export type StoredRunStatus = Exclude<AgentRunState, 'none' | 'answered'>;

/** Progress of an execution. */
export type RunPhase = 'preparing' | 'working' | 'answered' | 'settled';

/** Name of a change, such as `endRun`. */
export type RunTransition =
  | 'createRun'
  | 'claim'
  | 'takeOver'
  | 'note'
  | 'answer'
  | 'leave'
  | 'requestCancel'
  | 'endRun'
  | 'endLost'
  | 'expire'
  | 'patchRun'
  | 'deleteRun';

/** One row of the table. */
interface RunTransitionRule {
  readonly from: Readonly<Partial<Record<AgentRunState, readonly AgentRunState[]>>>;
  /** Why other states refuse it. */
  readonly refusal: string;
}

const HELD = {
  running: ['running'],
  answered: ['answered'],
  canceling: ['canceling'],
} satisfies RunTransitionRule['from'];
const NO_WORKER = 'no worker has it';

/** Transitions that are missing in a state are refused with `not-allowed`. */
export const RUN_TRANSITIONS: Readonly<Record<RunTransition, RunTransitionRule>> = {
  createRun: { from: { none: ['queued'] }, refusal: 'it exists already' },
  // A run whose row cannot be read ends instead.
  claim: { from: { queued: ['running', 'failed'] }, refusal: 'only a queued run can be claimed' },
  takeOver: {
    from: {
      running: ['running', 'failed'],
      answered: ['answered', 'failed'],
      canceling: ['canceling', 'canceled'],
    },
    refusal: NO_WORKER,
  },
  note: { from: HELD, refusal: NO_WORKER },
  answer: {
    from: { running: ['answered'], answered: ['answered'] },
    refusal: 'only a running run can be answered',
  },
  leave: {
    from: { running: ['queued'], canceling: ['canceled'] },
    refusal: 'only a running run without an answer can be left to another worker',
  },
  requestCancel: {
    from: { queued: ['canceled'], running: ['canceling'], canceling: ['canceling'] },
    refusal: 'its answer is accepted, or it has ended',
  },
  endRun: {
    from: {
      running: ['succeeded', 'failed'],
      answered: ['succeeded', 'failed'],
      canceling: ['canceled'],
    },
    refusal: NO_WORKER,
  },
  endLost: {
    from: { running: ['failed'], answered: ['failed'], canceling: ['canceled'] },
    refusal: NO_WORKER,
  },
  expire: { from: { queued: ['canceled'] }, refusal: 'only a queued run expires' },
  patchRun: {
    from: {
      queued: ['queued'],
      ...HELD,
      succeeded: ['succeeded'],
      failed: ['failed'],
      canceled: ['canceled'],
    },
    refusal: 'there is no run',
  },
  deleteRun: {
    from: { succeeded: ['succeeded'], failed: ['failed'], canceled: ['canceled'] },
    refusal: 'only a run that has ended can be deleted. Cancel it first',
  },
};

/** Returns true if an answer is accepted. From then on, the run needs no agent. */
export function hasAnswer(phase: RunPhase | undefined): boolean {
  return phase === 'answered' || phase === 'settled';
}

/** Returns the state of a stored run. */
export function runStateOf({
  status,
  phase,
}: {
  readonly status: StoredRunStatus;
  readonly phase: RunPhase | undefined;
}): AgentRunState {
  return status === 'running' && hasAnswer(phase) ? 'answered' : status;
}

/** Returns true for the last state of a run. */
export function isEndedRun(state: string): state is 'succeeded' | 'failed' | 'canceled' {
  return state === 'succeeded' || state === 'failed' || state === 'canceled';
}

/** The allowed end states. Undefined if the transition is refused. */
export function allowedRunStates(
  transition: RunTransition,
  from: AgentRunState,
): readonly AgentRunState[] | undefined {
  return RUN_TRANSITIONS[transition].from[from];
}

/** Transitions of a client, in its words. */
const NAMES: Readonly<Partial<Record<RunTransition, string>>> = {
  requestCancel: 'A cancellation',
  deleteRun: 'A deletion',
};

/**
 * Rejects a transition that the table does not allow.
 *
 * @throws ChatStateError `not-allowed`
 * @throws RequestRefusedError `not-found` without a run
 */
export function assertRunAllowed(transition: RunTransition, from: AgentRunState, runId: string): void {
  if (allowedRunStates(transition, from) !== undefined) return;
  if (from === 'none') throw runNotFound();
  throw new ChatStateError(
    `${NAMES[transition] ?? `\`${transition}\``} is not possible while the run is ${from}: ${RUN_TRANSITIONS[transition].refusal}. Read the run and decide again.`,
    { code: 'not-allowed', subject: runId, transition, from },
  );
}

/**
 * Rejects an end state that the table does not allow. That is a defect of the state machine, so nothing is
 * committed.
 *
 * @throws ChatStateError `invalid-state`
 */
export function assertRunEnding(
  transition: RunTransition,
  from: AgentRunState,
  to: AgentRunState,
  runId: string,
): void {
  if (allowedRunStates(transition, from)?.includes(to) === true) return;
  throw new ChatStateError(
    `\`${transition}\` would take the run from ${from} to ${to}, which the transition table does not contain. Nothing was changed. \`docs/errors.md\` says how to report it.`,
    { code: 'invalid-state', subject: runId, transition, from },
  );
}

/** Error for a missing run, and for a run of another owner. */
export function runNotFound(): RequestRefusedError {
  return new RequestRefusedError('There is no such run. Check its id and the token.', { code: 'not-found' });
}
