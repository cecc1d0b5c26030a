/**
 * `truecast docker|podman build-image|remove-image`: manages the container image of a repository's
 * agents.
 */
import type { Command } from 'commander';
import { openRepository } from 'truecast/internal/git/repository/repository';
import { toTerminalLines } from 'truecast/internal/support/terminal-text';
import { buildImage, removeImage } from 'truecast/internal/sandboxes/containers/build-image';
import type { EngineName } from 'truecast/internal/sandboxes/containers/container-engine';
import { defaultImageName } from 'truecast/internal/sandboxes/containers/container-image';
import { CONTAINER_SANDBOXES } from 'truecast/internal/sandboxes/registry/sandboxes';
import type { CommandContext } from './flags/flag-values.ts';
import { OWN_COMMAND } from './terminal/own-command.ts';
import { tell, tellToCopy, type Terminal } from './terminal/print.ts';
import { GIT_TIMEOUT_MS } from 'truecast/internal/git/command/git';

interface ImageFlags {
  readonly imageName?: string;
  readonly dockerfile?: string;
}

export function addImageCommands(program: Command, { terminal, finish }: CommandContext): void {
  for (const { engine, imageFile } of CONTAINER_SANDBOXES) {
    const group = program
      .command(engine)
      .description(`Build or remove the image that agents run in with ${engine}.`);
    group
      .command('build-image')
      .description(`Build the image from .truecast/${imageFile}, for a user with your user and group id.`)
      .option('--image-name <name>', 'name of the image (default: truecast:FOLDER of the repository)')
      .option('--dockerfile <file>', 'another image file; the build context is then the current folder')
      .addHelpText('after', `\nExample:\n  $ truecast ${engine} build-image`)
      .action((flags: ImageFlags) => finish(() => buildCommand(engine, flags, terminal), {}));
    group
      .command('remove-image')
      .description('Remove the image.')
      .option('--image-name <name>', 'name of the image (default: truecast:FOLDER of the repository)')
      .addHelpText('after', `\nExample:\n  $ truecast ${engine} remove-image`)
      .action((flags: ImageFlags) => finish(() => removeCommand(engine, flags, terminal), {}));
  }
}

async function buildCommand(engine: EngineName, flags: ImageFlags, terminal: Terminal): Promise<void> {
  const cwd = process.cwd();
  const { dockerfile } = flags;
  const isGiven = flags.imageName !== undefined && dockerfile !== undefined;
  const repositoryPath = isGiven ? cwd : await topFolder(cwd);
  const imageName = flags.imageName ?? defaultImageName(repositoryPath);
  await buildImage({
    engine,
    imageName,
    repositoryPath,
    dockerfile,
    cwd,
    onOutput: (chunk) => terminal.stderr.write(toTerminalLines(chunk)),
  });
  tellToCopy(
    `Built ${imageName}. To use it`,
    `${OWN_COMMAND} run --sandbox ${engine}${imageFlag(flags)} …`,
    terminal,
  );
}

async function removeCommand(engine: EngineName, flags: ImageFlags, terminal: Terminal): Promise<void> {
  const imageName = flags.imageName ?? defaultImageName(await topFolder(process.cwd()));
  await removeImage(engine, imageName);
  tell(`Removed ${imageName}.`, terminal);
}

/** Same as in a run: a linked worktree uses the image of its main repository. */
async function topFolder(cwd: string): Promise<string> {
  return (await openRepository(cwd, { timeoutMs: GIT_TIMEOUT_MS })).mainTopLevel;
}

function imageFlag({ imageName }: ImageFlags): string {
  return imageName === undefined ? '' : ` --image-name ${imageName}`;
}
