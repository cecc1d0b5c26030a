/** `truecast doctor`: prints the verdict on this machine, then the tests. */
import { terminalSigns } from 'truecast/internal/support/terminal-text';
import { inFlagWords } from '../terminal/flag-words.ts';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import {
  EXIT,
  printResult,
  printText,
  type Terminal,
  colored,
  columnsFor,
  type Meaning,
} from '../terminal/print.ts';
import { wrapText } from '../terminal/wrap-text.ts';
import { checkMachine, type DoctorGroup, type DoctorResult } from './check-machine.ts';

export interface DoctorFlags {
  readonly json?: boolean;
  readonly security?: boolean;
  /** Also lists each agent that is not installed. */
  readonly all?: boolean;
  /** Address of a model server. */
  readonly model?: string;
  readonly modelName?: string;
}

/** Prints the report. The command fails only if something that every run needs is missing. */
export async function doctorCommand(flags: DoctorFlags, terminal: Terminal): Promise<void> {
  const findings = await checkMachine();
  if (flags.json === true) await printResult({ verdict: verdictOf(findings).text, findings }, terminal);
  else printReport(findings, { showsAll: flags.all === true, terminal });
  if (findings.some(({ group, works }) => group === 'needed' && !works)) process.exitCode = EXIT.failed;
}

interface Verdict {
  readonly text: string;
  readonly meaning: Meaning;
}

/** Returns the verdict in one sentence. */
function verdictOf(findings: readonly DoctorResult[]): Verdict {
  const missing = findings.find(({ group, works }) => group === 'needed' && !works);
  if (missing !== undefined) return { text: `Not ready: ${missing.name} ${missing.detail}.`, meaning: 'bad' };
  const agents = findings.filter(({ group, works }) => group === 'agent' && works).length;
  const installed = agents === 1 ? 'One agent is installed' : `${agents} agents are installed`;
  const sandbox = findings.find(({ group, works }) => group === 'sandbox' && works);
  if (sandbox === undefined) {
    return { text: `Not protected: no sandbox works here. ${installed}.`, meaning: 'warning' };
  }
  if (agents > 0) {
    return { text: `Ready: agents run here in ${sandbox.name}. ${installed}.`, meaning: 'good' };
  }
  return {
    text: `Ready for an agent: ${sandbox.name} works, and no agent is installed yet. Try \`truecast demo\` first.`,
    meaning: 'warning',
  };
}

const GROUPS: Readonly<Record<DoctorGroup, string>> = {
  needed: 'Needed',
  sandbox: 'Sandbox',
  agent: 'Agents',
  key: 'Keys',
  network: 'Network',
  egress: 'Egress',
};
const LABEL_COLUMNS = 11;
const NAME_COLUMNS = 11;
const MAX_COLUMNS = 100;
const NARROW_COLUMNS = 60;

interface ReportOptions {
  readonly showsAll: boolean;
  readonly terminal: Terminal;
}

function printReport(findings: readonly DoctorResult[], { showsAll, terminal }: ReportOptions): void {
  const { stdout } = terminal;
  const columns = Math.min(columnsFor(stdout), MAX_COLUMNS);
  const verdict = verdictOf(findings);
  for (const line of wrapText(verdict.text, columns)) {
    stdout.write(`${colored(line, verdict.meaning, stdout)}\n`);
  }
  for (const [group, label] of Object.entries(GROUPS)) {
    const found = findings.filter((finding) => finding.group === group);
    const { shown, hidden } = showsAll ? { shown: found, hidden: 0 } : selectShort(found);
    if (columns < NARROW_COLUMNS && shown.length > 0) printText(`${label}\n`, terminal);
    const margin = columns < NARROW_COLUMNS ? 2 : LABEL_COLUMNS;
    shown.forEach((finding, index) => {
      const start = index === 0 && margin > 2 ? `  ${label}`.padEnd(margin) : ' '.repeat(margin);
      const detail = showsAll ? finding.detail : (finding.brief ?? finding.detail);
      stdout.write(`${start}${describe({ ...finding, detail }, { columns, margin, stdout })}\n`);
    });
    if (hidden > 0) {
      printText(
        `${' '.repeat(margin)}${terminalSigns().note} ${hidden} more: ${OWN_COMMAND} doctor --all\n`,
        terminal,
      );
    }
  }
}

interface Selected {
  readonly shown: readonly DoctorResult[];
  readonly hidden: number;
}

/**
 * Selects findings for the short report: at most two agents that are not installed, and no note on
 * egress.
 */
function selectShort(found: readonly DoctorResult[]): Selected {
  const relevant = found.filter(({ group }) => group !== 'egress');
  const works = relevant.filter((finding) => finding.works || finding.group !== 'agent');
  const absent = relevant.filter((finding) => !works.includes(finding));
  const shown = [...works, ...absent.slice(0, works.length > 0 ? 1 : 2)];
  return { shown, hidden: relevant.length - shown.length };
}

interface Place {
  readonly columns: number;
  readonly margin: number;
  readonly stdout: Terminal['stdout'];
}

/**
 * Returns sign, name and detail. Only a missing requirement is a failure. Everything else is
 * optional.
 */
function describe({ name, works, detail, group }: DoctorResult, { columns, margin, stdout }: Place): string {
  const signs = terminalSigns();
  const absent = group === 'needed' ? colored(signs.failed, 'bad', stdout) : signs.note;
  const sign = works ? colored(signs.done, 'good', stdout) : absent;
  const indent = margin + NAME_COLUMNS + 3;
  const isBelow = columns < NARROW_COLUMNS;
  const from = isBelow ? margin + 4 : indent;
  const lines = wrapText(inFlagWords(detail, ['--image-name']), columns - from).map((line) =>
    colored(line, 'aside', stdout),
  );
  const gap = `\n${' '.repeat(from)}`;
  return `${sign} ${isBelow ? `${name}${gap}` : `${name.padEnd(NAME_COLUMNS)} `}${lines.join(gap)}`;
}
