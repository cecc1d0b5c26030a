/**
 * The `truecast init` command: asks questions, writes the files of `.truecast/`, and prints the
 * next steps.
 */
import { join, relative } from 'node:path';
import type { Command } from 'commander';
import { NPM_AGENTS } from '../../agents/registry/agents.ts';
import { runProgram } from '../../process/run-program.ts';
import { SANDBOXES, SANDBOX_NAMES } from '../../sandboxes/registry/sandboxes.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { CommandContext } from '../flags/flag-values.ts';
import { printResult, tell, type Terminal } from '../terminal/print.ts';
import { findPackageManager, findSandbox, findTopFolder, hasEsModules } from './find-defaults.ts';
import { PACKAGE_MANAGERS, TEMPLATES, type InitAnswers } from './init-choices.ts';
import { askForAnswers, type InitFlags } from './init-questions.ts';
import { assertNotThere, scaffoldFiles, writeScaffold } from './scaffold.ts';

interface InitCommandFlags extends InitFlags {
  readonly cwd?: string;
  readonly json?: boolean;
}

const DEPENDENCIES: readonly string[] = ['truecast', 'zod'];

/** Adds `truecast init` to the program. */
export function addInitCommand(program: Command, { terminal, finish }: CommandContext): void {
  const names = (choices: object): string => Object.keys(choices).join(', ');
  program
    .command('init')
    .description(
      'Set up .truecast/ in this repository: a program that runs an agent, its prompts and its sandbox.',
    )
    .option('--agent <agent>', names(NPM_AGENTS))
    .option('--model <model>', "the agent's model; '' selects the agent's default")
    .option('--sandbox <name>', `${SANDBOX_NAMES.join(', ')} (default: the first that works here)`)
    .option('--template <name>', names(TEMPLATES))
    .option('--package-manager <name>', `${names(PACKAGE_MANAGERS)} (default: the project's)`)
    .option('--install', 'add the dependencies now')
    .option('--no-install', 'only print the command that adds them')
    .option('--yes', 'use defaults for all missing options')
    .option('--cwd <dir>', 'the repository (default: the current folder)')
    .option('--json', 'print { files, next } on stdout')
    .addHelpText(
      'after',
      '\nExamples:\n  $ truecast init\n  $ truecast init --yes --template simple-loop --sandbox docker',
    )
    .action((flags: InitCommandFlags) => finish(() => initCommand(flags, terminal), flags));
}

async function initCommand(flags: InitCommandFlags, terminal: Terminal): Promise<void> {
  const top = await findTopFolder(flags.cwd ?? process.cwd());
  const folder = join(top, '.truecast');
  assertNotThere(folder, []);
  const usesTs = hasEsModules(top);
  const answers = await askForAnswers(
    flags,
    {
      sandbox: flags.sandbox === undefined ? await findSandbox() : undefined,
      packageManager: findPackageManager(top),
    },
    process,
  );
  const files = await writeScaffold(folder, await scaffoldFiles(answers, usesTs));
  const add = [answers.packageManager, ...PACKAGE_MANAGERS[answers.packageManager].add, ...DEPENDENCIES];
  const isInstalled = answers.install && (await install(add, top));
  if (answers.install && !isInstalled) {
    tell(
      `truecast: \`${add.join(' ')}\` failed; the files are written. Read its output above, then run it again.`,
      terminal,
    );
    process.exitCode = EXIT.failed;
  }
  const next = nextSteps(answers, usesTs, isInstalled ? undefined : add);
  if (flags.json === true) return printResult({ files, next }, terminal);
  for (const file of files) tell(`wrote ${relative(top, file)}`, terminal);
  tell(['', 'Next:', ...next.map((line, index) => `  ${index + 1}. ${line}`)].join('\n'), terminal);
}

/** Returns true on success. Writes to stderr: stdout is for results. */
async function install([program = '', ...args]: readonly string[], cwd: string): Promise<boolean> {
  const { fd } = process.stderr;
  const { exitCode } = await runProgram(program, args, {
    cwd,
    stdout: fd,
    stderr: fd,
    needsWindowsShell: true,
  });
  return exitCode === 0;
}

function nextSteps(
  answers: InitAnswers,
  usesTs: boolean,
  add: readonly string[] | undefined,
): readonly string[] {
  const { container } = SANDBOXES[answers.sandbox];
  return [
    ...(add === undefined ? [] : [`Add the dependencies: ${add.join(' ')}`]),
    `Set the agent's API key: cp .truecast/.env.example .truecast/.env, and edit it.`,
    ...(container === undefined ? [] : [`Build its image: npx truecast ${answers.sandbox} build-image`]),
    TEMPLATES[answers.template].next,
    `Start it: node .truecast/main${usesTs ? '.ts' : '.mts'}`,
  ];
}
