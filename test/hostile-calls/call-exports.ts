/**
 * Calls of each exported function of the public entries with hostile values. Prints what was called,
 * and each call that ended in a raw error or left something behind. Run as a program of its own.
 */
import { readdirSync } from 'node:fs';
import { inspect } from 'node:util';
import { TruecastError } from '../../packages/core/src/index.ts';
import { BASE_CALLS, HANDLES } from './base-calls.ts';
import { CallersError, hostileValues } from './hostile-values.ts';

/** The end of a call that should not have ended so. */
export interface BadEnd {
  readonly call: string;
  readonly problem: string;
}

/** Calls of one package. */
export interface CallReport {
  readonly functions: readonly string[];
  readonly calls: number;
  readonly refused: number;
  readonly bad: readonly BadEnd[];
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit', 'uncaughtException', 'beforeExit'] as const;
const PATIENCE_MS = 5_000;

interface HostileCall {
  readonly name: string;
  readonly target: (...values: unknown[]) => unknown;
  readonly values: () => unknown[];
}

let bad: BadEnd[] = [];
let current = '';
process.on('unhandledRejection', (error) => {
  bad.push({ call: current, problem: `unhandled rejection: ${show(error)}` });
});

/** Each package with its entries: `core=FILE,FILE`. Of the calls, each `stride`-th is tried. */
const [stride = '1', ...packages] = process.argv.slice(2);
let targets = new Map<string, (...values: unknown[]) => unknown>();

async function findTargets(entries: string): Promise<void> {
  for (const [name, handle] of Object.entries(HANDLES)) {
    if (entries.includes(handle.entry)) addTargets(name, handle.value);
  }
  for (const entry of entries.split(',')) {
    const module = (await import(entry)) as Readonly<Record<string, unknown>>;
    for (const [name, value] of Object.entries(module)) addTargets(name, value);
  }
}

function addTargets(name: string, value: unknown): void {
  // A caller gets errors, and makes none.
  if (typeof value === 'function' && !isClass(value)) {
    targets.set(name, value as (...values: unknown[]) => unknown);
  }
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
  for (const [member, inner] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    if (typeof inner === 'function') {
      targets.set(`${name}.${member}`, (...values): unknown => Reflect.apply(inner, value, values));
    }
  }
}

function isClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/u.test(Function.prototype.toString.call(value));
}

function* callsOf(name: string, target: HostileCall['target']): Generator<HostileCall> {
  const base = BASE_CALLS[name] ?? [];
  for (let place = 0; place < Math.max(1, base.length, target.length); place += 1) {
    const given = base[place];
    const names = typeof given === 'object' && given !== null ? Object.keys(given) : [];
    for (const [kind, make] of Object.entries(hostileValues(['name', ...names]))) {
      const around = [...base.slice(0, place), make, ...base.slice(place + 1)];
      yield {
        name: `${name}(#${place} ${kind})`,
        target,
        values: () => around.map((each, at) => (at === place ? make() : each)),
      };
      if (place === 0) yield { name: `${name}(${kind})`, target, values: () => [make()] };
    }
    if (typeof given !== 'object' || given === null || Array.isArray(given)) continue;
    for (const option of names) {
      for (const [kind, make] of Object.entries(hostileValues()))
      // A function of the caller is what it is.
      {
        if (kind !== 'function' || typeof Reflect.get(given, option) !== 'function') {
          yield {
            name: `${name}(#${place}.${option} ${kind})`,
            target,
            values: () => base.map((each, at) => (at === place ? { ...given, [option]: make() } : each)),
          };
        }
      }
    }
  }
}

interface Left {
  readonly listeners: string;
  readonly files: string;
  readonly processes: number;
}

function leftNow(): Left {
  const folders = [process.cwd(), process.env['HOME'] ?? ''];
  return {
    listeners: SIGNALS.map((signal) => `${signal} ${process.listenerCount(signal)}`).join(),
    files: folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' })).join(),
    processes: process.getActiveResourcesInfo().filter((kind) => /Process|TCPServer/u.test(kind)).length,
  };
}

let calls = 0;
let refused = 0;

async function play({ name, target, values }: HostileCall): Promise<void> {
  current = name;
  calls += 1;
  const before = leftNow();
  let isRefused = false;
  try {
    const ended = await within(target(...values()));
    await close(ended);
  } catch (error) {
    isRefused = true;
    refused += 1;
    const problem = problemOf(name, error);
    if (problem !== undefined) bad.push({ call: name, problem });
  }
  const after = leftNow();
  for (const kind of ['listeners', 'files', 'processes'] as const) {
    // The process of an earlier call can end now.
    const isLeft = kind === 'processes' ? after[kind] > before[kind] : after[kind] !== before[kind];
    if (isLeft && (isRefused || kind === 'listeners')) {
      bad.push({ call: name, problem: `left ${kind}: ${before[kind]} -> ${after[kind]}`.slice(0, 300) });
    }
  }
}

const NEVER = Symbol('never');

async function within(value: unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(NEVER), PATIENCE_MS);
  });
  try {
    const ended = await Promise.race([value, late]);
    if (ended === NEVER) throw new RangeError(`Nothing ended within ${PATIENCE_MS} ms.`);
    return ended;
  } finally {
    clearTimeout(timer);
  }
}

async function close(value: unknown): Promise<void> {
  if (typeof value !== 'object' || value === null || value instanceof CallersError) return;
  try {
    if (Symbol.asyncDispose in value) await (value as AsyncDisposable)[Symbol.asyncDispose]();
    else if ('close' in value && typeof value.close === 'function') {
      await Reflect.apply(value.close, value, []);
    }
  } catch (error) {
    // What was returned is a value of the caller.
    if (!(error instanceof CallersError)) throw error;
  }
}

function problemOf(name: string, error: unknown): string | undefined {
  if (error instanceof CallersError) return undefined;
  if (!TruecastError.isInstance(error)) return isDocumented(name, error) ? undefined : `raw ${show(error)}`;
  return isWellPut(error.message) ? undefined : `message: ${error.message.slice(0, 150)}`;
}

/** A message says what was expected and what came, or what to do next. */
function isWellPut(message: string): boolean {
  return /Expected .*got /su.test(message) || /[.!?;] [`A-Za-z]/u.test(message);
}

/** Errors of Node that the documentation names: of an aborted signal, and those of `fetch`. */
function isDocumented(name: string, error: unknown): boolean {
  const isAbort = error instanceof DOMException && error.name === 'AbortError';
  return isAbort || (name.startsWith('boundedFetch(') && error instanceof TypeError);
}

function show(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : inspect(error);
  const place = error instanceof Error ? (/packages\/\S+\.ts:\d+/u.exec(error.stack ?? '')?.[0] ?? '') : '';
  return `${text.slice(0, 160)} at ${place}`;
}

const reports: Record<string, CallReport> = {};
for (const each of packages) {
  const [name = '', entries = ''] = each.split('=');
  [targets, bad, calls, refused] = [new Map(), [], 0, 0];
  await findTargets(entries);
  let index = 0;
  for (const [called, target] of targets) {
    // The first call of the next function is another kind: all kinds and all places are tried.
    for (const call of callsOf(called, target)) if (index++ % Number(stride) === 0) await play(call);
  }
  reports[name] = { functions: [...targets.keys()], calls, refused, bad };
}
process.stdout.write(JSON.stringify(reports));
process.exit(0);
