/** Composition of a worker process: store, models, tools, and the worker. */
import type { RunnerEvent, ToolDirectory, TurnPorts } from '../runner/turn-ports.ts';
import { startWorkspaceCleaner } from '../runner/workers/workspace-cleaner.ts';
import { startTurnScheduler, TURN_QUEUE, type TurnScheduler } from '../runner/workers/turn-scheduler.ts';
import { WEBHOOK_QUEUE } from '../runs/webhooks/deliver-webhooks.ts';
import { RUN_QUEUE } from '../runs/workers/run-scheduler.ts';
import { isDeadWorker, nameWorker } from '../runner/workers/worker-name.ts';
import type { AgentRunner } from '../agents/agent-runner.ts';
import type { ObservedStderr } from '../contract/observed-work.ts';
import { keptDaysOf } from '../config/run-settings.ts';
import type { LogLevel, ServerConfig } from '../config/server-config.ts';
import { liveParts, type LiveParts } from '../live/live-parts.ts';
import { loadModelsFile } from '../models/file/load-models-file.ts';
import type { ModelEnvironment } from '../models/resolve-model.ts';
import { logNotice } from '../log/log-fault.ts';
import { logMcpStderr, logPacing } from '../log/work-log.ts';
import { createServerLog, type ServerLog } from '../log/server-log.ts';
import { measuredMachine } from '../metrics/measured-machine.ts';
import { ServerMetrics } from '../metrics/server-metrics.ts';
import { ModelPacing } from '../pacing/model-pacing.ts';
import { OwnerPlaces } from '../pacing/owner-places.ts';
import { createChatMachine, type ChatMachine, type ChatMachineOptions } from '../state/chat-machine.ts';
import { agentTools } from '../tools/agent-tools.ts';
import { codingAgentTools, type AgentObserver } from '../tools/coding-agent-tool.ts';
import { mcpServers } from '../tools/mcp-servers.ts';
import { openOtelMetrics } from '../metrics/otel-metrics.ts';
import { openTracing, type Trace } from '@truecast/model/internal/telemetry/tracing';
import type { ServerTool } from '../tools/server-tool.ts';
import { workspaceTools } from '../tools/workspace-tools.ts';
import { openStore } from '@truecast/store/internal/open-store';
import type { JobQueue } from '@truecast/store/internal/queue/job-queue';
import { openJobQueue } from '@truecast/store/internal/queue/open-job-queue';
import type { Store } from '@truecast/store/internal/database/store';
import type { RunMask } from '@truecast/host/internal/masking/secret-mask';
import { createServerMask } from './server-mask.ts';
import { closeAll, type Closer } from './closers.ts';
import { observeWork, type WorkObserver } from './observe-work.ts';
import { onceAnHour } from './once-an-hour.ts';
import { openModels, type OpenModels, type OpenModelsOptions } from './server-models.ts';
import { openAgents } from './open-agents.ts';
import { openRuns, type OpenRuns } from './open-runs.ts';

/** Options of a worker process. */
export interface WorkerSettings extends Pick<OpenModelsOptions, 'demoPace' | 'given'> {
  readonly databaseUrl?: string;
  /** Models from the command line. They override the configuration. */
  readonly models: readonly string[];
  /** File of models from the command line. It overrides the configuration. */
  readonly modelsFile?: string | undefined;
  readonly config: ServerConfig;
  /** Retention in days from the command line. Overrides the configuration. */
  readonly retentionDays?: number | undefined;
  readonly skeletonRetentionDays?: number | undefined;
  readonly auditRetentionDays?: number | undefined;
  /** Custom tools of every chat. @default [] */
  readonly tools?: readonly ServerTool[];
  readonly environment: ModelEnvironment;
  /** Lease duration without a heartbeat. @default 9_000 */
  readonly leaseMs?: number;
  /** Called with each line of the log, as JSON. */
  readonly writeLog: (line: string) => void;
  /** @default that of the configuration */
  readonly logLevel?: LogLevel | undefined;
}

export interface OpenWorker extends OpenRuns {
  readonly store: Store;
  readonly machine: ChatMachine;
  readonly models: OpenModels;
  readonly live: LiveParts;
  /** Metrics of `machine`. */
  readonly metrics: ServerMetrics;
  readonly pacing: ModelPacing;
  /** Places of the processes of tools. */
  readonly processes: OwnerPlaces;
  /** Coding agents, if any are configured. */
  readonly agents: AgentRunner | undefined;
  readonly log: ServerLog;
  /** Counts and logs the work of this process. */
  readonly observer: WorkObserver;
  readonly trace: Trace;
  /** Masks log lines and error messages. */
  readonly mask: RunMask;
  wake(chatId: string, owner?: string): void;
  /**
   * Releases its turns to other workers, each after its last commit, and closes its resources, the
   * store last.
   */
  close(): Promise<void>;
}

/**
 * After this time another machine takes over the chats of a lost worker. Two heartbeats can be
 * lost.
 */
const LEASE_MS = 9_000;
const HEARTBEAT_MS = 3_000;
/** A command or a coding agent can need a whole processor. */
const TOOL_PROCESSES = 16;
const DAY_MS = 86_400_000;
/** At a stop, for requests and for turns. */
const SHUTDOWN_MS = 10_000;

/** Returns the grace period of a stop in milliseconds. */
export function graceMsOf({ shutdownMs = SHUTDOWN_MS }: ServerConfig): number {
  return shutdownMs;
}

/** Opens a worker's resources and starts it. Closes them again if one fails to open. */
export async function openWorker(settings: WorkerSettings): Promise<OpenWorker> {
  const closers: Closer[] = [];
  const close = (): Promise<void> => closeAll(closers.splice(0));
  try {
    const { environment, config, modelsFile = config.modelsFile } = settings;
    const entries = modelsFile === undefined ? undefined : await loadModelsFile(modelsFile, environment);
    const mask = createServerMask(environment, config, { entries, given: settings.given });
    const { writeLog: write, logLevel: level = config.logLevel ?? 'info' } = settings;
    const log = createServerLog({ write, level, mask: mask.mask });
    const parts = await openParts({ ...settings, entries, log, mask }, (closer) => closers.push(closer));
    return { mask, log, ...parts, close };
  } catch (error) {
    // The error of a failing close must not hide the original one.
    await close().catch(() => undefined);
    throw error;
  }
}

async function openParts(
  settings: WorkerSettings & Pick<OpenWorker, 'log' | 'mask'> & Pick<OpenModelsOptions, 'entries'>,
  closeLater: (closer: Closer) => void,
): Promise<Omit<OpenWorker, 'close' | 'log' | 'mask'>> {
  const { databaseUrl, config, log, mask } = settings;
  const named = settings.models.length > 0 ? settings.models : (config.models ?? []);
  const warn = warnTo(log);
  const models = await openModels(named, settings.environment, {
    entries: settings.entries,
    given: settings.given,
    demoPace: settings.demoPace,
    providerTools: config.providerTools ?? [],
    onWarning: (message) => warn({ message }),
  });
  closeLater(models.close);
  const { maxSteps, databaseConnections: maxConnections } = config.limits ?? {};
  const store = await openStore({
    ...(databaseUrl !== undefined && { url: databaseUrl }),
    ...(maxConnections !== undefined && { maxConnections }),
    onWarning: warn,
  });
  closeLater(store.close);
  const live = liveParts(store);
  let scheduler: TurnScheduler | undefined;
  const trace = await openTracing('@truecast/server');
  const metrics = new ServerMetrics();
  const observer = observeWork({ metrics, log, otel: await openOtelMetrics(), quotas: config.quotas });
  const { pacing, processes } = openPacing(log, config, closeLater);
  const counted = openMachine(store, settings, {
    onRunnable: (chatId, owner) => scheduler?.wake(chatId, owner),
    reserve: (chatId, owner) => scheduler?.reserve(chatId, owner),
    onReceipt: observer.onReceipt,
  });
  const machine = measuredMachine(counted, metrics, observer);
  const onEvent = onceAnHour((event) => logNotice(log, event));
  const watch = { onEvent, trace, onCall: observer.onModelCall, processes };
  const { queue, ...runs } = await openQueue(store, { ...settings, ...observer, warn }, closeLater);
  const agents = await openAgents(config, runs);
  const tools = await openTools(settings, { machine, agents }, watch);
  closeLater(tools.close);
  const ports: TurnPorts = {
    machine,
    models,
    tools,
    live,
    pacing,
    heartbeatMs: HEARTBEAT_MS,
    mask: mask.mask,
    onEvent,
    trace,
    onModelCall: observer.onModelCall,
    onToolCall: observer.onToolCall,
    ...(maxSteps !== undefined && { maxSteps }),
  };
  const turns = await startTurns(ports, { config, queue }, closeLater);
  scheduler = turns;
  const wake: OpenWorker['wake'] = (chatId, owner) => turns.wake(chatId, owner);
  return { store, machine, ...runs, agents, models, live, metrics, pacing, processes, observer, trace, wake };
}

interface QueueParts
  extends Pick<WorkerSettings, 'config' | 'environment'>, Pick<WorkObserver, 'onRunEnd' | 'onCleanUp'> {
  readonly warn: ReturnType<typeof warnTo>;
}

/** Opens the one queue of turns and runs, and starts the worker of runs. */
async function openQueue(
  store: Store,
  { config, environment, warn, onRunEnd, onCleanUp }: QueueParts,
  closeLater: (closer: Closer) => void,
): Promise<OpenRuns & { readonly queue: JobQueue }> {
  const queues = [TURN_QUEUE, RUN_QUEUE, WEBHOOK_QUEUE];
  const queue = await openJobQueue({ store, queues, onWarning: warn });
  closeLater(() => queue.close());
  const closeTimeoutMs = graceMsOf(config);
  const onFault = (message: string, cause: unknown): void => warn({ message, cause });
  const options = { store, queue, config, environment, closeTimeoutMs, onFault, onRunEnd, onCleanUp };
  return { queue, ...(await openRuns(options, closeLater)) };
}

/** Starts the turns. They end before the worker of runs, for which they can wait. */
async function startTurns(
  ports: TurnPorts,
  { config, queue }: { readonly config: ServerConfig; readonly queue: JobQueue },
  closeLater: (closer: Closer) => void,
): Promise<TurnScheduler> {
  const { concurrentTurns: concurrency } = config.limits ?? {};
  const turns = await startTurnScheduler(ports, {
    queue,
    worker: nameWorker(),
    closeTimeoutMs: graceMsOf(config),
    ...(concurrency !== undefined && { concurrency }),
  });
  closeLater(() => turns.close());
  return turns;
}

function openPacing(
  log: ServerLog,
  { limits = {} }: ServerConfig,
  closeLater: (closer: Closer) => void,
): Pick<OpenWorker, 'pacing' | 'processes'> {
  const pacing = new ModelPacing({ onChange: (change) => logPacing(log, change) });
  closeLater(async () => pacing.close());
  return { pacing, processes: new OwnerPlaces(limits.toolProcesses ?? TOOL_PROCESSES) };
}

type RetentionSetting = 'retentionDays' | 'skeletonRetentionDays' | 'auditRetentionDays';

function openMachine(
  store: Store,
  settings: WorkerSettings,
  hooks: Pick<ChatMachineOptions, 'onReceipt' | 'onRunnable' | 'reserve'>,
): ChatMachine {
  const { config, leaseMs = LEASE_MS } = settings;
  const { quotas } = config;
  const inMs = (days: number | undefined): number | undefined => days && days * DAY_MS;
  const daysOf = (name: RetentionSetting): number | undefined => inMs(settings[name] ?? config[name]);
  return createChatMachine({
    store,
    leaseMs,
    isDeadWorker,
    retentionMs: daysOf('retentionDays'),
    keepRunsMs: inMs(keptDaysOf(config)),
    skeletonRetentionMs: daysOf('skeletonRetentionDays'),
    auditRetentionMs: daysOf('auditRetentionDays'),
    quotas,
    ...hooks,
  });
}

interface ToolObservers extends AgentObserver {
  readonly processes: OwnerPlaces;
  readonly onEvent: (event: RunnerEvent) => void;
}

interface OpenTools extends ToolDirectory {
  close(): Promise<void>;
}

async function openTools(
  { config, tools: given = [], log, mask }: WorkerSettings & Pick<OpenWorker, 'log' | 'mask'>,
  { machine, agents }: { readonly machine: ChatMachine; readonly agents: AgentRunner | undefined },
  { onEvent, ...watch }: ToolObservers,
): Promise<OpenTools> {
  const onStderr = (line: ObservedStderr): void => logMcpStderr(log, line);
  const servers = mcpServers(config.mcpServers ?? [], { mask: mask.mask, onStderr });
  const workspaces =
    config.workspace && (await (await import('./workspaces.ts')).openWorkspaces(config.workspace));
  const cleaner = workspaces && startWorkspaceCleaner({ machine, workspaces, onEvent });
  const own = [
    ...(workspaces === undefined ? [] : workspaceTools(workspaces, watch.processes)),
    ...(agents === undefined ? [] : codingAgentTools(agents, watch)),
    ...given,
  ];
  return {
    list: async (chat) => {
      const { tools, problems } = await servers.tools(chat.ownerId);
      const children = config.subagents === true ? agentTools(machine, chat) : [];
      return { tools: [...own, ...children, ...tools], problems };
    },
    close: async () => {
      await cleaner?.close();
      await Promise.allSettled([servers.close(), workspaces?.close()]);
    },
  };
}

function warnTo(log: ServerLog): (warning: { message: string; cause?: unknown }) => void {
  return (warning) => logNotice(log, { level: 'warn', ...warning });
}
