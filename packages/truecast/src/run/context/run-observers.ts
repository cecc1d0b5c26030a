/**
 * Observers of a run: the list of its sinks. Events are masked before they reach the list, so that
 * no sink has to.
 */
import type { SecretMask, SecretMaskStream } from '@truecast/host/internal/masking/secret-mask';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import { createEventMask } from '../events/mask-events.ts';
import type { LifecycleEvent, RunEvent } from '../events/run-events.ts';
import type { TurnLine } from '../record/recording.ts';

export interface RunObserver {
  event?(event: RunEvent): void;
  /** Returns true if previews of elements are read. */
  wantsElements?(): boolean;
  /** Receives a piece of the agent's stdout. */
  raw?(text: string, iteration: number): void;
  /** Receives the start, the end and the work of a turn. */
  turn?(line: TurnLine): void;
}

/** Sends events to the sinks of one run, in the order in which they were added. */
export class RunObservers {
  readonly #list = new Set<RunObserver>();
  readonly #mask: SecretMask;
  readonly #maskEvent: ReturnType<typeof createEventMask>;
  readonly #iteration: () => number;
  #raw: SecretMaskStream;

  constructor(mask: SecretMask, iteration: () => number) {
    this.#mask = mask;
    this.#maskEvent = createEventMask(mask);
    this.#iteration = iteration;
    this.#raw = mask.stream();
  }

  /** Adds a sink. Returns a function that removes it. */
  add(observer: RunObserver): () => void {
    this.#list.add(observer);
    return () => void this.#list.delete(observer);
  }

  /** Elements are validated for their previews only if a sink reads them. */
  wantsElements(): boolean {
    return [...this.#list].some((observer) => observer.wantsElements?.() === true);
  }

  /** Sends an event. Text that can be the beginning of a secret is held back. */
  emit(event: AgentEvent | LifecycleEvent): void {
    // Masked only for those who want it: an agent prints megabytes.
    if (event.type === 'raw') {
      if (this.#listeners('raw').length > 0) this.#sendRaw(this.#raw.push(event.text));
      return;
    }
    if (event.type === 'iteration-start' || event.type === 'run-end') this.#sendRaw(this.#raw.end());
    for (const masked of this.#maskEvent(event)) {
      const sent = { ...masked, timestamp: new Date(), iteration: this.#iteration() };
      for (const observer of this.#list) observer.event?.(sent);
    }
  }

  /**
   * Sends a part of a turn. Returns false for work with a secret, which is not sent: a masked patch
   * would not apply.
   */
  turn(line: TurnLine): boolean {
    if (line.type === 'end') this.#sendRaw(this.#raw.end());
    const masked = maskTurn(line, this.#mask.mask);
    if (masked !== undefined) for (const observer of this.#list) observer.turn?.(masked);
    return masked !== undefined;
  }

  #sendRaw(text: string): void {
    if (text !== '') for (const observer of this.#listeners('raw')) observer.raw?.(text, this.#iteration());
  }

  #listeners(to: keyof RunObserver): readonly RunObserver[] {
    return [...this.#list].filter((observer) => observer[to] !== undefined);
  }
}

function maskTurn(line: TurnLine, mask: SecretMask['mask']): TurnLine | undefined {
  if (line.type === 'turn') return { ...line, prompt: mask(line.prompt), command: mask(line.command) };
  if (line.type === 'end') return { ...line, stderrTail: mask(line.stderrTail) };
  const patches = [line.files, ...line.commits.map(({ patch }) => patch)];
  const texts = patches.map((patch) => Buffer.from(patch, 'base64').toString());
  const all = [...texts, ...line.commits.map(({ message }) => message)];
  return all.some((text) => mask(text) !== text) ? undefined : line;
}
