/** Runs an agent that prints a large transcript, and prints by how many bytes the resident memory has grown. */
import { peakMemory } from '../../bench/harness/peak-memory.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunResult } from '../../packages/truecast/src/run/options/run-options.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';

const [cwd = '', log = '', script = ''] = process.argv.slice(2);
const work = (line: string): Promise<RunResult> =>
  run({
    agent: command({ command: ['sh', '-c', line] }),
    sandbox: noSandbox(),
    logging: { type: 'file', path: log },
    prompt: 'Work.',
    cwd,
  });

// The first run loads everything that a run needs.
await work('true');
const before = process.memoryUsage.rss();
const { text } = await work(script);
const peak = peakMemory();
process.stdout.write(JSON.stringify({ grownBytes: peak - before, chars: text.length }));
