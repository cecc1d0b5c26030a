/** Owns telling a run what its sandbox's network does, also what happened before the run listened. */
import type { Usage } from '../../../errors/usage.ts';

/** Takes part in what a sandbox's network does, for as long as a run uses the sandbox. */
export interface EgressObserver {
  /** Something that the caller should know, such as a refused host; each thing once. */
  onWarning?(message: string): void;
  /** A request to the model has ended, and its answer told what it used. */
  onModelUsage?(usage: Usage, model: string | undefined): void;
  /** Returns why the model must not be asked any more; undefined while it may be. */
  refuseModel?(): string | undefined;
}

/** The side of the proxies. */
export interface EgressTeller {
  /** Tells a refused host, once. */
  refused(host: string, message: string): void;
  modelUsed(usage: Usage, model: string | undefined): void;
  refuseModel(): string | undefined;
  /** Returns what ends the observing. What was refused before anybody listened is told at once. */
  observe(observer: EgressObserver): () => void;
}

/** A guest can think of hosts without end. */
const MAX_TOLD_HOSTS = 50;

/** Makes a teller without listeners. */
export function createEgressTeller(): EgressTeller {
  const observers = new Set<EgressObserver>();
  const told = new Set<string>();
  const waiting: string[] = [];
  const warn = (message: string): void => {
    if (observers.size === 0) waiting.push(message);
    for (const observer of observers) observer.onWarning?.(message);
  };
  return {
    refused(host, message) {
      if (told.has(host) || told.size > MAX_TOLD_HOSTS) return;
      told.add(host);
      warn(
        told.size > MAX_TOLD_HOSTS
          ? `The sandbox asked for more than ${MAX_TOLD_HOSTS} hosts that \`egress.allow\` does not list; further ones are refused without being told.`
          : `The sandbox was refused a connection: ${message}`,
      );
    },
    modelUsed(usage, model) {
      for (const observer of observers) observer.onModelUsage?.(usage, model);
    },
    refuseModel() {
      for (const observer of observers) {
        const reason = observer.refuseModel?.();
        if (reason !== undefined) return reason;
      }
      return undefined;
    },
    observe(observer) {
      observers.add(observer);
      for (const message of waiting.splice(0)) observer.onWarning?.(message);
      return () => observers.delete(observer);
    },
  };
}
