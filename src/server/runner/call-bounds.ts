/** Owns the bounds of one call of a model, as the ports set them. */
import type { StepRequest } from '../models/step-request.ts';
import type { TurnPorts } from './turn-ports.ts';

/** The bounds that every call has, a summary's too. */
export function boundsOf({
  silenceMs,
  maxReplyBytes,
}: TurnPorts): Pick<StepRequest, 'silenceMs' | 'maxReplyBytes'> {
  return {
    ...(silenceMs !== undefined && { silenceMs }),
    ...(maxReplyBytes !== undefined && { maxReplyBytes }),
  };
}
