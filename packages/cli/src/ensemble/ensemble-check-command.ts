/** `truecast ensemble check`: reports problems in a folder of manifests. */
import { loadEnsemble } from '@truecast/ensemble/internal/manifest/load-ensemble';
import type { EnsembleFolder } from '@truecast/ensemble/internal/manifest/read-ensemble';
import {
  describeProblem,
  ManifestError,
  type ManifestProblem,
} from '@truecast/core/internal/errors/manifest-error';
import { EXIT, printResult, printText, tell, type Terminal } from '../terminal/print.ts';
import { ownFolder } from './with-ledger.ts';

export interface EnsembleCheckFlags {
  readonly json?: boolean;
}

/** Prints the problems. Sets exit code 1 if there are any. */
export async function ensembleCheckCommand(
  folder: string | undefined,
  { json }: EnsembleCheckFlags,
  terminal: Terminal,
): Promise<void> {
  const { ensemble, problems } = await judge(folder ?? ownFolder() ?? '.');
  const agents = [...(ensemble?.agents.keys() ?? [])];
  const scenarios = [...(ensemble?.scenarios.keys() ?? [])];
  if (json === true) await printResult({ problems, agents, scenarios }, terminal);
  else for (const problem of problems) printText(`${describeProblem(problem)}\n`, terminal);
  if (problems.length > 0) {
    process.exitCode = EXIT.failed;
    tell(problems.length === 1 ? '1 problem.' : `${problems.length} problems.`, terminal);
  } else {
    tell(`No problems: ${count(agents.length, 'agent')}, ${count(scenarios.length, 'scenario')}.`, terminal);
  }
}

interface Judged {
  readonly ensemble?: EnsembleFolder;
  readonly problems: readonly ManifestProblem[];
}

async function judge(folder: string): Promise<Judged> {
  try {
    return { ensemble: await loadEnsemble(folder, { env: process.env }), problems: [] };
  } catch (error) {
    if (!ManifestError.isInstance(error)) throw error;
    return { problems: error.problems };
  }
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
