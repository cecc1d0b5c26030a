/**
 * Server metrics, and the page of `GET /metrics` that renders them. Each process counts its own
 * work, without data of a single owner, chat or text.
 *
 * Labels come from tables in the code, and `model` from the server's models, so their number is
 * bounded.
 */
import { Counter, Histogram, Registry } from 'prom-client';
import type {
  ObservedAnswer,
  ObservedReceipt,
  ObservedRun,
  RemovedRemains,
} from '../contract/observed-work.ts';
import type { ObservedCall } from '../models/observed-step.ts';

const REQUEST_BOUNDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];
const CHANGE_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const CALL_BOUNDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Counts the work of the server and its turns. */
export class ServerMetrics {
  /** Number of open chat streams. */
  openStreams = 0;
  readonly registry: Registry = new Registry();
  readonly turns: Counter<'status'> = this.#counter('turns_total', 'Turns that ended in this process.', [
    'status',
  ]);
  readonly retries: Counter<'kind'> = this.#counter('model_retries_total', 'Repeated model calls of chats.', [
    'kind',
  ]);
  readonly deferrals: Counter<never> = this.#counter(
    'model_deferrals_total',
    'Model calls of turns that a rate limit or an open circuit put off.',
    [],
  );
  readonly toolCalls: Counter<'run_by' | 'outcome'> = this.#counter(
    'tool_calls_total',
    'Answered tool calls.',
    ['run_by', 'outcome'],
  );
  readonly #answers = this.#counter(
    'structured_answers_total',
    'Requests with a response format that ended in this process. A success has the reason none.',
    ['status', 'reason'],
  );
  readonly #submissions = this.#counter('submissions_total', 'Submitted answers of these requests.', [
    'code',
  ]);
  readonly #wireAnswers = this.#counter(
    'wire_answers_total',
    'Answers of /v1: ok, or the code of the failure. A request that was refused has the model none.',
    ['route', 'model', 'outcome'],
  );
  readonly #modelCalls = this.#counter(
    'model_calls_total',
    'Model calls of chats and of /v1: the finish reason, or failed.',
    ['model', 'outcome'],
  );
  readonly #tokens = this.#counter('model_tokens_total', 'Tokens of model calls.', ['model', 'kind']);
  readonly #cost = this.#counter('model_cost_usd_total', 'Cost of model calls with known prices.', ['model']);
  readonly #callSeconds = this.#histogram(
    'model_call_duration_seconds',
    'Duration of answered model calls.',
    ['model'],
    CALL_BOUNDS,
  );
  readonly #runs = this.#counter(
    'agent_runs_total',
    'Agent runs that ended in this process. A success has the code none.',
    ['status', 'code'],
  );
  readonly #remains = this.#counter(
    'agent_run_remains_removed_total',
    'Worktrees, references and logs of ended agent runs that this process removed from its machine.',
    ['kind'],
  );
  readonly #changeSeconds = this.#histogram(
    'transition_duration_seconds',
    'Duration of chat changes, until they were committed or refused.',
    ['transition'],
    CHANGE_BOUNDS,
  );
  readonly #requests = this.#counter('http_requests_total', 'Answered HTTP requests.', [
    'method',
    'route',
    'status',
  ]);
  readonly #requestSeconds = this.#histogram(
    'http_request_duration_seconds',
    'Time to answer an HTTP request. For a stream: time until it started.',
    ['method', 'route'],
    REQUEST_BOUNDS,
  );

  /** Counts an answered request. `route` is its pattern, never its path. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.#requests.inc({ method, route, status: String(status) });
    this.#requestSeconds.observe({ method, route }, seconds);
  }

  /** Counts a change of a chat. */
  observeChange(transition: string, seconds: number): void {
    this.#changeSeconds.observe({ transition }, seconds);
  }

  /** Counts a model call of a chat or of `/v1`. */
  observeCall({ model, outcome, usage, durationMs }: ObservedCall): void {
    this.#modelCalls.inc({ model, outcome });
    if (outcome === 'failed') return;
    this.#callSeconds.observe({ model }, durationMs / 1_000);
    if (usage === undefined) return;
    const { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens } = usage;
    this.#tokens.inc({ model, kind: 'input' }, inputTokens);
    this.#tokens.inc({ model, kind: 'output' }, outputTokens);
    this.#tokens.inc({ model, kind: 'cache_creation_input' }, cacheCreationInputTokens);
    this.#tokens.inc({ model, kind: 'cache_read_input' }, cacheReadInputTokens);
    if (usage.costUsd !== undefined) this.#cost.inc({ model }, usage.costUsd);
  }

  /** Counts a receipt and its submissions. */
  observeReceipt({ status, reason = 'none', attempts }: ObservedReceipt): void {
    this.#answers.inc({ status, reason });
    for (const code of attempts) this.#submissions.inc({ code });
  }

  /** Counts an agent run that ended. */
  observeRun({ status, code = 'none' }: ObservedRun): void {
    this.#runs.inc({ status, code });
  }

  /** Counts the parts that were removed after the ends of agent runs. */
  observeCleanUp({ worktrees, references, logs }: RemovedRemains): void {
    this.#remains.inc({ kind: 'worktree' }, worktrees);
    this.#remains.inc({ kind: 'reference' }, references);
    this.#remains.inc({ kind: 'log' }, logs);
  }

  /** Counts an answer of `/v1`. */
  observeAnswer({ route, model = 'none', outcome }: ObservedAnswer): void {
    this.#wireAnswers.inc({ route, model, outcome });
  }

  #counter<TLabel extends string>(
    name: string,
    help: string,
    labelNames: readonly TLabel[],
  ): Counter<TLabel> {
    return new Counter({
      name: `truecast_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
    });
  }

  #histogram<TLabel extends string>(
    name: string,
    help: string,
    labelNames: readonly TLabel[],
    buckets: readonly number[],
  ): Histogram<TLabel> {
    const registers = [this.registry];
    return new Histogram({
      name: `truecast_${name}`,
      help,
      labelNames: [...labelNames],
      buckets: [...buckets],
      registers,
    });
  }
}
