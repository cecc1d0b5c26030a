/**
 * Program that inherited descriptors 100 and 101 and runs agents. Its argument is a repository.
 * Prints as JSON which descriptors the agents saw.
 */
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';

const [cwd = '', sandboxes = ''] = process.argv.slice(2);

/**
 * Lists a shell's descriptors. 10 belongs to the shell, and `ls` has one open for the folder that
 * it lists.
 */
const LIST = 'ls -l /proc/self/fd | grep -o "[0-9]* -> .*"';
/** Reads a file of the host through an inherited folder, and the inherited file. */
const STEAL = 'cat /proc/self/fd/100/etc/hostname; cat /dev/fd/101';
/** The command line of the first process inside. */
const FIRST = "tr '\\000' ' ' < /proc/1/cmdline";

const providers: Record<string, SandboxProvider> = {
  none: noSandbox(),
  bubblewrap: bubblewrap({ egress: 'none' }),
};
const seen: Record<string, string> = {};
for (const name of sandboxes.split(',')) {
  const sandbox = providers[name];
  if (sandbox === undefined) continue;
  const { stdout } = await run({
    agent: command({ command: ['sh', '-c', `${LIST}; ${STEAL} 2>/dev/null; ${FIRST}`] }),
    sandbox,
    cwd,
    prompt: 'List.',
    hooks: { host: { onWorktreeReady: [{ command: `${LIST} > '${cwd}/../hook-${name}'` }] } },
  });
  seen[name] = stdout;
}
process.stdout.write(JSON.stringify(seen));
