/** `truecast init --from-sandcastle`: converts the files of `.sandcastle/`, and reports each one. */
import { openRepository } from 'truecast/internal/git/repository/repository';
import { INSTALLED_COMMAND } from '../terminal/own-command.ts';
import { printResult, tell, tellWhole, type Terminal } from '../terminal/print.ts';
import { findPackageManager } from './find-defaults.ts';
import { additionFor } from './add-dependencies.ts';
import { convertFiles, type TargetFile } from './sandcastle/convert-files.ts';
import { readProject, SOURCE_FOLDER } from './sandcastle/read-project.ts';
import { findOtherFiles, writeProject } from './sandcastle/write-project.ts';
import { GIT_TIMEOUT_MS } from 'truecast/internal/git/command/git';

export interface FromSandcastleFlags {
  readonly cwd?: string;
  readonly json?: boolean;
}

/** The report: the written files, the remarks for the user, and the next steps. */
interface Report {
  readonly files: readonly {
    readonly from?: string;
    readonly to: string;
    readonly changes: readonly string[];
  }[];
  readonly notConverted: readonly {
    readonly path: string;
    readonly line?: number;
    readonly reason: string;
  }[];
  readonly next: readonly string[];
}

/** Converts the project of `cwd`, and prints a report. */
export async function convertFromSandcastle(flags: FromSandcastleFlags, terminal: Terminal): Promise<void> {
  const repository = await openRepository(flags.cwd ?? process.cwd(), { timeoutMs: GIT_TIMEOUT_MS });
  const { topLevel } = repository;
  const project = await readProject(topLevel);
  const { written, skipped } = await writeProject(repository, convertFiles(project.files));
  const names = new Set(project.files.map(({ name }) => name));
  const others = await findOtherFiles(repository);
  const report: Report = {
    files: written.map(({ name, changes }) => ({
      ...(names.has(name) && { from: `${SOURCE_FOLDER}/${name}` }),
      to: `.truecast/${name}`,
      changes,
    })),
    notConverted: [
      ...[...project.skipped, ...skipped].map(({ name, reason }) => ({
        path: `${SOURCE_FOLDER}/${name}`,
        reason,
      })),
      ...written.flatMap(({ name, remarks }) =>
        remarks.map(({ line, text }) => ({
          path: `.truecast/${name}`,
          ...(line !== undefined && { line }),
          reason: text,
        })),
      ),
      ...others.map((path) => ({
        path,
        reason: 'it names Sandcastle; change its import to `truecast`, and its paths to `.truecast/`',
      })),
    ],
    next: nextSteps(written, topLevel),
  };
  if (flags.json === true) return printResult(report, terminal);
  tellReport(report, terminal);
}

function tellReport({ files, notConverted, next }: Report, terminal: Terminal): void {
  for (const { from, to, changes } of files) {
    tell(from === undefined ? `wrote ${to}` : `${from} → ${to}`, terminal, 'good');
    for (const change of changes) tell(`    ${change}`, terminal);
  }
  if (notConverted.length > 0) tell('\nNot converted:', terminal, 'heading');
  for (const { path, line, reason } of notConverted) {
    tell(`  ${path}${line === undefined ? '' : `:${line}`}: ${reason}`, terminal, 'warning');
  }
  if (next.length === 0) return tell('\nNothing was written.', terminal);
  tell('\nNext:', terminal, 'heading');
  for (const [index, step] of next.entries()) tellWhole(`  ${index + 1}. ${step}`, terminal);
}

function nextSteps(written: readonly TargetFile[], top: string): readonly string[] {
  if (written.length === 0) return [];
  const { before, line } = additionFor(findPackageManager(top), top);
  const has = (name: string): boolean => written.some((file) => file.name === name);
  const main = written.find(({ name }) => /^main\.[cm]?[jt]s$/u.test(name));
  const engine = has('Containerfile') ? 'podman' : has('Dockerfile') ? 'docker' : undefined;
  return [
    ...before,
    `Add the dependencies: ${line}`,
    'Read the changed files: git diff --no-index .sandcastle .truecast',
    ...(has('.env') ? ['Read .truecast/.env: its variables reach the agent.'] : []),
    ...(engine === undefined ? [] : [`Build the image: ${INSTALLED_COMMAND} ${engine} build-image`]),
    ...(main === undefined ? [] : [`Start it: node .truecast/${main.name}`]),
    'When it works: remove .sandcastle/ and @ai-hero/sandcastle.',
  ];
}
