/**
 * Tests every transition from every state on both databases, and compares the documentation with
 * the table.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import { matrixColumns } from '../../../../test/matrix.ts';
import {
  DEADLINE_SECONDS,
  OWNER,
  prepareChat,
  testMachine,
  toolResult,
  toolStep,
  userMessage,
  type PreparedChat,
  type TestMachine,
} from './test-chats.ts';
import {
  allowedNext,
  CHAT_STATES,
  TRANSITIONS,
  type ChatState,
  type Transition,
} from './rows/transition-table.ts';

/** All transitions, in documentation order. */
const TRANSITION_NAMES = Object.keys(TRANSITIONS) as Transition[];

/**
 * Expected end state of each transition, written by hand. `-`: unchanged, without a notification.
 * `!code`: rejected. A queue contains one message.
 */
const EXPECTED = `
transition           none             waiting            running            running+queue      interrupting       interrupting+queue requires_action    requires_action+queue error            error+queue
createChat           running          !not-allowed       !not-allowed       !not-allowed       !not-allowed       !not-allowed       !not-allowed       !not-allowed          !not-allowed     !not-allowed
sendMessage          !chat-not-found  running            running+queue      running+queue      interrupting+queue interrupting+queue requires_action+queue requires_action+queue running       running+queue
sendInterrupting     !chat-not-found  running            interrupting+queue interrupting+queue interrupting+queue interrupting+queue running            running+queue         running          running+queue
editMessage          !chat-not-found  running            running            running            running            running            running            running               running          running
deleteQueued         !chat-not-found  !queued-not-found  !queued-not-found  running            !queued-not-found  interrupting       !queued-not-found  requires_action       !queued-not-found error
promoteQueued        !chat-not-found  !queued-not-found  !queued-not-found  interrupting+queue !queued-not-found  interrupting+queue !queued-not-found  running               !queued-not-found running
interrupt            !chat-not-found  !not-allowed       interrupting       interrupting+queue !not-allowed       !not-allowed       waiting            running               !not-allowed     !not-allowed
submitToolResults    !chat-not-found  !not-allowed       !not-allowed       !not-allowed       !not-allowed       !not-allowed       running            running+queue         !not-allowed     !not-allowed
requestCompaction    !chat-not-found  running            !not-allowed       !not-allowed       !not-allowed       !not-allowed       !not-allowed       !not-allowed          running          running+queue
patchChat            !chat-not-found  waiting            running            running+queue      interrupting       interrupting+queue requires_action    requires_action+queue error            error+queue
deleteChat           !chat-not-found  none               none               none               none               none               none               none                  none             none
acquire              !chat-not-found  !not-allowed       running            running+queue      interrupting       interrupting+queue !not-allowed       !not-allowed          !not-allowed     !not-allowed
release              !chat-not-found  !superseded        running            running+queue      interrupting       interrupting+queue !superseded        !superseded           !superseded      !superseded
commitStep           !chat-not-found  !superseded        running            running+queue      !not-allowed       !not-allowed       !superseded        !superseded           !superseded      !superseded
claimTool            !chat-not-found  !superseded        running            running+queue      !not-allowed       !not-allowed       !superseded        !superseded           !superseded      !superseded
markUnknown          !chat-not-found  !superseded        running            running+queue      interrupting       interrupting+queue !superseded        !superseded           !superseded      !superseded
commitToolResults    !chat-not-found  !superseded        running            running+queue      !not-allowed       !not-allowed       !superseded        !superseded           !superseded      !superseded
enterRequiresAction  !chat-not-found  !superseded        requires_action    requires_action+queue !not-allowed    !not-allowed       !superseded        !superseded           !superseded      !superseded
expireRequiresAction !chat-not-found  !not-allowed       !not-allowed       !not-allowed       !not-allowed       !not-allowed       running            running+queue         !not-allowed     !not-allowed
resumeQueue          !chat-not-found  !not-allowed       !not-allowed       !not-allowed       !not-allowed       !not-allowed       !not-allowed       !not-allowed          !not-allowed     running
expireRequest        !chat-not-found    !not-allowed       waiting            running            !not-allowed       !not-allowed       waiting            running            !not-allowed       !not-allowed
commitCompaction     !chat-not-found  !superseded        running            running+queue      !not-allowed       !not-allowed       !superseded        !superseded           !superseded      !superseded
recordRetry          !chat-not-found  !superseded        running            running+queue      !not-allowed       !not-allowed       !superseded        !superseded           !superseded      !superseded
recordFault          !chat-not-found  !not-allowed       running            running+queue      waiting            running            !not-allowed       !not-allowed          !not-allowed     !not-allowed
finishTurn           !chat-not-found  !superseded        waiting            running            !not-allowed       !not-allowed       !superseded        !superseded           !superseded      !superseded
failTurn             !chat-not-found  !superseded        error              error+queue        !not-allowed       !not-allowed       !superseded        !superseded           !superseded      !superseded
finishInterruption   !chat-not-found  !superseded        !not-allowed       !not-allowed       waiting            running            !superseded        !superseded           !superseded      !superseded
`;

const [header = [], ...rows] = EXPECTED.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/u));

let requested = '';
function newRequest(): string {
  requested = crypto.randomUUID();
  return requested;
}

const ERROR = { kind: 'timeout', message: 'Too slow.', isRetryable: true } as const;

/** Requests each transition as its user would. */
const ASK: Record<
  Transition,
  (machine: TestMachine, chat: PreparedChat, state: ChatState) => Promise<unknown>
> = {
  createChat: (machine, { chatId: id }) =>
    machine.createChat({ owner: OWNER, id, model: 'scripted', message: userMessage('first') }),
  sendMessage: (machine, { chatId }) =>
    machine.sendMessage({ owner: OWNER, chatId, message: userMessage('more'), busyBehavior: 'queue' }),
  sendInterrupting: (machine, { chatId }) =>
    machine.sendMessage({ owner: OWNER, chatId, message: userMessage('now'), busyBehavior: 'interrupt' }),
  editMessage: (machine, { chatId }) =>
    machine.editMessage({ owner: OWNER, chatId, messageId: 1, message: userMessage('better') }),
  deleteQueued: (machine, { chatId }) => machine.deleteQueued({ owner: OWNER, chatId, queuedId: 1 }),
  promoteQueued: (machine, { chatId }) => machine.promoteQueued({ owner: OWNER, chatId, queuedId: 1 }),
  interrupt: (machine, { chatId }) => machine.interrupt({ owner: OWNER, chatId }),
  submitToolResults: (machine, { chatId }) =>
    machine.submitToolResults({ owner: OWNER, chatId, results: [{ toolCallId: 'call-1', output: 1 }] }),
  requestCompaction: (machine, { chatId }) => machine.requestCompaction({ owner: OWNER, chatId }),
  patchChat: (machine, { chatId }) =>
    machine.patchChat({ owner: OWNER, chatId, title: 'Another', planMode: true }),
  deleteChat: (machine, { chatId }) => machine.deleteChat({ owner: OWNER, chatId }),
  acquire: (machine, { chatId }) => {
    machine.clock.nowMs += 60_000;
    return machine.acquire({ chatId, worker: 'worker-2' });
  },
  release: (machine, { fence }) => machine.release(fence),
  commitStep: (machine, { fence }) => machine.commitStep(fence, toolStep('call-2', 'server')),
  claimTool: (machine, { fence, callId }) =>
    machine.claimTool(fence, { messageId: callId, toolCallId: 'call-1', inputHash: 'input' }),
  markUnknown: (machine, { fence, callId }) =>
    machine.markUnknown(fence, { messageId: callId, toolCallId: 'call-1' }),
  commitToolResults: (machine, { fence, callId }) =>
    machine.commitToolResults(fence, { results: [toolResult(callId, 'call-1')] }),
  enterRequiresAction: async (machine, { fence, callId }, state) => {
    if (!state.startsWith('running')) return machine.enterRequiresAction(fence);
    const answered = await machine.commitToolResults(fence, { results: [toolResult(callId, 'call-1')] });
    const asked = await machine.commitStep(answered.fence, toolStep('call-2', 'client'));
    return machine.enterRequiresAction(asked.fence);
  },
  expireRequiresAction: (machine, { chatId }) => {
    machine.clock.nowMs += 300_000;
    return machine.expireRequiresAction(chatId);
  },
  resumeQueue: (machine, { chatId }) => {
    machine.clock.nowMs += 60_000;
    return machine.resumeQueue(chatId);
  },
  expireRequest: (machine, { chatId }) => {
    machine.clock.nowMs += DEADLINE_SECONDS * 1_000;
    return machine.expireRequest({ chatId, requestId: requested });
  },
  commitCompaction: (machine, { fence }) =>
    machine.commitCompaction(fence, {
      messages: [{ role: 'user', visibility: 'model', parts: [{ type: 'summary', text: 'So far' }] }],
    }),
  recordRetry: (machine, { fence }) =>
    machine.recordRetry(fence, { attempt: 1, delayMs: 1_000, error: ERROR }),
  recordFault: (machine, { fence }) => machine.recordFault(fence, { error: ERROR, pauseMs: 1_000 }),
  finishTurn: (machine, { fence }) => machine.finishTurn(fence),
  failTurn: (machine, { fence }) => machine.failTurn(fence, { error: ERROR }),
  finishInterruption: (machine, { fence }) => machine.finishInterruption(fence),
};

it('knows every state and every transition', () => {
  expect(header.slice(1)).toEqual(CHAT_STATES);
  expect(rows.map(([name]) => name)).toEqual(TRANSITION_NAMES);
});

const INTRODUCTION = [
  '# States and transitions of a chat',
  '',
  'For developers of clients and of the server: the transitions of a chat, and the states in which each',
  'one is allowed. `+queue` means that messages wait for their turn.',
  '',
  'A cell contains the states in which the transition can end. `–` means that it is refused with the',
  'code in [Refusals](#refusals), or with `chat-not-found` if there is no chat. Over HTTP the codes have',
  'underscores: `chat_not_found`. If another worker has taken over',
  'the turn, the call is refused with `superseded` in every state.',
  '',
  '![States of a chat: createChat leads to running. From there a chat ends in waiting or error, or passes through interrupting or requires action.](images/diagram-chat-states.svg)',
  '',
  'The picture shows the common transitions. The table has all of them.',
  '',
  'This page is generated from `packages/server/src/state/rows/transition-table.ts`. Its test requests every transition in',
  'every state, on SQLite and on Postgres. To write the page again:',
  '',
  '```sh',
  'UPDATE_DOCS=1 npx vitest run packages/server/src/state/transition-matrix.test.ts',
  '```',
  '',
] as const;

/** Renders the transition table as Markdown. */
function listTransitions(): string {
  const columns = CHAT_STATES.map((state) => state.replaceAll('_', ' '));
  const lines = TRANSITION_NAMES.map((transition) => {
    const cells = CHAT_STATES.map((state) => (allowedNext(transition, state) ?? ['–']).join(', '));
    return `| \`${transition}\` | ${cells.join(' | ').replaceAll('_', ' ')} |`;
  });
  const refusals = TRANSITION_NAMES.map(
    (transition) =>
      `| \`${transition}\` | ${TRANSITIONS[transition].code ?? 'not-allowed'} | ${TRANSITIONS[transition].refusal} |`,
  );
  return [
    ...INTRODUCTION,
    `| transition | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...lines,
    '',
    '## Refusals',
    '',
    '| transition | code | reason |',
    '|---|---|---|',
    ...refusals,
    '',
  ].join('\n');
}

it('is listed in the documentation', async () => {
  const path = new URL('../../../../docs/chat-states.md', import.meta.url);
  if (process.env['UPDATE_DOCS'] === '1') await writeFile(path, listTransitions());
  expect(await readFile(path, 'utf8')).toBe(listTransitions());
});

describeOnBothStores('the machine', (open, dialect) => {
  for (const [column, state] of matrixColumns(dialect, [...CHAT_STATES.entries()], { rows: 2 })) {
    it(`moves a chat that is ${state} as the table defines`, async () => {
      const machine = testMachine(open());
      const found: string[][] = [];
      for (const transition of TRANSITION_NAMES) {
        found.push([transition, await outcome(machine, state, transition)]);
      }
      expect(found).toEqual(rows.map((row) => [row[0], row[column + 1]]));
    });
  }
});

async function outcome(machine: TestMachine, state: ChatState, transition: Transition): Promise<string> {
  const chat = await prepareChat(machine, state, transition === 'expireRequest' ? newRequest() : undefined);
  const before = await look(machine, chat.chatId);
  expect(before.state).toBe(state);
  try {
    await ASK[transition](machine, chat, state);
    return (await look(machine, chat.chatId)).state;
  } catch (error) {
    if (!ChatStateError.isInstance(error)) throw error;
    expect(await look(machine, chat.chatId)).toEqual(before);
    expect(error.transition).toBe(transition);
    return `!${error.code}`;
  }
}

async function look(machine: TestMachine, chatId: string): Promise<{ state: string; version?: number }> {
  try {
    const { status, queueLength, version } = await machine.readChat({ owner: OWNER, chatId });
    return { state: `${status}${queueLength > 0 ? '+queue' : ''}`, version };
  } catch (error) {
    if (ChatStateError.isInstance(error) && error.code === 'chat-not-found') return { state: 'none' };
    throw error;
  }
}
