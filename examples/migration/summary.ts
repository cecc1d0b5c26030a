/** Fills a prompt file and gets the text in a tag. */
import { claudeCode, Output, run } from 'truecast/sandcastle';
import { noSandbox } from 'truecast/sandboxes/no-sandbox';

const { output, stdout } = await run({
  agent: claudeCode('claude-opus-4-8', { effort: 'low' }),
  sandbox: noSandbox(),
  promptFile: './.truecast/summary.md',
  promptArgs: { AUDIENCE: 'a new colleague', WORDS: 50 },
  output: Output.string({ tag: 'summary' }),
});

console.log(output);
if (!stdout.includes(output)) process.exitCode = 1;
