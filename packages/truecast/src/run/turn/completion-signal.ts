/** Completion signal: detection in streamed text, and its withdrawal by the agent. Pure. */

/** Watches an agent's events for its completion signal. */
export interface CompletionWatch {
  /** Accepts assistant text as it arrives. Linear time; buffers at most the longest signal. */
  text(chunk: string): void;
  /**
   * A tool call after the signal withdraws it, because a plan can mention the signal long before
   * the work is done.
   */
  toolCall(id: string | undefined): void;
  toolResult(id: string | undefined): void;
  /** The answer was submitted. Calls that are still open no longer count. */
  answered(): void;
  /** True if the agent is done by its signal or answer, and every tool call has a result. */
  readonly isDone: boolean;
  /** The signal that is in effect, or undefined. */
  readonly armed: string | undefined;
}

export interface CompletionWatchOptions {
  /**
   * If true, later text withdraws the signal. For agents that report no tool calls: a mention in a
   * plan must not end their work. @default false
   */
  readonly onlyLastWords?: boolean;
}

/** Creates a watch for any of `signals`. The last one written counts. */
export function createCompletionWatch(
  signals: readonly string[],
  { onlyLastWords = false }: CompletionWatchOptions = {},
): CompletionWatch {
  // One more than a signal, for the character before it.
  const windowChars = Math.max(0, ...signals.map((signal) => signal.length));
  const openCalls = new Set<string>();
  let anonymousCalls = 0;
  let carry = '';
  let armed: string | undefined;
  let isAnswered = false;
  return {
    text(chunk) {
      const window = carry + chunk;
      if (!onlyLastWords) armed = lastSignal(window, signals) ?? armed;
      else if (chunk.trim() !== '') armed = endingSignal(window, signals);
      carry = windowChars > 0 ? window.slice(-windowChars) : '';
    },
    toolCall(id) {
      armed = undefined;
      carry = '';
      if (id === undefined) anonymousCalls += 1;
      else openCalls.add(id);
    },
    toolResult(id) {
      if (id === undefined) anonymousCalls = Math.max(0, anonymousCalls - 1);
      else openCalls.delete(id);
    },
    get armed() {
      return armed;
    },
    answered() {
      isAnswered = true;
      openCalls.clear();
      anonymousCalls = 0;
    },
    get isDone() {
      return (armed !== undefined || isAnswered) && openCalls.size + anonymousCalls === 0;
    },
  };
}

/** Returns the longest signal at the end of a text. Trailing white space is ignored. */
function endingSignal(text: string, signals: readonly string[]): string | undefined {
  const said = text.trimEnd();
  return signals
    .filter((signal) => {
      const words = signal.trimEnd();
      const before = said.charAt(said.length - words.length - 1);
      return words !== '' && said.endsWith(words) && !(isWord(before) && isWord(words.charAt(0)));
    })
    .toSorted((one, other) => other.length - one.length)[0];
}

function isWord(character: string): boolean {
  return /[\p{L}\p{N}_]/u.test(character);
}

function lastSignal(window: string, signals: readonly string[]): string | undefined {
  let found: string | undefined;
  let foundEnd = -1;
  for (const signal of signals) {
    const at = window.lastIndexOf(signal);
    if (at !== -1 && at + signal.length > foundEnd) {
      found = signal;
      foundEnd = at + signal.length;
    }
  }
  return found;
}
