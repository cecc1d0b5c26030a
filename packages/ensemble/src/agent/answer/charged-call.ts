/** Budget accounting: charges each model call before its result is used. */
import type { Usage } from '@truecast/core/internal/kit/usage';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentTurn, ModelCall } from '../../scenario/ensemble-agent.ts';

export type CallOutcome<TResult> =
  | { readonly success: true; readonly value: TResult }
  /** `model` is the model of the last call. */
  | { readonly success: false; readonly error: unknown; readonly model: string };

export interface ChargedCall<TResult> {
  readonly turn: AgentTurn;
  /** The provider's model name, until a call reports a more exact one. */
  readonly model: string;
  ask(onCall: (call: ModelCall) => Promise<void>): Promise<TResult>;
}

/**
 * Calls the provider and charges each reported call, or the whole as one call if none was reported.
 *
 * Rejects if a charge is refused, even if the provider handled that error, and if the signal is
 * aborted. Other failures are returned.
 */
export async function callCharged<TResult extends { readonly usage?: Usage; readonly model?: string }>({
  turn,
  model,
  ask,
}: ChargedCall<TResult>): Promise<CallOutcome<TResult>> {
  const startedAtMs = performance.now();
  const refusals: unknown[] = [];
  let last: string | undefined;
  const charge = async ({ model, usage, durationMs, code }: ModelCall): Promise<void> => {
    last = model;
    const counted = usage === undefined ? {} : { usage };
    await turn.charge({ model, ...counted, durationMs, code }).catch((error: unknown) => {
      refusals.push(error);
      throw error;
    });
  };
  const outcome = await ask(charge).then(
    (value) => ({ success: true, value }) as const,
    (error: unknown) => ({ success: false, error, model: last ?? model }) as const,
  );
  // A call with invalid options was never sent.
  if (last === undefined && (outcome.success || !UsageError.isInstance(outcome.error))) {
    const durationMs = Math.round(performance.now() - startedAtMs);
    const { model: answering = model, usage } = outcome.success ? outcome.value : {};
    const call = { model: answering, ...(usage !== undefined && { usage }), durationMs };
    // The list of refusals already includes this error.
    await charge({ ...call, code: outcome.success ? 'ok' : 'failed' }).catch(() => undefined);
  }
  if (refusals.length > 0) throw refusals[0];
  turn.signal.throwIfAborted();
  return outcome;
}
