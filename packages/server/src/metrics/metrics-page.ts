/** Page of `GET /metrics`: counts of this process, the work in the database, and process figures. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ModelPacing } from '../pacing/model-pacing.ts';
import type { StateDb } from '../state/rows/machine-context.ts';
import type { ServerMetrics } from './server-metrics.ts';

export interface MetricsSources {
  readonly metrics: ServerMetrics;
  readonly db: StateDb;
  readonly pacing: Pick<ModelPacing, 'list'>;
}

/** Media type of the page. */
export const METRICS_TYPE: string = Registry.PROMETHEUS_CONTENT_TYPE;

/** Renders the page in the Prometheus text format. */
export async function metricsPage({ metrics, db, pacing }: MetricsSources): Promise<string> {
  const current = new Registry();
  gauge(current, 'streams_open', 'Open chat streams.', []).set(metrics.openStreams);
  const open = gauge(current, 'model_circuit_open', 'Models whose circuit is open (1) or closed (0).', [
    'model',
  ]);
  const limited = gauge(
    current,
    'model_rate_limited',
    'Models whose calls wait for a rate limit (1), or not (0).',
    ['model'],
  );
  for (const { model, state, isLimited } of pacing.list()) {
    open.set({ model }, state === 'closed' ? 0 : 1);
    limited.set({ model }, isLimited ? 1 : 0);
  }
  await setWork(current, db);
  const pages = [metrics.registry, current, processRegistry()].map((registry) => registry.metrics());
  return (await Promise.all(pages)).join('');
}

let ofProcess: Registry | undefined;

/** Memory, CPU, event loop and garbage collection: one set of observers per process. */
function processRegistry(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

const BUSY = ['running', 'interrupting', 'requires_action', 'error'] as const;

/**
 * Totals over all processes on the database. Idle chats are not counted, because their number is
 * unbounded.
 */
async function setWork(registry: Registry, db: StateDb): Promise<void> {
  const rows = await db
    .selectFrom('chats')
    .where('deleted', '=', 0)
    .where('status', 'in', [...BUSY])
    .groupBy('status')
    .select(({ fn }) => [
      'status',
      fn.countAll().as('chats'),
      fn.count('runner').as('active'),
      fn.sum('queue_length').as('queued'),
    ])
    .execute();
  const sum = (column: 'active' | 'queued'): number =>
    rows.reduce((total, row) => total + Number(row[column] ?? 0), 0);
  const chats = gauge(registry, 'chats', 'Chats that are not idle, by status.', ['status']);
  for (const status of BUSY) {
    chats.set({ status }, Number(rows.find((row) => row.status === status)?.chats ?? 0));
  }
  gauge(registry, 'turns_active', 'Turns leased to a worker, in all processes.', []).set(sum('active'));
  gauge(registry, 'queued_messages', 'Messages waiting in chat queues.', []).set(sum('queued'));
}

function gauge<TLabel extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly TLabel[],
): Gauge<TLabel> {
  return new Gauge({ name: `truecast_${name}`, help, labelNames: [...labelNames], registers: [registry] });
}
