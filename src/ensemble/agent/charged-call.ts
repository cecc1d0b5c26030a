/** Owns charging a turn for the calls of its model, before what they brought is used. */
import { NO_USAGE, type Usage } from '../../errors/usage.ts';
import { UsageError } from '../../errors/usage-error.ts';
import type { AgentTurn, ModelCall } from './ensemble-agent.ts';

/** What came of asking a provider. */
export type CallOutcome<TResult> =
  | { readonly success: true; readonly value: TResult }
  /** `model` is the one that was asked last. */
  | { readonly success: false; readonly error: unknown; readonly model: string };

/** One asking of a provider. */
export interface ChargedCall<TResult> {
  readonly turn: AgentTurn;
  /** The provider's model, until a call tells a more exact name. */
  readonly model: string;
  ask(onCall: (call: ModelCall) => Promise<void>): Promise<TResult>;
}

/**
 * Asks, and charges each call that is reported, or the whole as one call where none was.
 *
 * Rejects with what a charge was refused with, whatever the provider made of it, and with the signal's reason. Every other failure is an outcome.
 */
export async function callCharged<TResult extends { readonly usage: Usage; readonly model?: string }>({
  turn,
  model,
  ask,
}: ChargedCall<TResult>): Promise<CallOutcome<TResult>> {
  const startedAtMs = performance.now();
  const refusals: unknown[] = [];
  let last: string | undefined;
  const charge = async ({ model, usage, durationMs, code }: ModelCall): Promise<void> => {
    last = model;
    await turn.charge({ model, usage, durationMs, code }).catch((error: unknown) => {
      refusals.push(error);
      throw error;
    });
  };
  const outcome = await ask(charge).then(
    (value) => ({ success: true, value }) as const,
    (error: unknown) => ({ success: false, error, model: last ?? model }) as const,
  );
  // What was refused as wrongly used was never sent.
  if (last === undefined && (outcome.success || !UsageError.isInstance(outcome.error))) {
    const durationMs = Math.round(performance.now() - startedAtMs);
    // What it is refused with is among the refusals.
    await charge({ ...unreported(outcome, model), durationMs }).catch(() => undefined);
  }
  if (refusals.length > 0) throw refusals[0];
  turn.signal.throwIfAborted();
  return outcome;
}

/** The one call that a provider made which reports none. */
function unreported(
  outcome: CallOutcome<{ readonly usage: Usage; readonly model?: string }>,
  model: string,
): Omit<ModelCall, 'durationMs'> {
  if (outcome.success) return { model: outcome.value.model ?? model, usage: outcome.value.usage, code: 'ok' };
  return { model, usage: NO_USAGE, code: 'failed' };
}
