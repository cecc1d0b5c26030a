/** Scripted misbehaviours as a leg of the proof: large models cannot run everywhere, and send these. */
import { right } from '../../packages/model/src/test-misbehaviour.ts';
import {
  countMended,
  MOST_REQUESTS,
  NAMES,
  outcomesOfMisbehaviour,
} from '../../packages/model/src/test-misbehaviours.ts';

/** Of 59, as many ended within three calls before the second call differed from the first. */
const LEAST_SHARE = 54 / 59;

/** What came, and whether it is as good as before. */
export interface MisbehaviourResult {
  readonly line: string;
  readonly isWorse: boolean;
}

/** Plays each once and then the right reply, with and without `lenient`. */
export async function playMisbehaviours(): Promise<readonly MisbehaviourResult[]> {
  const modes = ['strict', 'lenient'] as const;
  return Promise.all(
    modes.map(async (mode) => {
      const found = await outcomesOfMisbehaviour((bad) => [bad, right], mode === 'lenient');
      const { mended, requests } = countMended(found);
      const line = `Scripted misbehaviours, ${mode}: ${mended} of ${NAMES.length} within three calls, ${requests} calls.`;
      return { line, isWorse: mended < NAMES.length * LEAST_SHARE || requests > MOST_REQUESTS[mode] };
    }),
  );
}
