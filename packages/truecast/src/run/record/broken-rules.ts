/** Broken rules of a refused answer, bounded for readers of a run's events. Pure. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { Issue } from '@truecast/core/internal/kit/issue';
import { pointerOf } from '@truecast/core/internal/schema/dialects/analysis/schema-place';

/** A rule that a refused value breaks. */
export interface BrokenRule {
  /** JSON Pointer into the value. */
  readonly path: string;
  readonly rule: string;
}

const MAX_RULES = 20;
/** The keys of a value are an agent's text. */
const MAX_PATH_CHARS = 500;

/** Returns the first 20 rules, each cut to 200 characters. One with a longer path than 500 characters is left out. */
export function brokenRules(issues: readonly Issue[]): readonly BrokenRule[] {
  return issues
    .slice(0, MAX_RULES)
    .map(({ path, message }) => ({ path: pointerOf(path), rule: cut(message) }))
    .filter(({ path }) => path.length <= MAX_PATH_CHARS);
}
