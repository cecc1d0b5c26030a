/**
 * Program that hands its terminal to an agent. Its arguments are the repository, the agent's
 * script, the branch strategy and a prompt file. Prints the result as JSON.
 */
import { command } from '../../packages/truecast/src/agents/command.ts';
import { interactive } from '../../packages/truecast/src/run/interactive.ts';

const [cwd = '', script = '', strategy = 'head', promptFile = ''] = process.argv.slice(2);
const agent = {
  ...command({ command: 'true', name: 'shell' }),
  buildInteractiveArgs: ({ prompt }: { prompt: string }) => ['sh', '-c', script, 'sh', prompt],
};
const result = await interactive({
  agent,
  cwd,
  branchStrategy: strategy === 'merge' ? { type: 'merge-to-head' } : { type: 'head' },
  ...(promptFile !== '' && { promptFile }),
});
process.stdout.write(`RESULT ${JSON.stringify(result)}\n`);
