/** Owns the one live line on a terminal: what the agent does, for how long, at what cost. */
import { stripVTControlCharacters } from 'node:util';
import { sumUsage, type Usage } from '../../errors/usage.ts';
import type { RunEvent } from '../run-events.ts';

/** A live line. On anything but a terminal it writes nothing. */
export interface TerminalLine {
  /** Takes what happened, and shows it. */
  update(event: RunEvent): void;
  /** Wipes the line, so that other text can be written; the next update brings it back. */
  clear(): void;
  /** Wipes the line and gives the cursor back. May be called twice. */
  close(): void;
}

/** What `createTerminalLine` takes. */
export interface TerminalLineOptions {
  readonly stream: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** Milliseconds of any clock that does not go back. @default `performance.now` */
  readonly now?: () => number;
  /** Calls back every second until what it returns is called. @default a timer that keeps no process alive */
  readonly everySecond?: (callback: () => void) => () => void;
}

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
const WIPE = '\r\u001B[2K';
/** Faster than this nobody reads, and a terminal over a network falls behind. */
const MIN_REDRAW_MS = 50;

/** More than a line of any terminal. */
const MAX_TEXT_CHARS = 400;

interface State {
  activity: string;
  /** The end of the text so far: some agents print it a word at a time. */
  text: string;
  /** Usage of the agent's processes that ended. */
  ended: Usage | undefined;
  /** Usage of the present one so far. */
  current: Usage | undefined;
  calls: number;
}

/** Begins a live line. */
export function createTerminalLine(options: TerminalLineOptions): TerminalLine {
  const { stream } = options;
  if (stream.isTTY !== true) return { update() {}, clear() {}, close() {} };
  return startLine(options);
}

function startLine({
  stream,
  now = () => performance.now(),
  everySecond = startTimer,
}: TerminalLineOptions): TerminalLine {
  const startedMs = now();
  const state: State = { activity: 'starting', text: '', ended: undefined, current: undefined, calls: 0 };
  let drawnMs = -Infinity;
  let isShown = false;
  let isClosed = false;

  function draw(): void {
    drawnMs = now();
    const text = fit(describe(state, drawnMs - startedMs), (stream.columns ?? 80) - 1);
    stream.write(`${isShown ? '' : HIDE_CURSOR}${WIPE}${text}`);
    isShown = true;
  }
  function clear(): void {
    if (!isShown) return;
    stream.write(`${WIPE}${SHOW_CURSOR}`);
    isShown = false;
  }
  // A process that ends on a signal or an error must not leave a terminal without a cursor.
  process.once('exit', clear);
  const stopTimer = everySecond(() => {
    if (isShown) draw();
  });
  return {
    update(event): void {
      if (isClosed) return;
      const isNews = apply(state, event);
      if (isNews || now() - drawnMs >= MIN_REDRAW_MS) draw();
    },
    clear,
    close(): void {
      if (isClosed) return;
      isClosed = true;
      stopTimer();
      process.off('exit', clear);
      clear();
    },
  };
}

/** Returns whether the activity changed. */
function apply(state: State, event: RunEvent): boolean {
  const before = state.activity;
  if (event.type === 'usage') state.current = event.usage;
  if (event.type === 'iteration-start') {
    state.ended = sumUsage([state.ended, state.current]);
    state.current = undefined;
  }
  if (event.type === 'tool-call') state.calls += 1;
  if (event.type === 'text') state.text = (state.text + event.text).slice(-MAX_TEXT_CHARS);
  if (event.type === 'tool-call' || event.type === 'iteration-start') state.text = '';
  state.activity = (event.type === 'text' ? lastLine(state.text) : activityOf(event)) ?? state.activity;
  return state.activity !== before;
}

function activityOf(event: RunEvent): string | undefined {
  if (event.type === 'run-start') return `starting ${event.sandbox}`;
  if (event.type === 'sandbox-ready') return 'starting the agent';
  if (event.type === 'iteration-start') {
    return event.attempt > 1 ? `attempt ${event.attempt}` : `iteration ${event.iteration}`;
  }
  if (event.type === 'thinking') return 'thinking';
  if (event.type === 'tool-call') return `${event.name} ${subjectOf(event.input)}`;
  return event.type === 'commits' ? 'collecting commits' : undefined;
}

/** The one thing of a tool's input that tells a person what it is about. */
function subjectOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return '';
  const fields: Readonly<Record<string, unknown>> = { ...input };
  const names = ['command', 'file_path', 'path', 'pattern', 'query', 'url', 'description'];
  const subject = names.map((name) => fields[name]).find((value) => typeof value === 'string');
  return subject ?? '';
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1) || undefined;
}

function describe({ activity, ended, current, calls }: State, elapsedMs: number): string {
  const usage = sumUsage([ended, current]);
  const seconds = Math.floor(elapsedMs / 1000);
  const elapsed =
    seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
  const facts = [
    elapsed,
    ...(calls === 0 ? [] : [`${calls} ${calls === 1 ? 'call' : 'calls'}`]),
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

/** Takes two columns on a terminal. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;

/** Cuts a text to one line of a terminal. An agent's words must not steer the terminal: control and direction characters go. */
function fit(text: string, columns: number): string {
  const plain = stripVTControlCharacters(text)
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '');
  let width = 0;
  let fitted = '';
  for (const char of plain) {
    width += WIDE.test(char) ? 2 : 1;
    if (width > columns) return fitted;
    fitted += char;
  }
  return fitted;
}

function startTimer(callback: () => void): () => void {
  const timer = setInterval(callback, 1_000);
  timer.unref();
  return () => clearInterval(timer);
}
