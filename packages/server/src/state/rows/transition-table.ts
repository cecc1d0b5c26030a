/** Transition table of a chat: for each state and transition, the allowed end states or the refusal. Pure. */
import { ChatStateError, type ChatStateErrorCode } from '@truecast/core/internal/errors/chat-state-error';
import type { RowStatus } from '../../contract/rows.ts';

/** All states, in the order of the listing. */
export const CHAT_STATES = [
  'none',
  'waiting',
  'running',
  'running+queue',
  'interrupting',
  'interrupting+queue',
  'requires_action',
  'requires_action+queue',
  'error',
  'error+queue',
] as const;

/** A status, and whether messages are queued. A waiting chat has no queue: the store rejects such a row. */
export type ChatState = (typeof CHAT_STATES)[number];

/** Name of a change, such as `sendMessage`. */
export type Transition =
  | 'createChat'
  | 'sendMessage'
  | 'sendInterrupting'
  | 'editMessage'
  | 'deleteQueued'
  | 'promoteQueued'
  | 'interrupt'
  | 'submitToolResults'
  | 'requestCompaction'
  | 'patchChat'
  | 'deleteChat'
  | 'acquire'
  | 'release'
  | 'commitStep'
  | 'claimTool'
  | 'markUnknown'
  | 'commitToolResults'
  | 'enterRequiresAction'
  | 'expireRequiresAction'
  | 'resumeQueue'
  | 'expireRequest'
  | 'commitCompaction'
  | 'recordRetry'
  | 'recordFault'
  | 'finishTurn'
  | 'failTurn'
  | 'finishInterruption';

/**
 * One row of the table: start states with their allowed end states, and the refusal from any other
 * state.
 */
interface TransitionRule {
  readonly from: Readonly<Partial<Record<ChatState, readonly ChatState[]>>>;
  readonly refusal: string;
  /** @default 'not-allowed' */
  readonly code?: ChatStateErrorCode;
}

const RUNNING = ['running', 'running+queue'] as const;
const INTERRUPTING = ['interrupting', 'interrupting+queue'] as const;
const ACTION = ['requires_action', 'requires_action+queue'] as const;
const ERROR = ['error', 'error+queue'] as const;
const LIVE: readonly ChatState[] = ['waiting', ...RUNNING, ...INTERRUPTING, ...ACTION, ...ERROR];

/** States from which `transition` leaves the chat unchanged. */
const unchanged = (states: readonly ChatState[]): TransitionRule['from'] =>
  Object.fromEntries(states.map((state) => [state, [state]]));
const allTo = (states: readonly ChatState[], next: readonly ChatState[]): TransitionRule['from'] =>
  Object.fromEntries(states.map((state) => [state, next]));

/** End of a turn: the head of the queue is next, and more messages can be queued after it. */
const ENDED: TransitionRule['from'] = { running: ['waiting'], 'running+queue': RUNNING };
const NO_WORKER = 'only a running or interrupting chat has work for a worker';
const NOT_RUNNING = 'only the running turn of a chat can be continued';

/**
 * The transition table. A transition from a state that is missing in its row is rejected with
 * `not-allowed` (`none`: `chat-not-found`).
 */
export const TRANSITIONS: Readonly<Record<Transition, TransitionRule>> = {
  createChat: { from: { none: ['running'] }, refusal: 'the chat already exists' },
  sendMessage: {
    from: {
      waiting: ['running'],
      error: ['running'],
      'error+queue': ['running+queue'],
      ...allTo(RUNNING, ['running+queue']),
      ...allTo(INTERRUPTING, ['interrupting+queue']),
      ...allTo(ACTION, ['requires_action+queue']),
    },
    refusal: 'the chat accepts no message',
  },
  sendInterrupting: {
    from: {
      waiting: ['running'],
      error: ['running'],
      'error+queue': ['running+queue'],
      ...allTo(RUNNING, ['interrupting+queue']),
      ...allTo(INTERRUPTING, ['interrupting+queue']),
      requires_action: ['running'],
      'requires_action+queue': ['running+queue'],
    },
    refusal: 'the chat accepts no message',
  },
  editMessage: { from: allTo(LIVE, ['running']), refusal: 'the chat accepts no edit' },
  deleteQueued: {
    from: {
      'running+queue': RUNNING,
      'interrupting+queue': INTERRUPTING,
      'requires_action+queue': ACTION,
      'error+queue': ERROR,
    },
    refusal: 'its queue is empty',
    code: 'queued-not-found',
  },
  promoteQueued: {
    from: {
      'running+queue': ['interrupting+queue'],
      'interrupting+queue': ['interrupting+queue'],
      'requires_action+queue': RUNNING,
      'error+queue': RUNNING,
    },
    refusal: 'its queue is empty',
    code: 'queued-not-found',
  },
  interrupt: {
    from: {
      running: ['interrupting'],
      'running+queue': ['interrupting+queue'],
      requires_action: ['waiting'],
      'requires_action+queue': RUNNING,
    },
    refusal: 'there is no turn to interrupt',
  },
  submitToolResults: {
    from: { requires_action: ['running'], 'requires_action+queue': ['running+queue'] },
    refusal: 'the chat is not waiting for tool results',
  },
  requestCompaction: {
    from: { waiting: ['running'], error: ['running'], 'error+queue': ['running+queue'] },
    refusal: 'a turn is running, and compacts by itself near the limit',
  },
  patchChat: { from: unchanged(LIVE), refusal: 'the chat cannot be changed' },
  deleteChat: { from: allTo(LIVE, ['none']), refusal: 'the chat cannot be deleted' },
  acquire: { from: unchanged([...RUNNING, ...INTERRUPTING]), refusal: NO_WORKER },
  release: { from: unchanged([...RUNNING, ...INTERRUPTING]), refusal: NO_WORKER },
  commitStep: { from: unchanged(RUNNING), refusal: NOT_RUNNING },
  claimTool: { from: unchanged(RUNNING), refusal: NOT_RUNNING },
  markUnknown: { from: unchanged([...RUNNING, ...INTERRUPTING]), refusal: NO_WORKER },
  commitToolResults: { from: unchanged(RUNNING), refusal: NOT_RUNNING },
  enterRequiresAction: {
    from: { running: ['requires_action'], 'running+queue': ['requires_action+queue'] },
    refusal: NOT_RUNNING,
  },
  expireRequiresAction: {
    from: { requires_action: ['running'], 'requires_action+queue': ['running+queue'] },
    refusal: 'the chat is not waiting for tool results',
  },
  resumeQueue: { from: { 'error+queue': RUNNING }, refusal: 'its queue is not held by an error' },
  expireRequest: {
    from: {
      running: ['waiting'],
      'running+queue': RUNNING,
      'interrupting+queue': INTERRUPTING,
      requires_action: ['waiting'],
      'requires_action+queue': [...RUNNING, ...ACTION],
      'error+queue': ERROR,
    },
    refusal: 'it has no open request',
  },
  commitCompaction: { from: unchanged(RUNNING), refusal: NOT_RUNNING },
  recordRetry: { from: unchanged(RUNNING), refusal: NOT_RUNNING },
  recordFault: {
    from: {
      running: ['running', 'error'],
      'running+queue': ['running+queue', 'error+queue'],
      interrupting: ['waiting'],
      'interrupting+queue': RUNNING,
    },
    refusal: NO_WORKER,
  },
  finishTurn: { from: ENDED, refusal: NOT_RUNNING },
  failTurn: { from: { running: ['error'], 'running+queue': ['error+queue'] }, refusal: NOT_RUNNING },
  finishInterruption: {
    from: { interrupting: ['waiting'], 'interrupting+queue': RUNNING },
    refusal: 'the chat is not being interrupted',
  },
};

export function stateOf({ status, queueLength }: ChatFacts): ChatState {
  // `waiting+queue` does not exist, so listing the existing names avoids a cast.
  const state = queueLength > 0 ? `${status}+queue` : status;
  const known = CHAT_STATES.find((name) => name === state);
  if (known !== undefined) return known;
  throw new ChatStateError(`The chat is in an invalid state: ${state}. Restore the database.`, {
    code: 'invalid-state',
    from: state,
  });
}

/** The columns that determine a chat's state. */
export interface ChatFacts {
  readonly status: RowStatus;
  readonly queueLength: number;
}

/** The allowed end states of `transition` from `from`. Undefined if it is refused. */
export function allowedNext(transition: Transition, from: ChatState): readonly ChatState[] | undefined {
  return TRANSITIONS[transition].from[from];
}

/**
 * Rejects a transition that the table does not allow.
 *
 * @throws ChatStateError `chat-not-found` without a chat, otherwise `not-allowed`
 */
export function assertAllowed(transition: Transition, from: ChatState, chatId: string): void {
  if (allowedNext(transition, from) !== undefined) return;
  if (from === 'none') throw chatNotFound(chatId, transition);
  const { refusal, code = 'not-allowed' } = TRANSITIONS[transition];
  throw new ChatStateError(
    `\`${transition}\` is not possible while the chat is ${from}: ${refusal}. Read the chat and decide again.`,
    { code, chatId, transition, from },
  );
}

/**
 * Rejects an end state that the table does not allow. That is a defect of the state machine, so
 * nothing is committed.
 *
 * @throws ChatStateError `invalid-state`
 */
export function assertEnding(transition: Transition, from: ChatState, to: ChatState, chatId: string): void {
  if (allowedNext(transition, from)?.includes(to) === true) return;
  throw new ChatStateError(
    `\`${transition}\` would take the chat from ${from} to ${to}, which the transition table does not contain. Nothing was changed. \`docs/errors.md\` says how to report it.`,
    { code: 'invalid-state', chatId, transition, from },
  );
}

/** Error for a missing chat, and for a chat of another owner. */
export function chatNotFound(chatId: string, transition?: Transition): ChatStateError {
  return new ChatStateError('There is no such chat. Check its id and the token.', {
    code: 'chat-not-found',
    chatId,
    ...(transition === undefined ? {} : { transition, from: 'none' }),
  });
}
