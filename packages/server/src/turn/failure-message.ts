/** Client message of a failed model call: cause, text of the service, and next step. Pure. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { missingModel, type RequestedModel } from '@truecast/model/internal/failure/to-model-error';
import { causeOfFailure, type ModelFailure } from './classify-failure.ts';
import { FAILURE_CAUSES, type FailureCause } from './failure-causes.ts';

/** Causes for which the service's own text says what to correct. */
const SAYING: ReadonlySet<FailureCause> = new Set([
  'refused',
  'path',
  'told',
  'context-full',
  'request-size',
]);

export interface ToldFailure {
  readonly failure: ModelFailure;
  /** The service's text, masked. */
  readonly said: string;
  /** The model, with the names that its service lists. */
  readonly asked: RequestedModel;
  /** Calls of this step so far. */
  readonly calls: number;
}

export function failureMessage({ failure, said, asked, calls }: ToldFailure): string {
  const cause = causeOfFailure(failure);
  const message = cause === 'unknown-model' ? missingModel(asked) : FAILURE_CAUSES[cause].message;
  const quoted = SAYING.has(cause) && said !== '' ? ` It said: ${cut(said)}` : '';
  return `${message}${quoted}${calls > 1 ? ` Called ${calls} times.` : ''}`;
}
