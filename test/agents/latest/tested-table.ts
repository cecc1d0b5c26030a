/** Table of the newest agent CLIs in `docs/tested.md`. Pure. */

/** One package of the table. */
export interface TriedPackage {
  readonly name: string;
  /** Version in `test/agents/package.json`. */
  readonly pinned: string;
  /** Version that was installed and tried. */
  readonly tried: string;
  readonly notes: readonly string[];
}

/** Result of one suite. */
export interface TriedSuite {
  readonly name: string;
  readonly passed: number;
  readonly failed: readonly string[];
}

/** A whole try. */
export interface TriedAgents {
  /** Day of the try, as `YYYY-MM-DD`. */
  readonly day: string;
  readonly packages: readonly TriedPackage[];
  readonly suites: readonly TriedSuite[];
}

const START = '<!-- newest agents -->';
const END = '<!-- end of newest agents -->';

/** Replaces the text between the marks. */
export function withTriedAgents(page: string, tried: TriedAgents): string {
  const [before, rest] = page.split(`${START}\n`);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`Expected the page to contain \`${START}\` and \`${END}\`. Add both lines.`);
  }
  return `${before}${START}\n${textOf(tried)}${END}${after}`;
}

function textOf({ day, packages, suites }: TriedAgents): string {
  const passed = suites.reduce((sum, suite) => sum + suite.passed, 0);
  const failed = suites.flatMap((suite) => suite.failed.map((title) => `- \`${suite.name}\`: ${title}\n`));
  const outcome = failed.length === 0 ? 'none failed' : `${failed.length} failed`;
  return `\`npm run test:latest-agents\` on ${day}: ${passed} tests of ${suites.length} suites passed, ${outcome}.

| package | in CI | newest that installs | notes |
|---|---|---|---|
${packages.map(rowOf).join('\n')}
${failed.length === 0 ? '' : `\n${failed.join('')}`}`;
}

function rowOf({ name, pinned, tried, notes }: TriedPackage): string {
  return `| \`${name}\` | ${pinned} | ${tried === pinned ? 'the same' : tried} | ${notes.join('; ') || '–'} |`;
}
