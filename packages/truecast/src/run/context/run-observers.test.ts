/** Observers of a run: no sink receives a secret. */
import { expect, it } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { RunMask } from '@truecast/host/internal/masking/secret-mask';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import type { LifecycleEvent } from '../events/run-events.ts';
import { RunObservers, type RunObserver } from './run-observers.ts';

const SECRET = 'hunter2-hunter2-hunter2';
const HALVES = [SECRET.slice(0, 9), SECRET.slice(9)] as const;

function observe(): { readonly observers: RunObservers; readonly told: unknown[] } {
  const mask = new RunMask();
  mask.learn({ inside: { VAULT: SECRET } });
  const told: unknown[] = [];
  const sink: Required<RunObserver> = {
    event: (event) => void told.push(event),
    raw: (text) => void told.push(text),
    turn: (line) => void told.push(line),
    wantsElements: () => true,
  };
  const observers = new RunObservers(mask, () => 1);
  observers.add(sink);
  return { observers, told };
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    each instanceof Error ? { message: each.message, stack: each.stack, cause: each.cause } : each,
  );
}

const evidence = { commits: [] };
const EVENTS: readonly (AgentEvent | LifecycleEvent)[] = [
  { type: 'iteration-start', iteration: 1, attempt: 1 },
  { type: 'text', text: HALVES[0] },
  { type: 'text', text: HALVES[1] },
  { type: 'thinking', text: `${SECRET} thought` },
  { type: 'tool-call', id: '1', name: 'Bash', input: { [SECRET]: [`echo ${SECRET}`] } },
  { type: 'tool-result', id: '1', output: SECRET, isError: false },
  { type: 'warning', message: SECRET },
  { type: 'error', message: SECRET },
  { type: 'raw', text: HALVES[0] },
  { type: 'raw', text: HALVES[1] },
  { type: 'sandbox-ready', egress: SECRET, enforcesEgress: true },
  { type: 'attempt-end', attempt: 1, code: 'schema-mismatch', message: SECRET },
  { type: 'element', draft: 0, index: 0, value: { said: SECRET } },
  { type: 'host-tool', name: SECRET, isError: false, durationMs: 1 },
  { type: 'end', text: SECRET },
  { type: 'run-end', evidence: { ...evidence, output: SECRET }, error: new Error(SECRET) },
];

it('tells an added sink no secret of any event', () => {
  const { observers, told } = observe();
  for (const event of EVENTS) observers.emit(event);
  const types = new Set(
    told.map((each) => (typeof each === 'string' ? 'raw' : (each as { type: string }).type)),
  );
  expect(types).toEqual(new Set(EVENTS.map(({ type }) => type)));
  expect(shown(told)).toContain('*'.repeat(SECRET.length));
  expect(shown(told)).not.toContain(SECRET);
  expect(told.filter((each) => typeof each === 'string').join('')).toBe('*'.repeat(SECRET.length));
});

it('tells an added sink no secret of a turn, and no work that holds one', () => {
  const { observers, told } = observe();
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  expect(observers.turn({ type: 'turn', prompt: SECRET, promptSha256: 'a1', command: SECRET })).toBe(true);
  expect(observers.turn({ type: 'end', exitCode: 1, stderrTail: SECRET, endedBy: 'itself' })).toBe(true);
  expect(observers.turn({ type: 'work', files: encoded(`+${SECRET}`), commits: [] })).toBe(false);
  expect(observers.turn({ type: 'work', files: encoded('+fine'), commits: [] })).toBe(true);
  expect(shown(told)).not.toContain(SECRET);
  expect(told).toHaveLength(3);
});

it("leaves the caller's own reason of an abort unchanged, and tells a masked one", () => {
  const { observers, told } = observe();
  const reason = new UsageError(`Stopped with ${SECRET}.`);
  observers.emit({ type: 'run-end', evidence, error: reason });
  expect(reason.message).toContain(SECRET);
  expect(shown(told)).toContain('Stopped with ***');
  expect(shown(told)).not.toContain(SECRET);
});

it('tells the end of held stdout before the end of a turn', () => {
  const { observers, told } = observe();
  observers.emit({ type: 'raw', text: `fine ${HALVES[0]}` });
  observers.turn({ type: 'end', exitCode: 0, stderrTail: '', endedBy: 'itself' });
  // The beginning of a secret is masked too.
  expect(told.slice(0, -1).join('')).toBe(`fine ${'*'.repeat(HALVES[0].length)}`);
  expect(told.at(-1)).toMatchObject({ type: 'end' });
});

it('tells a removed sink nothing', () => {
  const { observers } = observe();
  const late: unknown[] = [];
  const leave = observers.add({ event: (event) => void late.push(event) });
  leave();
  observers.emit({ type: 'warning', message: 'late' });
  expect(late).toEqual([]);
});

it('masks a secret in two pieces of a message around a call on the host, which comes by another way', () => {
  const { observers, told } = observe();
  observers.emit({ type: 'text', text: HALVES[0] });
  observers.emit({ type: 'host-tool', name: 'ticket', isError: false, durationMs: 1 });
  observers.emit({ type: 'text', text: HALVES[1] });
  observers.emit({ type: 'run-end', evidence });
  const text = told.map((each) => (each as { readonly text?: string }).text ?? '').join('');
  expect(text).toBe('*'.repeat(SECRET.length));
});
