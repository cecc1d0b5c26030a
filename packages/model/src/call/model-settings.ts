/** Settings of a request to a model, with the names of the AI SDK. */
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { assertTimeout, MAX_TIMEOUT_MS } from '@truecast/core/internal/options/timeout';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';

/** Settings of every request of a call. */
export interface ModelSettings {
  /** Maximum tokens in one reply. @default the provider's */
  readonly maxOutputTokens?: number;
  /** Randomness of the reply. @default the provider's */
  readonly temperature?: number;
  /** Share of the likeliest tokens to choose from, 0 to 1. @default the provider's */
  readonly topP?: number;
  /** Seed of the sampling, for services that support one. @default random */
  readonly seed?: number;
  /** Texts that end the reply. @default none */
  readonly stopSequences?: readonly string[];
  /** Additional HTTP headers. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Options of one provider, by its name in the AI SDK. @default none */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, JsonValue>>>>;
  /** Limits of the time of each request. */
  readonly timeouts?: ModelTimeouts;
  /**
   * Ends a streamed reply that repeats itself without end, and frees the place of the engine. The attempt
   * has the code `runaway`. @default true
   */
  readonly endRunaways?: boolean;
}

/** Limits of the time of a request to a model, in milliseconds. */
export interface ModelTimeouts {
  /**
   * Maximum time of one request, up to its last token. A request that takes longer is not repeated.
   * @default 3_600_000
   */
  readonly requestMs?: number;
  /**
   * Maximum time without a piece of the reply. The reply is streamed, so that a slow model can take as
   * long as it needs. @default 600_000
   */
  readonly idleMs?: number;
  /**
   * Maximum wait for a server that is loading its model (status 503). A wait is reported as a warning of
   * the process. 0 does not wait. @default 120_000
   */
  readonly loadingMs?: number;
}

const TIMEOUT_NAMES: OptionNames<ModelTimeouts> = { requestMs: true, idleMs: true, loadingMs: true };

/** Settings in which an unset one can be undefined. */
export type GivenSettings = {
  readonly [Name in keyof ModelSettings]?: ModelSettings[Name] | undefined;
};

export const SETTING_NAMES: OptionNames<ModelSettings> = {
  maxOutputTokens: true,
  temperature: true,
  topP: true,
  seed: true,
  stopSequences: true,
  headers: true,
  providerOptions: true,
  timeouts: true,
  endRunaways: true,
};

/** Selects the settings that are set. */
export function settingsOf(options: GivenSettings): ModelSettings {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) => Object.hasOwn(SETTING_NAMES, name) && value !== undefined,
    ),
  );
}

/**
 * Rejects settings that no service accepts.
 *
 * @throws UsageError `invalid-option`
 */
export function assertModelSettings({ topP, seed, timeouts, endRunaways }: GivenSettings): void {
  if (topP !== undefined && !isWithin(topP, 0, 1)) refuse('topP', 'a number from 0 to 1', topP);
  if (seed !== undefined && !Number.isInteger(seed)) refuse('seed', 'a whole number', seed);
  if (timeouts !== undefined) assertTimeouts(timeouts);
  if (endRunaways !== undefined && typeof endRunaways !== 'boolean') {
    refuse('endRunaways', '`true` or `false`', endRunaways);
  }
}

function assertTimeouts(timeouts: ModelTimeouts): void {
  assertKnownOptions(timeouts, { of: '`timeouts`', names: TIMEOUT_NAMES });
  const { requestMs, idleMs, loadingMs } = timeouts;
  assertTimeout('timeouts.requestMs', requestMs);
  assertTimeout('timeouts.idleMs', idleMs);
  if (loadingMs !== undefined && !isWithin(loadingMs, 0, MAX_TIMEOUT_MS)) {
    refuse('timeouts.loadingMs', 'a number of milliseconds, at most 24 days', loadingMs);
  }
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most;
}

function refuse(name: string, expected: string, got: unknown): never {
  throw new UsageError(`Expected \`${name}\` to be ${expected}, got ${describeValue(got)}. Correct it.`);
}
