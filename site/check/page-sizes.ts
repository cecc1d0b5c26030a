/** Sizes of the built pages: a page above the limit has to be split. */
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The largest guides are tables of many members. A new one has half of it. */
const MAX_BYTES = 100_000;

/** Result of the check. */
export interface SizeReport {
  /** Bytes of the largest page. */
  readonly largest: number;
  readonly problems: readonly string[];
}

/** Compares each page in `dist` with the limit. */
export function checkSizes(dist: string): SizeReport {
  const pages = globSync('**/*.html', { cwd: dist }).map((file) => ({
    file,
    bytes: statSync(join(dist, file)).size,
  }));
  const problems = pages.filter(({ bytes }) => bytes > MAX_BYTES);
  return {
    largest: Math.max(...pages.map(({ bytes }) => bytes)),
    problems: problems.map(({ file, bytes }) => `${file}: ${bytes} bytes, more than ${MAX_BYTES}. Split it.`),
  };
}
