/**
 * Server metrics, and the page of `GET /metrics` that renders them. Each process counts its own
 * work, without data of one owner, chat or text.
 */
import type { ObservedCall } from '../models/observed-step.ts';
import type { ModelCircuits } from '../models/model-circuits.ts';
import type { StateDb } from '../state/rows/machine-context.ts';
import { Counter, gaugeLines, Histogram } from './prometheus-series.ts';

const REQUEST_BOUNDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];
const CHANGE_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const CALL_BOUNDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Counts the work of the server and its turns. */
export class ServerMetrics {
  /** Number of open chat streams. */
  openStreams = 0;
  readonly turns: Counter = new Counter({
    name: 'truecast_turns_total',
    help: 'Turns that ended in this process, by outcome: finished, error or interrupted.',
  });
  readonly answers: Counter = new Counter({
    name: 'truecast_structured_answers_total',
    help: 'Requests with a response format that ended in this process, by status and reason. A success has the reason none.',
  });
  readonly submissions: Counter = new Counter({
    name: 'truecast_submissions_total',
    help: 'Answers submitted by steps, by outcome, of the requests that ended in this process.',
  });
  readonly modelCalls: Counter = new Counter({
    name: 'truecast_model_calls_total',
    help: 'Model calls of chats and of /v1, by model and outcome: the finish reason, or failed.',
  });
  readonly retries: Counter = new Counter({
    name: 'truecast_model_retries_total',
    help: 'Retried model calls, by kind of failure.',
  });
  readonly deferrals: Counter = new Counter({
    name: 'truecast_model_deferrals_total',
    help: 'Model calls of turns that were put off, because the circuit of their model is open.',
  });
  readonly toolCalls: Counter = new Counter({
    name: 'truecast_tool_calls_total',
    help: 'Answered tool calls, by executor and outcome.',
  });
  readonly #tokens = new Counter({
    name: 'truecast_model_tokens_total',
    help: 'Tokens of model calls, by model and kind.',
  });
  readonly #callSeconds = new Histogram({
    name: 'truecast_model_call_duration_seconds',
    help: 'Duration of answered model calls.',
    bounds: CALL_BOUNDS,
  });
  readonly #changeSeconds = new Histogram({
    name: 'truecast_transition_duration_seconds',
    help: 'Duration of chat changes, until they were committed or refused.',
    bounds: CHANGE_BOUNDS,
  });
  readonly #requests = new Counter({
    name: 'truecast_http_requests_total',
    help: 'Answered HTTP requests.',
  });
  readonly #requestSeconds = new Histogram({
    name: 'truecast_http_request_duration_seconds',
    help: 'Time to answer an HTTP request. For a stream: time until it started.',
    bounds: REQUEST_BOUNDS,
  });

  /** Counts an answered request. `route` is its pattern, never its path. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.#requests.add({ method, route, status: String(status) });
    this.#requestSeconds.observe({ method, route }, seconds);
  }

  /** Counts a change of a chat. */
  observeChange(transition: string, seconds: number): void {
    this.#changeSeconds.observe({ transition }, seconds);
  }

  /** Counts a model call of a chat or of `/v1`. */
  observeCall({ model, outcome, usage, durationMs }: ObservedCall): void {
    this.modelCalls.add({ model, outcome });
    if (outcome === 'failed') return;
    const { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens } = usage;
    this.#tokens.add({ model, kind: 'input' }, inputTokens);
    this.#tokens.add({ model, kind: 'output' }, outputTokens);
    this.#tokens.add({ model, kind: 'cache_creation_input' }, cacheCreationInputTokens);
    this.#tokens.add({ model, kind: 'cache_read_input' }, cacheReadInputTokens);
    this.#callSeconds.observe({ model }, durationMs / 1_000);
  }

  /** Renders all metrics, with current database values, in Prometheus text format. */
  async render(db: StateDb, circuits: ReturnType<ModelCircuits['list']> = []): Promise<string> {
    const counted = [this.turns, this.answers, this.submissions, this.modelCalls, this.#callSeconds];
    const rest = [this.#tokens, this.retries, this.deferrals, this.toolCalls, this.#changeSeconds];
    const lines = [...counted, ...rest, this.#requests, this.#requestSeconds].flatMap((each) => each.lines());
    const streams = gaugeLines({ name: 'truecast_streams_open', help: 'Open chat streams.' }, [
      { value: this.openStreams },
    ]);
    const open = gaugeLines(
      { name: 'truecast_model_circuit_open', help: 'Models whose circuit is open (1) or closed (0).' },
      circuits.map(({ model, state }) => ({ labels: { model }, value: state === 'closed' ? 0 : 1 })),
    );
    return [...lines, ...streams, ...open, ...(await workLines(db)), ''].join('\n');
  }
}

const BUSY = ['running', 'interrupting', 'requires_action', 'error'] as const;

/**
 * Totals over all processes on the database. Idle chats are not counted, because their number is
 * unbounded.
 */
async function workLines(db: StateDb): Promise<readonly string[]> {
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
  const chats = BUSY.map((status) => ({
    labels: { status },
    value: Number(rows.find((row) => row.status === status)?.chats ?? 0),
  }));
  return [
    ...gaugeLines({ name: 'truecast_chats', help: 'Chats that are not idle, by status.' }, chats),
    ...gaugeLines({ name: 'truecast_turns_active', help: 'Turns leased to a worker, in all processes.' }, [
      { value: sum('active') },
    ]),
    ...gaugeLines({ name: 'truecast_queued_messages', help: 'Messages waiting in chat queues.' }, [
      { value: sum('queued') },
    ]),
  ];
}
