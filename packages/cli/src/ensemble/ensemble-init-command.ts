/** `truecast ensemble init`: copies the scenarios of the package into a folder to change. */
import { cp, lstat } from 'node:fs/promises';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { trustedPath } from '@truecast/host/internal/trusted-path';
import { shippedFolder } from '@truecast/ensemble/internal/manifest/shipped-folder';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import { printLine, printResult, tell, tellToCopy, type Terminal } from '../terminal/print.ts';

export interface EnsembleInitFlags {
  readonly json?: boolean;
}

/** Creates the folder. Rejects a folder that exists. */
export async function ensembleInitCommand(
  folder: string,
  { json = false }: EnsembleInitFlags,
  terminal: Terminal,
): Promise<void> {
  const { path } = trustedPath(folder, { option: 'the folder' });
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (isThere) {
    throw new UsageError(
      `Expected a new folder, got \`${folder}\`, which exists. Name another folder, or remove it.`,
    );
  }
  await cp(shippedFolder(), path, { recursive: true, errorOnExist: true, force: false });
  if (json) await printResult({ folder }, terminal);
  else printLine(folder, terminal);
  tell(`Created ${folder} with agents and scenarios.`, terminal, 'good');
  tellToCopy('To check it', `${OWN_COMMAND} ensemble check ${folder}`, terminal);
  tellToCopy('To run it', `${OWN_COMMAND} ensemble run museum-boat --dir ${folder}`, terminal);
}
