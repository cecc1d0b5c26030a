/** Host of three runs at once with a live display on this terminal. */
import { Output } from '../../packages/core/src/output/output.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';

const [cwd = '', marks = ''] = process.argv.slice(2);
const wait = `until [ -e '${marks}/end' ]; do sleep 0.05; done`;
await Promise.all(
  ['a', 'b', 'c'].map((name) =>
    run({
      agent: command({
        command: ['sh', '-c', `echo "working on ${name}"; ${wait}; echo "<result>${name}</result>"`],
      }),
      sandbox: noSandbox(),
      cwd,
      name,
      prompt: 'Answer in <result>.',
      logging: { type: 'file', live: process.stderr },
      output: Output.string({ tag: 'result' }),
    }),
  ),
);
process.stdout.write('done\n');
