/** Owns finding a completion signal in text that arrives in pieces, and whether the agent still stands by it. Pure. */

/** Watches an agent's events for its completion signal. */
export interface CompletionWatch {
  /** Takes assistant text as it arrives; linear, keeps no more than the longest signal. */
  text(chunk: string): void;
  /** A tool call after the signal takes it back: a plan may mention it long before the work is done. */
  toolCall(id: string | undefined): void;
  toolResult(id: string | undefined): void;
  /** The answer was handed in: what is being called now no longer counts. */
  answered(): void;
  /** True when the agent has nothing left to do, by its word or its answer, and no tool call is without a result. */
  readonly isDone: boolean;
  /** The signal that the agent stands by, or undefined. */
  readonly armed: string | undefined;
}

/** Makes a watch for any of `signals`; the one said last counts. */
export function createCompletionWatch(signals: readonly string[]): CompletionWatch {
  const windowChars = Math.max(0, ...signals.map((signal) => signal.length)) - 1;
  const openCalls = new Set<string>();
  let anonymousCalls = 0;
  let carry = '';
  let armed: string | undefined;
  let isAnswered = false;
  return {
    text(chunk) {
      const window = carry + chunk;
      armed = lastSignal(window, signals) ?? armed;
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
