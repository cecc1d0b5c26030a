/** Chat state machine: every change and every read of chats over one store. */
import { randomUUID } from 'node:crypto';
import type { Store } from '@truecast/store/internal/database/store';
import { awaitedCalls } from './awaited-calls.ts';
import * as changes from './chat-changes.ts';
import { chatHints, type ChatHints } from './chat-hints.ts';
import * as reads from './chat-reads.ts';
import { claimTool, markUnknown } from './claim-tool.ts';
import { deletedChats } from './deleted-chats.ts';
import { readStoredResponse } from './rows/idempotency.ts';
import * as leases from './leases.ts';
import type { MachineContext, StateDb } from './rows/machine-context.ts';
import { readRequest, waitForRequest } from './receipts.ts';
import { createChat, editMessage, sendMessage } from './send-message.ts';
import { makeSweep } from './sweep.ts';
import * as commits from './turn-commits.ts';

/** Options of a state machine. */
export interface ChatMachineOptions {
  readonly store: Store;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Generates ids of chats and leases. @default random UUIDs */
  readonly newId?: () => string;
  /** @default 30_000 */
  readonly leaseMs?: number;
  /** Returns true if the lease's worker is known to be dead. @default `() => false` */
  readonly isDeadWorker?: (worker: string) => boolean;
  /** @default 300_000 */
  readonly actionDeadlineMs?: number;
  /** @default 60_000 */
  readonly errorHoldMs?: number;
  /** @default 20 */
  readonly queueCap?: number;
  /** Called after a commit that left a chat with work and no worker. A hint. */
  readonly onRunnable?: (chatId: string) => void;
}

/** A change function without its context parameter, which the machine provides. */
type Bound<TFunction> = TFunction extends (context: MachineContext, ...rest: infer TRest) => infer TResult
  ? (...rest: TRest) => TResult
  : never;
/** A read function without its context parameter. */
type BoundRead<TFunction> = TFunction extends (db: StateDb, ...rest: infer TRest) => infer TResult
  ? (...rest: TRest) => TResult
  : never;

/** Every change and read of chats. Changes are atomic and throw `ChatStateError` if refused. */
export interface ChatMachine extends ChatHints {
  readonly createChat: Bound<typeof createChat>;
  readonly sendMessage: Bound<typeof sendMessage>;
  readonly editMessage: Bound<typeof editMessage>;
  readonly deleteQueued: Bound<typeof changes.deleteQueued>;
  readonly promoteQueued: Bound<typeof changes.promoteQueued>;
  readonly interrupt: Bound<typeof changes.interrupt>;
  readonly submitToolResults: Bound<typeof changes.submitToolResults>;
  readonly requestCompaction: Bound<typeof changes.requestCompaction>;
  readonly patchChat: Bound<typeof changes.patchChat>;
  readonly deleteChat: Bound<typeof changes.deleteChat>;
  readonly acquire: Bound<typeof leases.acquire>;
  readonly heartbeat: Bound<typeof leases.heartbeat>;
  readonly release: Bound<typeof leases.release>;
  readonly commitStep: Bound<typeof commits.commitStep>;
  readonly claimTool: Bound<typeof claimTool>;
  readonly markUnknown: Bound<typeof markUnknown>;
  readonly commitToolResults: Bound<typeof commits.commitToolResults>;
  readonly enterRequiresAction: Bound<typeof commits.enterRequiresAction>;
  readonly expireRequiresAction: Bound<typeof commits.expireRequiresAction>;
  readonly resumeQueue: Bound<typeof changes.resumeQueue>;
  readonly commitCompaction: Bound<typeof commits.commitCompaction>;
  readonly recordRetry: Bound<typeof commits.recordRetry>;
  readonly finishTurn: Bound<typeof commits.finishTurn>;
  readonly failTurn: Bound<typeof commits.failTurn>;
  readonly finishInterruption: Bound<typeof commits.finishInterruption>;
  readonly deletedChats: Bound<typeof deletedChats>;
  readonly sweep: ReturnType<typeof makeSweep>;
  readonly loadTurn: BoundRead<typeof reads.loadTurn>;
  readonly readChat: BoundRead<typeof reads.readChat>;
  readonly listChats: BoundRead<typeof reads.listChats>;
  readonly listChildren: BoundRead<typeof reads.listChildren>;
  readonly listMessages: BoundRead<typeof reads.listMessages>;
  readonly listQueue: BoundRead<typeof reads.listQueue>;
  readonly awaitedCalls: BoundRead<typeof awaitedCalls>;
  readonly changesSince: BoundRead<typeof reads.changesSince>;
  readonly readStanding: BoundRead<typeof leases.readStanding>;
  readonly unknownExecutions: BoundRead<typeof reads.unknownExecutions>;
  readonly readRequest: BoundRead<typeof readRequest>;
  readonly waitForRequest: (wait: Parameters<typeof waitForRequest>[2]) => ReturnType<typeof waitForRequest>;
  readonly readStoredResponse: BoundRead<typeof readStoredResponse>;
}

/** Creates the state machine. */
export function createChatMachine(options: ChatMachineOptions): ChatMachine {
  const context = toContext(options);
  const hints = chatHints(options.store.notifications);
  return { ...hints, ...bindChanges(context), ...bindWork(context), ...bindReads(context, hints) };
}

function toContext(options: ChatMachineOptions): MachineContext {
  return {
    store: options.store,
    now: options.now ?? Date.now,
    newId: options.newId ?? randomUUID,
    leaseMs: options.leaseMs ?? 30_000,
    isDeadWorker: options.isDeadWorker ?? (() => false),
    actionDeadlineMs: options.actionDeadlineMs ?? 300_000,
    errorHoldMs: options.errorHoldMs ?? 60_000,
    queueCap: options.queueCap ?? 20,
    onRunnable: options.onRunnable ?? (() => undefined),
  };
}

type Changes = Pick<
  ChatMachine,
  | 'createChat'
  | 'sendMessage'
  | 'editMessage'
  | 'deleteQueued'
  | 'promoteQueued'
  | 'interrupt'
  | 'submitToolResults'
  | 'requestCompaction'
  | 'patchChat'
  | 'deleteChat'
>;

function bindChanges(context: MachineContext): Changes {
  return {
    createChat: (chat) => createChat(context, chat),
    sendMessage: (message) => sendMessage(context, message),
    editMessage: (edit) => editMessage(context, edit),
    deleteQueued: (queued) => changes.deleteQueued(context, queued),
    promoteQueued: (queued) => changes.promoteQueued(context, queued),
    interrupt: (chat) => changes.interrupt(context, chat),
    submitToolResults: (results) => changes.submitToolResults(context, results),
    requestCompaction: (chat) => changes.requestCompaction(context, chat),
    patchChat: (patch) => changes.patchChat(context, patch),
    deleteChat: (chat) => changes.deleteChat(context, chat),
  };
}

type Work = Pick<
  ChatMachine,
  | 'acquire'
  | 'heartbeat'
  | 'release'
  | 'commitStep'
  | 'claimTool'
  | 'markUnknown'
  | 'commitToolResults'
  | 'enterRequiresAction'
  | 'expireRequiresAction'
  | 'resumeQueue'
  | 'commitCompaction'
  | 'recordRetry'
  | 'finishTurn'
  | 'failTurn'
  | 'finishInterruption'
  | 'deletedChats'
  | 'sweep'
>;

function bindWork(context: MachineContext): Work {
  return {
    acquire: (chat) => leases.acquire(context, chat),
    heartbeat: (fence) => leases.heartbeat(context, fence),
    release: (fence) => leases.release(context, fence),
    commitStep: (fence, step) => commits.commitStep(context, fence, step),
    claimTool: (fence, claim) => claimTool(context, fence, claim),
    markUnknown: (fence, key) => markUnknown(context, fence, key),
    commitToolResults: (fence, results) => commits.commitToolResults(context, fence, results),
    enterRequiresAction: (fence, wait) => commits.enterRequiresAction(context, fence, wait),
    expireRequiresAction: (chatId) => commits.expireRequiresAction(context, chatId),
    resumeQueue: (chatId) => changes.resumeQueue(context, chatId),
    commitCompaction: (fence, compaction) => commits.commitCompaction(context, fence, compaction),
    recordRetry: (fence, retry) => commits.recordRetry(context, fence, retry),
    finishTurn: (fence, finish) => commits.finishTurn(context, fence, finish),
    failTurn: (fence, finish) => commits.failTurn(context, fence, finish),
    finishInterruption: (fence, kept) => commits.finishInterruption(context, fence, kept),
    deletedChats: (chatIds) => deletedChats(context, chatIds),
    sweep: makeSweep(context),
  };
}

type Reads = Omit<ChatMachine, keyof Changes | keyof Work | keyof ChatHints>;

function bindReads({ store }: MachineContext, hints: ChatHints): Reads {
  const { db } = store;
  return {
    loadTurn: (chatId, since) => store.view((view) => reads.loadTurn(view, chatId, since)),
    awaitedCalls: (chatId) => store.view((view) => awaitedCalls(view, chatId)),
    changesSince: (since) => store.view((view) => reads.changesSince(view, since)),
    readChat: (chat) => reads.readChat(db, chat),
    listChats: (filter) => reads.listChats(db, filter),
    listChildren: (chat) => reads.listChildren(db, chat),
    listMessages: (filter) => reads.listMessages(db, filter),
    listQueue: (chat) => reads.listQueue(db, chat),
    readStanding: (fence) => leases.readStanding(db, fence),
    unknownExecutions: (filter) => reads.unknownExecutions(db, filter),
    readRequest: (request) => readRequest(db, request),
    waitForRequest: (wait) => waitForRequest(db, hints, wait),
    readStoredResponse: (key) => readStoredResponse(db, key),
  };
}
