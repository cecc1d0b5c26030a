/** Limits of one model call. */
import type { StepRequest } from '../models/step-request.ts';
import type { TurnPorts } from './turn-ports.ts';

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
