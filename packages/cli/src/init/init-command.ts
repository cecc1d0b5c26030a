/**
 * The `truecast init` command: asks questions, writes the files of `.truecast/`, and prints the
 * next steps.
 */
import { join, relative } from 'node:path';
import { Option, type Command } from 'commander';
import { INIT_AGENTS } from 'truecast/internal/agents/registry/agents';
import { SANDBOXES, SANDBOX_NAMES } from 'truecast/internal/sandboxes/registry/sandboxes';
import { EXIT, printResult, tell, tellWhole, type Terminal } from '../terminal/print.ts';
import type { CommandContext } from '../flags/flag-values.ts';
import { INSTALLED_COMMAND } from '../terminal/own-command.ts';
import { addDependencies, additionFor, neededCommand, type Addition } from './add-dependencies.ts';
import {
  findInstalledInitAgents,
  findPackageManager,
  findSandbox,
  findTopFolder,
  hasCommit,
  hasEsModules,
} from './find-defaults.ts';
import { PACKAGE_MANAGERS, TEMPLATES, type InitAnswers } from './init-choices.ts';
import { askForAnswers, checkFlags, type InitFlags } from './init-questions.ts';
import { convertFromSandcastle } from './from-sandcastle.ts';
import { assertNotThere, scaffoldFiles, writeScaffold } from './scaffold.ts';

interface InitCommandFlags extends InitFlags {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly fromSandcastle?: boolean;
}

const FIRST_COMMIT = 'Commit once, so that an agent has a start: git add -A && git commit -m "Begin"';

export function addInitCommand(program: Command, { terminal, finish }: CommandContext): void {
  const names = (choices: object): string => Object.keys(choices).join(', ');
  program
    .command('init')
    .description(
      'Set up .truecast/ in this repository: a program that runs an agent, its prompts and its sandbox.',
    )
    .option('--agent <agent>', names(INIT_AGENTS))
    .option('--model <model>', "the agent's model; '' selects the agent's default")
    .option('--sandbox <name>', `${SANDBOX_NAMES.join(', ')} (default: the first that works here)`)
    .option('--template <name>', names(TEMPLATES))
    .option('--package-manager <name>', `${names(PACKAGE_MANAGERS)} (default: the project's)`)
    .option('--install', 'add the dependencies now')
    .option('--no-install', 'only print the command that adds them')
    .option('--yes', 'use defaults for all missing options')
    .addOption(
      new Option(
        '--from-sandcastle',
        'convert the files of .sandcastle/ instead: programs, prompts, image and environment files',
      ).conflicts(['agent', 'model', 'sandbox', 'template', 'packageManager', 'install', 'yes']),
    )
    .option('--cwd <dir>', 'the repository (default: the current folder)')
    .option('--json', 'print { files, next } on stdout; with --from-sandcastle also notConverted')
    .addHelpText(
      'after',
      '\nExamples:\n  $ truecast init\n  $ truecast init --yes --template simple-loop --sandbox docker\n  $ truecast init --from-sandcastle',
    )
    .action((flags: InitCommandFlags) =>
      finish(
        () =>
          flags.fromSandcastle === true
            ? convertFromSandcastle(flags, terminal)
            : initCommand(flags, terminal),
        flags,
      ),
    );
}

async function initCommand(flags: InitCommandFlags, terminal: Terminal): Promise<void> {
  checkFlags(flags);
  const top = await findTopFolder(flags.cwd ?? process.cwd());
  const folder = join(top, '.truecast');
  assertNotThere(folder, []);
  const usesTs = hasEsModules(top);
  const answers = await askForAnswers(
    flags,
    {
      sandbox: flags.sandbox === undefined ? await findSandbox() : undefined,
      packageManager: findPackageManager(top),
      installed: flags.agent === undefined ? await findInstalledInitAgents() : [],
    },
    process,
  );
  const addition = additionFor(answers.packageManager, top);
  const add = answers.install ? neededCommand(addition) : undefined;
  const files = await writeScaffold(folder, await scaffoldFiles(answers, usesTs));
  const isInstalled = add !== undefined && (await addDependencies(add, top));
  if (answers.install && !isInstalled) {
    tell(
      `truecast: \`${addition.line}\` failed; the files are written. Read its output above, then run it again.`,
      terminal,
    );
    process.exitCode = EXIT.failed;
  }
  const next = [
    ...((await hasCommit(top)) ? [] : [FIRST_COMMIT]),
    ...nextSteps(answers, usesTs, isInstalled ? undefined : addition),
  ];
  if (flags.json === true) return printResult({ files, next }, terminal);
  if (flags.yes === true) {
    tell(
      `agent: ${answers.agent}, sandbox: ${answers.sandbox} (choose with --agent, --sandbox)`,
      terminal,
      'aside',
    );
  }
  for (const file of files) tell(`wrote ${relative(top, file)}`, terminal);
  tellWhole(['', 'Next:', ...next.map((line, index) => `  ${index + 1}. ${line}`)].join('\n'), terminal);
}

function nextSteps(answers: InitAnswers, usesTs: boolean, addition: Addition | undefined): readonly string[] {
  const { container } = SANDBOXES[answers.sandbox];
  const { next, startArguments } = TEMPLATES[answers.template];
  return [
    ...(addition === undefined ? [] : [...addition.before, `Add the dependencies: ${addition.line}`]),
    `Set the agent's API key: cp .truecast/.env.example .truecast/.env, and edit it.`,
    ...(container === undefined
      ? []
      : [`Build its image: ${INSTALLED_COMMAND} ${answers.sandbox} build-image`]),
    ...(next === undefined ? [] : [next]),
    ['Start it: node', `.truecast/main${usesTs ? '.ts' : '.mts'}`, startArguments ?? ''].join(' ').trim(),
  ];
}
