/** View of a run for people: its current activity, and a short line for each finished step. */
import { sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import type { RunEvent } from '../events/run-events.ts';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import { refusalReason } from '../../support/answer-message.ts';
import { toTerminalText } from '../../support/terminal-text.ts';
import { describeReadyEgress } from '../../sandboxes/egress/egress-policy.ts';

/** Outcome of a finished step. Determines its mark and color. */
export type StepKind = 'done' | 'failed' | 'said' | 'note' | 'warning';

/** A finished step. Its text contains no secrets and no terminal control characters. */
export interface FinishedStep {
  readonly kind: StepKind;
  readonly text: string;
  /** Appended to the text and never cut: a duration. */
  readonly suffix?: string;
  /** True for a path, which people copy. It is never cut. */
  readonly isCopied?: true;
}

export interface RunViewOptions {
  readonly mask: SecretMask;
  readonly maxAttempts: number;
  readonly maxIterations: number;
  /** Milliseconds of any monotonic clock. */
  readonly now: () => number;
}

export interface RunView {
  /** Applies an event. Returns the steps that it finishes. */
  apply(event: RunEvent): readonly FinishedStep[];
  /** Returns one line with the current activity, its duration and its cost. */
  describe(): string;
}

/** More than a line of any terminal. */
const MAX_TEXT_CHARS = 400;

interface OpenCall {
  readonly id: string | undefined;
  readonly label: string;
  readonly startedMs: number;
}

interface State {
  activity: string;
  /** Masked beginning of the text since the last step, for its finished line. */
  said: string;
  /** End of the same text, for the current activity. */
  tail: string;
  current: Usage | undefined;
  ended: Usage | undefined;
  callCount: number;
  /** `attempt 2/3`, if there is more than one. */
  round: string | undefined;
  readonly open: OpenCall[];
}

export function createRunView(options: RunViewOptions): RunView {
  const { mask, now } = options;
  const startedMs = now();
  const words = mask.stream();
  const state: State = {
    activity: 'starting',
    said: '',
    tail: '',
    current: undefined,
    ended: undefined,
    callCount: 0,
    round: undefined,
    open: [],
  };
  const clean = (text: string): string => toTerminalText(mask.mask(text));
  const endOfWords = (): readonly FinishedStep[] => {
    const text = firstLine(state.said + words.end());
    state.said = '';
    state.tail = '';
    return text === '' ? [] : [{ kind: 'said', text }];
  };
  return {
    apply(event) {
      if (event.type === 'text') {
        hear(state, words.push(event.text));
        return [];
      }
      const steps = endsWords(event) ? endOfWords() : [];
      noteUsage(state, event);
      noteActivity(state, event, options, clean);
      return [...steps, ...finishedBy(state, event, { clean, now })];
    },
    describe: () => describe(state, now() - startedMs),
  };
}

function hear(state: State, text: string): void {
  if (state.said.length < MAX_TEXT_CHARS) state.said += text;
  state.tail = (state.tail + text).slice(-MAX_TEXT_CHARS);
  const line = toTerminalText(state.tail.trimEnd().split('\n').at(-1) ?? '');
  if (line !== '') state.activity = line;
}

/** Events that can come between two pieces of one message. */
const WITHIN_WORDS: readonly RunEvent['type'][] = ['usage', 'session', 'raw', 'dropped', 'host-tool'];

function endsWords(event: RunEvent): boolean {
  return !WITHIN_WORDS.includes(event.type);
}

function firstLine(text: string): string {
  return toTerminalText(text.trim().split('\n')[0] ?? '').slice(0, MAX_TEXT_CHARS);
}

function noteUsage(state: State, event: RunEvent): void {
  if (event.type === 'usage') state.current = event.usage;
  if (event.type !== 'iteration-start') return;
  state.ended = sumUsage([state.ended, state.current]);
  state.current = undefined;
}

function noteActivity(
  state: State,
  event: RunEvent,
  { maxAttempts, maxIterations }: RunViewOptions,
  clean: (text: string) => string,
): void {
  switch (event.type) {
    case 'run-start':
      state.activity = 'starting the sandbox';
      return;
    case 'sandbox-ready':
    case 'iteration-start':
      state.activity = 'waiting for the agent';
      break;
    case 'thinking':
      state.activity = 'thinking';
      return;
    case 'tool-call':
      state.callCount += 1;
      state.activity = callLabel(event, clean);
      return;
    case 'commits':
      state.activity = 'collecting commits';
      return;
    default:
      return;
  }
  if (event.type !== 'iteration-start') return;
  if (maxAttempts > 1) state.round = `attempt ${event.attempt}/${maxAttempts}`;
  else if (maxIterations > 1) state.round = `iteration ${event.iteration}/${maxIterations}`;
}

interface Tools {
  clean(text: string): string;
  now(): number;
}

function notLimited(
  limits: readonly string[] = [],
  clean: (text: string) => string,
): readonly FinishedStep[] {
  return limits.length === 0
    ? []
    : [{ kind: 'note', text: clean(`limits not enforced: ${limits.join(', ')}`) }];
}

function finishedBy(state: State, event: RunEvent, { clean, now }: Tools): readonly FinishedStep[] {
  switch (event.type) {
    case 'run-start':
      return [
        { kind: 'note', text: clean(`${event.agent} in ${event.sandbox} on ${event.branch}`) },
        // On its own line, so that a terminal of 100 columns shows the whole path.
        ...(event.logFilePath === undefined
          ? []
          : [{ kind: 'note' as const, text: clean(`log: ${event.logFilePath}`), isCopied: true as const }]),
      ];
    case 'sandbox-ready':
      return [
        { kind: 'note', text: `egress: ${describeReadyEgress(event)}` },
        ...notLimited(event.unenforcedLimits, clean),
      ];
    case 'tool-call':
      state.open.push({ id: event.id, label: callLabel(event, clean), startedMs: now() });
      return [];
    case 'tool-result':
      return closeCall(state, event, clean, now());
    case 'attempt-end':
      return event.code === 'ok'
        ? [{ kind: 'done', text: 'answer valid' }]
        : [{ kind: 'failed', text: clean(`attempt ${event.attempt}: ${refusalReason(event)}`) }];
    case 'commits':
      return event.commits.map(({ sha }) => ({ kind: 'done', text: `commit ${sha.slice(0, 10)}` }));
    case 'warning':
      return [{ kind: 'warning', text: clean(`warning: ${event.message}`) }];
    case 'error':
      return [{ kind: 'failed', text: clean(event.message) }];
    default:
      return [];
  }
}

function closeCall(
  state: State,
  event: Extract<RunEvent, { type: 'tool-result' }>,
  clean: (text: string) => string,
  nowMs: number,
): readonly FinishedStep[] {
  const at =
    event.id === undefined ? state.open.length - 1 : state.open.findIndex(({ id }) => id === event.id);
  const [call] = at === -1 ? [] : state.open.splice(at, 1);
  if (call === undefined) return [];
  const next = state.open.at(-1);
  state.activity = next === undefined ? 'waiting for the agent' : next.label;
  const suffix = duration(nowMs - call.startedMs);
  if (!event.isError) return [{ kind: 'done', text: call.label, suffix }];
  const reason = clean(event.output.trim().split('\n').at(-1) ?? '');
  return [{ kind: 'failed', text: reason === '' ? call.label : `${call.label}: ${reason}`, suffix }];
}

function callLabel(
  { name, input }: Extract<RunEvent, { type: 'tool-call' }>,
  clean: (text: string) => string,
): string {
  return clean(`${name} ${subjectOf(input)}`).slice(0, MAX_TEXT_CHARS);
}

/** Returns the most informative part of a tool's input. */
function subjectOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return '';
  const fields: Readonly<Record<string, unknown>> = { ...input };
  const names = ['command', 'file_path', 'path', 'pattern', 'query', 'url', 'description', 'prompt'];
  const subject = names
    .map((name) => fields[name])
    .find((value) => typeof value === 'string' || isWords(value));
  return isWords(subject) ? subject.join(' ') : (subject ?? '');
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string');
}

function describe({ activity, ended, current, callCount, round }: State, elapsedMs: number): string {
  const usage = sumUsage([ended, current]);
  const facts = [
    seconds(elapsedMs),
    ...(round === undefined ? [] : [round]),
    ...(callCount === 0 ? [] : [`${callCount} ${callCount === 1 ? 'call' : 'calls'}`]),
    ...(usage === undefined ? [] : [`${thousands(tokensOf(usage))} tokens`]),
    ...(usage?.costUsd === undefined ? [] : [`$${usage.costUsd.toFixed(usage.costUsd < 1 ? 3 : 2)}`]),
  ];
  return [...facts, activity].join(' · ');
}

function tokensOf(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheCreationInputTokens + usage.cacheReadInputTokens;
}

function thousands(count: number): string {
  return count < 1_000 ? String(count) : `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)}k`;
}

function duration(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)}s` : seconds(ms);
}

function seconds(ms: number): string {
  const whole = Math.floor(ms / 1_000);
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, '0')}s`;
}
