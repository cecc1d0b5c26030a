/** Client-side interface of agent runs: durable requests to a coding agent, and their results. */
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { RequestOptions, StopOptions } from '../calls/call-options.ts';
import type { OnRetry } from '../calls/patience.ts';
import type {
  AgentRunDetailView,
  AgentRunLimits,
  AgentRunPageView,
  AgentRunReceipt,
  AgentRunStatus,
  AgentRunView,
} from '../wire/runs/agent-run.ts';
import type { WebhookDeliveriesView, WebhookDeliveryView, WebhookSecretView } from '../wire/webhook.ts';
import type { AgentRunArtifactName, AgentRunArtifactsView } from '../wire/runs/agent-run-artifact.ts';
import type { RunRepositoriesView, RunWorkersView } from '../wire/runs/run-places.ts';
import type { AgentRunEvent } from '../wire/runs/agent-run-event.ts';

/** A request to a coding agent. */
export interface CreateRunOptions<TDefinition extends AnyOutputDefinition = AnyOutputDefinition> {
  /** A name from the server's configuration `repositories`. */
  readonly repository: string;
  /** Branch, tag or commit at which the run's branch begins. @default HEAD of the repository */
  readonly ref?: string;
  /** One of the agents of the server's configuration `runs`, such as `claude-code`. */
  readonly agent: string;
  /** Model in the words of the agent's CLI. @default the agent's choice */
  readonly model?: string;
  /** The literal prompt. An answer in a tag adds its instructions. */
  readonly prompt: string;
  /**
   * Definition of the answer. Its `tag`, `mode` and `maxCorrections` are sent too. @default the answer is
   * the agent's last text
   */
  readonly output?: TDefinition;
  /** Branch of the agent's commits. @default `truecast/runs/<id>` */
  readonly branch?: string;
  /**
   * When the branch is pushed to the repository's address: at the end of each turn and of the run, if the run
   * succeeds, or never. @default what the configuration of the repository allows
   */
  readonly push?: 'always' | 'on_success' | 'never';
  /**
   * Throws away what the agent writes. The result has no branch and no commits, and nothing is pushed. Not with
   * `branch` or `push`. @default false
   */
  readonly readOnly?: boolean;
  /** Limits of time, tokens, dollars and executions. @default one hour, and three executions */
  readonly limits?: AgentRunLimits;
  /**
   * For a worker that was lost. The agent's session continues if it was stored. Else `auto` starts the agent again
   * if its egress is `none` or `model`, `restart` always, and `resume` never. `fail` also continues no session on
   * another machine. @default 'auto'
   */
  readonly onWorkerLoss?: 'auto' | 'resume' | 'restart' | 'fail';
  /** Values by key, by which `list()` finds the run. At most 16. @default {} */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Higher ones are started first: -100 to 100. @default 0 */
  readonly priority?: number;
  /** Gets a signed request when the run has ended. @default none */
  readonly webhook?: { readonly url: string };
  /** The run waits until then. @default it is started at once */
  readonly startAfter?: Date;
  /** A run that has not started after this number of seconds is canceled. @default it waits */
  readonly expiresAfterSeconds?: number;
}

/** A follow-up of a run that has ended. */
export interface ContinueRunOptions<TDefinition extends AnyOutputDefinition = AnyOutputDefinition> {
  /** The next prompt, or the answer to the question with which the run ended. */
  readonly message: string;
  /** Definition of the answer. @default that of the run */
  readonly output?: TDefinition;
  /** Works on a new branch, which begins at the last commit of the run. @default false */
  readonly fork?: boolean;
}

/** Changes of a run. */
export interface PatchRunOptions {
  /** Of a queued run: higher ones are started first, -100 to 100. @default no change */
  readonly priority?: number;
  /** Replaces all values. @default no change */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** An event of a run and its resume id. */
export interface ReceivedRunEvent {
  readonly event: AgentRunEvent;
  readonly id?: string;
}

/** Options of a run's event stream. */
export interface FollowRunOptions {
  /** Id of the last known event. @default from the first event */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  /** Called before each new try after a failure of the server, with their number in a row. @default none */
  readonly onRetry?: OnRetry;
}

/** Options of a wait for a run's result. */
export interface RunResultOptions extends StopOptions {
  /**
   * Accepts an answer with an integer above 2^53 that a JavaScript number rounds. @default false: the answer
   * is refused
   */
  readonly acceptsRounding?: boolean;
  /** Called before each new try after a failure of the server, with their number in a row. @default none */
  readonly onRetry?: OnRetry;
}

/** Result of a run that succeeded. */
export interface ClientRunResult<TOutput> {
  /** The value, validated by the server and again here; without a definition, the agent's last text. */
  readonly output: TOutput;
  /** Ids of the agent's commits, oldest first. */
  readonly commits: readonly string[];
  /** The branch with the commits, in the repository of the worker. */
  readonly branch?: string;
  readonly receipt: AgentRunReceipt;
}

/** A run. Every method rejects with `ServerError` if the server refuses. */
export interface ClientRun<TOutput> {
  readonly id: string;
  /** Reads its state with the list of its artifacts, and its receipt once it has ended. */
  read(options?: StopOptions): Promise<AgentRunDetailView>;
  /**
   * Yields its events, each once, until it ends. Lost connections are resumed.
   *
   * @throws ServerError after about 14 minutes in which each try failed
   */
  events(options?: FollowRunOptions): AsyncGenerator<ReceivedRunEvent, void, undefined>;
  /**
   * Waits for the end, also while the server restarts, and returns the result.
   *
   * @throws RunEndedError with the receipt if the run failed or was canceled; StructuredOutputError if the
   *   definition does not accept the value; ServerError after about 14 minutes in which each try failed
   */
  result(options?: RunResultOptions): Promise<ClientRunResult<TOutput>>;
  /** Ends the run. Its commits remain. */
  cancel(options?: StopOptions): Promise<AgentRunView>;
  /** Creates a new run with the same request. Only for a run that has ended. */
  retry(options?: RequestOptions): Promise<ClientRun<TOutput>>;
  /**
   * Creates a new run that continues this one in the agent's session, on its branch. Only for a run that has
   * ended, and once for each run: continue the last one, or set `fork`.
   *
   * @example
   * ```ts
   * const next = await run.continue({ message: 'The tests fail. Fix them.' });
   * const { output } = await next.result();
   * ```
   */
  continue<TDefinition extends AnyOutputDefinition>(
    options: ContinueRunOptions<TDefinition> & { readonly output: TDefinition },
    request?: RequestOptions,
  ): Promise<ClientRun<InferOutput<TDefinition>>>;
  continue(options: ContinueRunOptions<never>, request?: RequestOptions): Promise<ClientRun<TOutput>>;
  /** Lists its artifacts, such as the log and the patches, with their sizes in bytes. */
  artifacts(options?: StopOptions): Promise<AgentRunArtifactsView>;
  /**
   * Downloads an artifact, at most 32 MiB. Its `type` is the media type. Rejects with `ServerError` and the status 404
   * if the run has none of this name.
   *
   * @example
   * ```ts
   * const patch = await run.artifact('changes.patch');
   * console.log(await patch.text());
   * ```
   */
  artifact(name: AgentRunArtifactName, options?: StopOptions): Promise<Blob>;
  /** Removes the events and the artifacts of a run that has ended. Its receipt remains. */
  delete(options?: StopOptions): Promise<void>;
  /** Lists the webhook's deliveries, the oldest first. */
  deliveries(options?: StopOptions): Promise<WebhookDeliveriesView>;
  /** Sends a delivery again, also to an address that answered 410. */
  redeliver(deliveryId: string, options?: StopOptions): Promise<WebhookDeliveryView>;
  /** Changes its priority and its metadata. */
  patch(changes: PatchRunOptions, options?: StopOptions): Promise<AgentRunView>;
}

/** Filters and page of a list of runs. */
export interface ListRunsOptions extends StopOptions {
  readonly limit?: number;
  /** `next` of the previous page. */
  readonly after?: string;
  readonly status?: AgentRunStatus;
  readonly repository?: string;
  readonly agent?: string;
  /** `KEY:VALUE` of their metadata. */
  readonly metadata?: string;
}

/** Agent runs of a server. */
export interface ClientRuns {
  /** Creates a run without waiting for it. */
  create<TDefinition extends AnyOutputDefinition>(
    options: CreateRunOptions<TDefinition> & { readonly output: TDefinition },
    request?: RequestOptions,
  ): Promise<ClientRun<InferOutput<TDefinition>>>;
  create(options: CreateRunOptions<never>, request?: RequestOptions): Promise<ClientRun<string>>;
  /** Creates a run, and waits for its result. */
  run<TDefinition extends AnyOutputDefinition>(
    options: CreateRunOptions<TDefinition> & { readonly output: TDefinition },
    request?: RequestOptions,
  ): Promise<ClientRunResult<InferOutput<TDefinition>>>;
  run(options: CreateRunOptions<never>, request?: RequestOptions): Promise<ClientRunResult<string>>;
  /** Returns the run with this id without sending anything. Its result is that of `output`. */
  get<TDefinition extends AnyOutputDefinition>(
    id: string,
    options: { readonly output: TDefinition },
  ): ClientRun<InferOutput<TDefinition>>;
  get(id: string): ClientRun<JsonValue>;
  /** Reads the secret that signs the owner's webhooks. */
  webhookSecret(options?: StopOptions): Promise<WebhookSecretView>;
  /** Replaces that secret. The one before signs for one more day. */
  rotateWebhookSecret(options?: StopOptions): Promise<WebhookSecretView>;
  /** Lists the repositories and agents that a run can name. */
  repositories(options?: StopOptions): Promise<RunRepositoriesView>;
  /** Lists the processes that execute runs now. */
  workers(options?: StopOptions): Promise<RunWorkersView>;
  /** Lists runs, newest first. */
  list(options?: ListRunsOptions): Promise<AgentRunPageView>;
}
