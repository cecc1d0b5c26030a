/**
 * Process of a scripted agent: performs the steps in its first argument. It is started by path,
 * also inside sandboxes, so it imports Node built-ins only.
 */
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentStep } from './agent-step.ts';

// An unread prompt would break the writer's pipe.
process.stdin.resume();
// `scriptedAgent()` serialized the argument from validated steps.
const steps = JSON.parse(process.argv[2] ?? '[]') as readonly AgentStep[];
for (const step of steps) await play(step);
process.exit(0);

async function play(step: AgentStep): Promise<void> {
  switch (step.type) {
    case 'print':
      for (let count = 0; count < step.repeat; count += 1) await write(process.stdout, step.text);
      return;
    case 'complain':
      return write(process.stderr, step.text);
    case 'pause':
      return sleep(step.pauseMs);
    case 'shell':
      return runShell(step.command, step.isPrinted);
    case 'exit':
    default:
      process.exit(step.exitCode);
  }
}

async function runShell(command: string, isPrinted: boolean): Promise<void> {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  if (status !== 0) {
    await write(process.stderr, stderr);
    process.exit(status ?? 1);
  }
  if (isPrinted) await write(process.stdout, stdout.replace(/\n$/u, ''));
}

/** Writes and waits for the flush: an exit would lose data that the pipe has not accepted. */
function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}
