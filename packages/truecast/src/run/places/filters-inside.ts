/** Filters inside a sandbox: the same drivers as on the host, rejected if a program is missing. */
import { homedir } from 'node:os';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { FilterDriver } from '../../git/filter-rules/filter-driver.ts';
import { programsOf } from '../../git/filter-rules/judge-command.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';

/**
 * Passes configuration from git to the programs that it starts. The name does not contain `KEY`,
 * because agents withhold such variables from commands.
 */
const VARIABLE = 'GIT_CONFIG_PARAMETERS';

export interface InsideFilters {
  /** Every configured driver, used or not: an agent can start to use one. */
  readonly drivers: readonly FilterDriver[];
  /** The user's attribute file, if it is needed inside. */
  readonly attributesFile: string | undefined;
}

/**
 * Returns the variable that configures the drivers for every git inside, whichever files it reads.
 *
 * Every driver is required inside. If a clean command fails, `git add` must fail, or it commits the
 * plaintext.
 */
export function filterEnvironment(
  { drivers, attributesFile }: InsideFilters,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const entries = drivers.flatMap(({ name, clean, smudge, process }) => {
    // A required driver fails if a command is missing. `cat` changes nothing.
    const absent = process === undefined ? 'cat' : undefined;
    const commands = Object.entries({ clean: clean ?? absent, smudge: smudge ?? absent, process });
    const set = commands.flatMap(([kind, command]) => (command === undefined ? [] : [`${kind}=${command}`]));
    return [...set, 'required=true'].map((entry) => quoteArgument(`filter.${name}.${entry}`));
  });
  if (attributesFile !== undefined) entries.push(quoteArgument(`core.attributesFile=${attributesFile}`));
  if (entries.length === 0) return {};
  return { [VARIABLE]: [env[VARIABLE] ?? '', ...entries].filter((entry) => entry !== '').join(' ') };
}

/**
 * Checks that the host could check out every filtered file of a new worktree.
 *
 * Without its smudge filter, the agent's `git add` would clean a file a second time.
 *
 * @throws UsageError `unsupported`, which names the filter and the reason
 */
export function assertCheckedOut(used: readonly FilterDriver[]): void {
  const off = used.find(
    ({ distrust, smudge, process }) =>
      distrust !== undefined && (smudge !== undefined || process !== undefined),
  );
  if (off === undefined) return;
  throw new UsageError(
    `The filter \`${off.name}\` cannot run on the host next to a sandbox: ${off.distrust ?? ''}, which a guest could change. Without it, files of a new worktree would be committed after being cleaned twice. Install the filter outside of the repository, use \`branchStrategy: { type: 'head' }\`, or \`noSandbox()\`.`,
    { code: 'unsupported' },
  );
}

/**
 * Checks that a sandbox has the programs of the checkout's filters, and the attribute file that
 * names them.
 *
 * @throws UsageError `unsupported`, which names filter and program
 */
export async function assertFilterPrograms(
  { drivers, attributesFile }: InsideFilters,
  handle: SandboxHandle,
  { sandboxName, signal }: { readonly sandboxName: string; readonly signal: AbortSignal },
): Promise<void> {
  const needed = drivers.flatMap((driver) =>
    programsOfDriver(driver).map((program) => ({ driver, program })),
  );
  if (needed.length === 0) return;
  const { stdout } = await handle.exec(checkScript(needed, attributesFile), { signal });
  const missing = /^missing (\d+)$/mu.exec(stdout)?.[1];
  const found = missing === undefined ? undefined : needed[Number(missing)];
  if (found !== undefined) {
    throw new UsageError(
      `Files of this repository use the filter \`${found.driver.name}\`, but the sandbox \`${sandboxName}\` does not have its program \`${found.program}\`. The agent would commit these files unfiltered. Install the program there or mount it, or use another sandbox.`,
      { code: 'unsupported' },
    );
  }
  if (!/^unreadable$/mu.test(stdout)) return;
  throw new UsageError(
    `Filters of this repository are turned on in \`${attributesFile ?? ''}\`, which the sandbox \`${sandboxName}\` does not have. Move the lines to \`.gitattributes\`, or mount the file at the same path.`,
    { code: 'unsupported' },
  );
}

interface NeededProgram {
  readonly driver: FilterDriver;
  readonly program: string;
}

/** Prints `missing <index>` for each program and `unreadable` for the attribute file. */
function checkScript(needed: readonly NeededProgram[], attributesFile: string | undefined): string {
  const checks = needed.map(
    ({ program }, index) =>
      `command -v -- ${quoteArgument(program)} >/dev/null 2>&1 || echo "missing ${index}"`,
  );
  if (attributesFile !== undefined) checks.push(`[ -r ${quoteArgument(attributesFile)} ] || echo unreadable`);
  return [...checks, 'true'].join('\n');
}

function programsOfDriver({ clean, smudge, process }: FilterDriver): readonly string[] {
  const lines = process === undefined ? [clean, smudge] : [process];
  return lines.flatMap((line) => (line === undefined ? [] : programsOf(line, homedir())));
}
