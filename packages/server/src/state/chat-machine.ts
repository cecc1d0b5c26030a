/** Chat state machine: every change and every read of chats over one store. */
import { randomUUID } from 'node:crypto';
import { quotaOf } from '../contract/quotas.ts';
import * as changes from './chat-changes.ts';
import * as since from './lists/changes-since.ts';
import { chatHints, type ChatHints } from './chat-hints.ts';
import * as reads from './chat-reads.ts';
import * as claims from './claim-tool.ts';
import * as deadlines from './deadlines.ts';
import * as deleted from './deleted-chats.ts';
import * as idempotency from './rows/idempotency.ts';
import * as leases from './leases.ts';
import { RecentOwners } from './rows/recent-owners.ts';
import type { MachineSettings } from './rows/machine-context.ts';
import * as receipts from './receipts.ts';
import * as chats from './lists/chat-list.ts';
import * as owners from './lists/owner-changes.ts';
import * as requests from './lists/request-list.ts';
import * as usage from './rows/owner-usage.ts';
import * as use from './lists/owner-use.ts';
import * as runnable from './runnable-chats.ts';
import { NewTurns } from './rows/new-turns.ts';
import * as messages from './send-message.ts';
import { CommitGate } from '../pacing/commit-gate.ts';
import type { StartingContext, TurnSlot } from './start-with-commit.ts';
import { makeSweep } from './sweep.ts';
import * as commits from './turn-commits.ts';
import * as faults from './turn-faults.ts';

export interface ChatMachineOptions extends MachineSettings {
  /**
   * Reserves a worker slot, so that a commit that gives a chat work can also acquire the chat.
   *
   * @default no slot: a worker acquires the chat after its commit
   */
  readonly reserve?: (chatId: string, owner: string) => TurnSlot | undefined;
}

/** Names of the changes. Each is an atomic function of a machine's context. */
const CHANGES = [
  'createChat',
  'sendMessage',
  'editMessage',
  'deleteQueued',
  'promoteQueued',
  'interrupt',
  'submitToolResults',
  'requestCompaction',
  'patchChat',
  'deleteChat',
  'acquire',
  'heartbeat',
  'release',
  'commitStep',
  'claimTool',
  'markUnknown',
  'commitToolResults',
  'enterRequiresAction',
  'expireRequiresAction',
  'resumeQueue',
  'expireRequest',
  'commitCompaction',
  'recordRetry',
  'recordFault',
  'finishTurn',
  'failTurn',
  'finishInterruption',
  'deletedChats',
  'fairestChat',
  'countCall',
  'chargeCall',
  'spentBudget',
  'readUsage',
] as const;
/** Names of the reads of one statement. */
const READS = [
  'readChat',
  'listChats',
  'listChildren',
  'listMessages',
  'listQueue',
  'readStanding',
  'unknownExecutions',
  'readRequest',
  'listRequests',
  'readStoredResponse',
] as const;
/** Names of the reads of several statements, which must see one state of the database. */
const VIEWS = ['loadTurn', 'awaitedCalls', 'changesSince', 'ownerChanges'] as const;

type Changing = typeof messages &
  typeof changes &
  typeof leases &
  typeof commits &
  typeof faults &
  typeof claims &
  typeof deadlines &
  typeof deleted &
  typeof runnable &
  typeof usage &
  typeof use;
type Reading = typeof reads &
  typeof since &
  typeof chats &
  typeof owners &
  typeof requests &
  typeof leases &
  typeof receipts &
  typeof idempotency;

/** Functions without their first parameter, which the machine provides. */
type Bound<TFunctions, TName extends keyof TFunctions> = {
  readonly [Name in TName]: TFunctions[Name] extends (
    first: infer _First,
    ...rest: infer TRest
  ) => infer TResult
    ? (...rest: TRest) => TResult
    : never;
};

/**
 * Every change and read of chats. Changes are atomic and throw `ChatStateError` if they are not
 * allowed.
 */
export interface ChatMachine
  extends
    ChatHints,
    Bound<Changing, (typeof CHANGES)[number]>,
    Bound<Reading, (typeof READS)[number] | (typeof VIEWS)[number]> {
  /** Returns true if the owner has a limit of any kind. */
  readonly hasQuota: (owner: string) => boolean;
  readonly sweep: ReturnType<typeof makeSweep>;
  readonly waitForRequest: (
    wait: Parameters<typeof receipts.waitForRequest>[2],
  ) => ReturnType<typeof receipts.waitForRequest>;
}

export function createChatMachine(options: ChatMachineOptions): ChatMachine {
  const { store } = options;
  const context = toContext(options);
  const hints = chatHints(store.notifications);
  const changing: Changing = {
    ...messages,
    ...changes,
    ...leases,
    ...commits,
    ...faults,
    ...claims,
    ...deadlines,
    ...deleted,
    ...runnable,
    ...usage,
    ...use,
  };
  const reading: Reading = {
    ...reads,
    ...since,
    ...chats,
    ...owners,
    ...requests,
    ...leases,
    ...receipts,
    ...idempotency,
  };
  return {
    ...hints,
    ...bind(changing, CHANGES, (call) => call(context)),
    ...bind(reading, READS, (call) => call(store.db)),
    ...bind(reading, VIEWS, (call) => store.view(async (view) => await call(view))),
    hasQuota: (owner) => quotaOf(context.quotas, owner) !== undefined,
    sweep: makeSweep(context),
    waitForRequest: (wait) => receipts.waitForRequest(store.db, hints, wait),
  };
}

/** Binds the named functions: `provide` calls each with its first argument. */
function bind<TFunctions, TName extends keyof TFunctions>(
  functions: TFunctions,
  names: readonly TName[],
  provide: (call: (first: unknown) => unknown) => unknown,
): Bound<TFunctions, TName> {
  const bound = names.map((name) => {
    const change = functions[name] as (first: unknown, ...rest: readonly unknown[]) => unknown; // `Bound` has its type.
    return [name, (...rest: readonly unknown[]) => provide((first) => change(first, ...rest))] as const;
  });
  return Object.fromEntries(bound) as Bound<TFunctions, TName>; // One function for each name.
}

function toContext(options: ChatMachineOptions): StartingContext {
  return {
    now: Date.now,
    newId: randomUUID,
    leaseMs: 30_000,
    isDeadWorker: () => false,
    actionDeadlineMs: 300_000,
    errorHoldMs: 60_000,
    queueCap: 20,
    retentionMs: undefined,
    keepRunsMs: undefined,
    skeletonRetentionMs: undefined,
    auditRetentionMs: undefined,
    quotas: undefined,
    onRunnable: () => undefined,
    reserve: () => undefined,
    onReceipt: () => undefined,
    ...options,
    recentOwners: new RecentOwners(),
    newTurns: new NewTurns(),
    starts: new CommitGate(options.store),
    changes: new CommitGate(options.store),
  };
}
