/** `truecast doctor --security`: tries to break out of each sandbox that works here, and prints the result as a table. */
import { tryOverspend } from 'truecast/internal/run/escapes/budget-escape';
import { ESCAPE_ATTEMPTS, tryEscapes } from 'truecast/internal/run/escapes/try-escapes';
import type { EscapeOutcome, EscapeResult } from 'truecast/internal/run/escapes/escape-bait';
import { probeEngine } from 'truecast/internal/sandboxes/containers/probe-engine';
import { probeBubblewrap } from 'truecast/internal/sandboxes/probe';
import { CONTAINER_SANDBOXES, SANDBOXES } from 'truecast/internal/sandboxes/registry/sandboxes';
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import type { DoctorFlags } from './doctor-command.ts';
import { imageOf } from '../flags/choose-sandbox.ts';
import { printResult, printText, tell, type Terminal } from '../terminal/print.ts';
import { renderTable } from '../terminal/render-table.ts';

interface Tried {
  readonly sandbox: string;
  readonly results: readonly EscapeResult[];
}

/** A sandbox without network, and the same one whose agents reach their model. */
interface Found {
  readonly closed: SandboxProvider;
  readonly open: SandboxProvider;
}

const MARKS: Readonly<Record<EscapeOutcome, string>> = {
  held: '✓ held',
  escaped: '× ESCAPED',
  'not-tried': '– not tested',
};

/** Tries every attempt in every sandbox that works. The command fails if one escaped, or if no sandbox works. */
export async function doctorSecurityCommand({ json }: DoctorFlags, terminal: Terminal): Promise<void> {
  const sandboxes = await findSandboxes(terminal);
  const tried: Tried[] = [];
  for (const { closed: sandbox, open } of sandboxes) {
    tell(`Trying ${ESCAPE_ATTEMPTS.length + 1} escapes from ${sandbox.name} …`, terminal);
    tried.push({
      sandbox: sandbox.name,
      results: [...(await tryEscapes(sandbox)), await tryOverspend(open)],
    });
  }
  const escaped = tried.flatMap(({ results }) => results.filter(({ outcome }) => outcome === 'escaped'));
  if (json === true) await printResult({ sandboxes: tried }, terminal);
  else if (tried.length > 0) {
    printText(`${renderResults(tried)}\n`, terminal);
    for (const line of notTested(tried)) tell(line, terminal);
    tell(
      '`--sandbox none` and `--egress host` give none of these guarantees. See docs/sandboxes.md of this package.',
      terminal,
    );
  }
  if (escaped.length > 0 || tried.length === 0) process.exitCode = 1;
}

/** Returns the sandboxes that start here, and reports why the others do not. */
async function findSandboxes(terminal: Terminal): Promise<readonly Found[]> {
  const found: Found[] = [];
  const probe = await probeBubblewrap();
  if (probe.works) {
    const create = await SANDBOXES.bubblewrap.load();
    found.push({ closed: create({ egress: 'none' }), open: create({}) });
  } else tell(`bubblewrap is not tested: ${probe.reason}`, terminal);
  for (const { engine } of CONTAINER_SANDBOXES) {
    const imageName = await imageOf(process.cwd());
    const engineProbe = await probeEngine(engine, imageName);
    if (engineProbe.works) {
      const create = await SANDBOXES[engine].load();
      found.push({ closed: create({ imageName, egress: 'none' }), open: create({ imageName }) });
    } else tell(`${engine} is not tested: ${engineProbe.reason}`, terminal);
  }
  return found;
}

/** One line for each reason, with the attempts that it stopped. */
function notTested(tried: readonly Tried[]): readonly string[] {
  return tried.flatMap(({ sandbox, results }) => {
    const missing = results.filter(({ outcome }) => outcome === 'not-tried');
    const byReason = Map.groupBy(missing, ({ reason = 'unknown' }) => reason);
    return [...byReason].map(
      ([reason, ones]) =>
        `Not tested in ${sandbox}, because ${reason}: ${ones.map(({ id }) => id).join(', ')}.`,
    );
  });
}

function renderResults(tried: readonly Tried[]): string {
  const rows = (tried[0]?.results ?? []).map(({ id, title, promise }) => [
    promise,
    title,
    ...tried.map(({ results }) => MARKS[results.find((result) => result.id === id)?.outcome ?? 'not-tried']),
  ]);
  return renderTable([['PROMISE', 'A GUEST CANNOT', ...tried.map(({ sandbox }) => sandbox)], ...rows], {
    rightAligned: [],
  });
}
