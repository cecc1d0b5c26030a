/** Work after a landing, such as cleaning up. Its failure is a warning, not a failure of what has landed. */
import { cut } from '@truecast/core/internal/kit/describe-value';

export interface AfterLandingOptions {
  /** The part that is missing if the work fails, as the rest of a sentence with the next step. */
  readonly missing: string;
  readonly onWarning: (message: string) => void;
}

/**
 * Returns the result of the work. Undefined, with a warning, if it fails: a caller that got an error
 * would do again what has landed.
 */
export async function afterLanding<TResult>(
  work: () => Promise<TResult>,
  { missing, onWarning }: AfterLandingOptions,
): Promise<TResult | undefined> {
  try {
    return await work();
  } catch (error) {
    const reason = cut(error instanceof Error ? error.message : String(error));
    onWarning(`The work has landed, but ${missing} The reason: ${reason}`);
    return undefined;
  }
}
