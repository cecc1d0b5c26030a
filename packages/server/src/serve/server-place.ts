/** Place of a server: its port, or its path in an app. Checked before anything is opened. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeValue } from '@truecast/core/internal/kit/describe-value';

/** Options of a place, as given. */
export interface GivenPlace {
  readonly listen: unknown;
  readonly host: unknown;
  readonly port: unknown;
  readonly console: unknown;
  readonly basePath: unknown;
}

export type ServerPlace =
  | { readonly host: string; readonly port: number; readonly hasConsole: boolean }
  | { readonly basePath: string };

const PORT = 4747;
const MAX_PORT = 65_535;
/** Segments without a query, a fragment or a slash at the end. */
const BASE_PATH = /^(?:\/[^/?#\s]+)*$/u;

/** @throws UsageError for an invalid option, and one of the other place */
export function readPlace({ listen = true, host, port, console, basePath }: GivenPlace): ServerPlace {
  if (listen === false) {
    refuseGiven(
      { host, port, console: console === false ? undefined : console },
      'A server with `listen: false` has no port',
    );
    return { basePath: readBasePath(basePath ?? '') };
  }
  if (listen !== true) {
    throw new UsageError(`Expected \`listen\` to be true or false, got ${describeValue(listen)}.`);
  }
  refuseGiven({ basePath }, 'A server with a port has no prefix');
  return { host: readHost(host), port: readPort(port), hasConsole: console === true };
}

function refuseGiven(given: Readonly<Record<string, unknown>>, because: string): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const next = name === 'basePath' ? 'pass `listen: false`' : 'leave `listen` out';
    throw new UsageError(`${because}, got \`${name}\`. Remove it, or ${next}.`);
  }
}

function readBasePath(given: unknown): string {
  if (typeof given === 'string' && BASE_PATH.test(given)) return given;
  throw new UsageError(
    `Expected \`basePath\` to be a path without a slash at its end, such as \`/ai\`, got ${describeValue(given)}.`,
  );
}

function readHost(given: unknown): string {
  if (given === undefined) return '127.0.0.1';
  if (typeof given === 'string' && given !== '') return given;
  throw new UsageError(`Expected \`host\` to be a name or an address, got ${describeValue(given)}.`);
}

function readPort(given: unknown): number {
  if (given === undefined) return PORT;
  if (typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= MAX_PORT) return given;
  throw new UsageError(
    `Expected \`port\` to be a whole number from 0 to ${MAX_PORT}, got ${describeValue(given)}.`,
  );
}
