/** Limits and observer of one model call. */
import type { StepRequest } from '../models/step-request.ts';
import type { CallObserver } from '../models/observed-step.ts';
import type { TurnPorts } from './turn-ports.ts';
import type { TurnRun } from './turn-run.ts';

/** Limits of every call, summaries included. */
export function boundsOf({
  silenceMs,
  maxReplyBytes,
}: TurnPorts): Pick<StepRequest, 'silenceMs' | 'maxReplyBytes'> {
  return {
    ...(silenceMs !== undefined && { silenceMs }),
    ...(maxReplyBytes !== undefined && { maxReplyBytes }),
  };
}

/** Observer of a turn's calls. A call that waits for its model releases the turn's slot. */
export function callerOf({ ports, origin, wait }: TurnRun): CallObserver {
  const { onModelCall: onCall, trace, whileWaiting } = ports;
  return { onCall, origin, trace, whileWaiting, wait };
}
