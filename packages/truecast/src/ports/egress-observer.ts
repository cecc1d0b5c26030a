/**
 * Network events of a sandbox for the runs that use it. Earlier warnings are delivered when a run
 * subscribes.
 */
import type { Usage } from '@truecast/core/internal/kit/usage';

/** Observes a sandbox's network while a run uses the sandbox. */
export interface EgressObserver {
  /** Called once per warning for the caller, such as a refused host. */
  onWarning?(message: string): void;
  /** Called when a model request has ended and its answer reported usage. */
  onModelUsage?(usage: Usage, model: string | undefined): void;
  /** Called when the model has answered a request, or with the reason why none arrived. */
  onModelAnswer?(failure: string | undefined): void;
  /** Reserves budget for a billed request before it is sent. If absent, usage is unlimited. */
  reserveModel?(spend: ModelSpend, signal: AbortSignal): Promise<ModelReservation>;
}

/** Upper limit of a request's usage. */
export interface RequestCost {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Upper limit and current usage of a request. */
export interface ModelSpend {
  readonly most: RequestCost;
  /**
   * Returns the usage known so far. If `isFinal` is true, the value does not change any more, and
   * an absent usage means zero.
   */
  used(): { readonly isFinal: boolean; readonly usage?: Usage };
}

export type ModelReservation =
  | {
      readonly type: 'grant';
      /** Replaces the reserved amount with the actual usage. A second call does nothing. */
      settle(): void;
    }
  | { readonly type: 'refuse'; readonly message: string };

/** Interface for the proxies, which report network events. */
export interface EgressTeller {
  /** Reports a refused host or request, once. */
  refused(name: string, message: string): void;
  modelUsed(usage: Usage, model: string | undefined): void;
  modelAnswered(failure: string | undefined): void;
  /**
   * Returns true if billed requests need a reservation. Such requests are read completely before
   * they are sent.
   */
  hasBudget(): boolean;
  reserveModel(spend: ModelSpend, signal: AbortSignal): Promise<ModelReservation>;
  /** Runs a command of an agent. Billed requests are forwarded only while such a command runs. */
  duringAgent<T>(command: () => Promise<T>): Promise<T>;
  hasAgent(): boolean;
  /**
   * Adds an observer and returns a function that removes it. Earlier warnings without an observer
   * are reported immediately.
   */
  observe(observer: EgressObserver): () => void;
}

/** A guest can invent an unlimited number of hosts and paths. */
const MAX_TOLD_HOSTS = 50;

/** Creates a reporter without observers. */
export function createEgressTeller(): EgressTeller {
  const observers = new Set<EgressObserver>();
  const told = new Set<string>();
  const waiting: string[] = [];
  let agents = 0;
  const warn = (message: string): void => {
    if (observers.size === 0) waiting.push(message);
    for (const observer of observers) observer.onWarning?.(message);
  };
  return {
    refused(name, message) {
      if (told.has(name) || told.size > MAX_TOLD_HOSTS) return;
      told.add(name);
      warn(
        told.size > MAX_TOLD_HOSTS
          ? `The sandbox tried more than ${MAX_TOLD_HOSTS} different connections that are not allowed. Further ones are blocked without a warning.`
          : `A connection of the sandbox was blocked: ${message}`,
      );
    },
    modelUsed(usage, model) {
      for (const observer of observers) observer.onModelUsage?.(usage, model);
    },
    modelAnswered(failure) {
      for (const observer of observers) observer.onModelAnswer?.(failure);
    },
    hasBudget: () => [...observers].some(({ reserveModel }) => reserveModel !== undefined),
    async reserveModel(spend, signal) {
      const granted: (() => void)[] = [];
      const settle = (): void => granted.forEach((end) => end());
      for (const observer of observers) {
        const reserved = await observer.reserveModel?.(spend, signal);
        if (reserved?.type === 'refuse') {
          settle();
          return reserved;
        }
        if (reserved !== undefined) granted.push(reserved.settle);
      }
      return { type: 'grant', settle };
    },
    async duringAgent(command) {
      agents += 1;
      try {
        return await command();
      } finally {
        agents -= 1;
      }
    },
    hasAgent: () => agents > 0,
    observe(observer) {
      observers.add(observer);
      for (const message of waiting.splice(0)) observer.onWarning?.(message);
      return () => observers.delete(observer);
    },
  };
}
