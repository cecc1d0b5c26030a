/** `truecast allow`: permits a file of models to use the variables that it names. */
import type { Command } from 'commander';
import { explainMissingPackage } from '@truecast/core/internal/errors/load-package';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { allowFile, forbidFile } from '@truecast/host/internal/allowed-files';
import { listVariables, type NamedVariables } from '@truecast/model/internal/models-file/list-variables';
import { readChosenFile } from 'truecast/internal/support/open-chosen-file';
import { toTerminalText } from 'truecast/internal/support/terminal-text';
import type { CommandContext } from './flags/flag-values.ts';
import { printLine, printResult, tell, type Terminal } from './terminal/print.ts';

interface AllowFlags {
  readonly revoke?: true;
  readonly json?: true;
}

const MAX_FILE_BYTES = 1024 * 1024;

/** Stores or removes the permission, and prints which address gets which variable. */
async function allowCommand(file: string, flags: AllowFlags, terminal: Terminal): Promise<void> {
  const text = await readChosenFile(file, MAX_FILE_BYTES).catch((cause: unknown) => {
    throw new UsageError(`Expected a readable file of models, got \`${file}\`. Check the path.`, { cause });
  });
  if (flags.revoke === true) {
    forbidFile(file, text);
    tell(`${file} can use only variables that begin with TRUECAST_.`, terminal, 'good');
    return;
  }
  const variables = listVariables(await parseYaml(text), file);
  allowFile(file, text);
  if (flags.json === true) await printResult({ file, variables }, terminal);
  else for (const line of variables.map(describe)) printLine(line, terminal);
  tell(`Allowed ${file} with its present content. After a change, run the command again.`, terminal, 'good');
}

function describe({ model, address, names }: NamedVariables): string {
  return toTerminalText(`${model}: ${names.join(', ')} -> ${address}`);
}

/** Each of the two packages that read the file has a parser. One of them can be missing. */
async function parseYaml(text: string): Promise<unknown> {
  try {
    return await (await import('./flags/ensemble-yaml.ts')).ensembleYaml(text);
  } catch (error) {
    if (explainMissingPackage(error, ['@truecast/ensemble']) === error) throw error;
    return (await import('./flags/server-yaml.ts')).serverYaml(text);
  }
}

export function addAllowCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('allow')
    .description('Allow a models.yaml to use the variables that it names, until the file changes.')
    .argument('<file>', 'the file of models')
    .option('--revoke', 'take the permission back')
    .option('--json', 'print { file, variables: [{ model, address, names }] }')
    .addHelpText(
      'after',
      `
Without it, a file can only use variables that begin with TRUECAST_, a key only with an address that is
a variable too. Read the file before you allow it: each value is sent to the address next to it.

Example:
  $ truecast allow ensembles/models.yaml`,
    )
    .action((file: string, flags: AllowFlags) => finish(() => allowCommand(file, flags, terminal), flags));
}
