/**
 * A model of the AI SDK gives a task to a coding agent: `run()` is the tool. Set the model's server with
 * TRUECAST_BASE_URL and TRUECAST_MODEL, and start it in a repository.
 */
import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, tool } from 'ai';
import { bubblewrap, claudeCode, command, noSandbox, Output, run } from 'truecast';
import { z } from 'zod';

// Any program can be the agent, such as the one of our test.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : { agent: command({ command: program }), sandbox: noSandbox() };

const report = Output.object({
  tag: 'report',
  schema: z.object({ summary: z.string(), files: z.array(z.string()) }),
  maxCorrections: 2,
  retry: 'fresh',
});

const codingTask = tool({
  description: 'Lets a coding agent do a task in this repository. Returns its report and its commits.',
  inputSchema: z.object({ task: z.string() }),
  async execute({ task }, { abortSignal }) {
    const { output, commits, branch } = await run({
      ...place,
      prompt: `${task}\nCommit your work. Then report in a <report> tag: ${Output.instructions(report)}`,
      output: report,
      budget: { tokens: 200_000 },
      ...(abortSignal !== undefined && { signal: abortSignal }),
    });
    return { ...output, branch, commits: commits.length };
  },
});

const models = createOpenAICompatible({
  name: 'local',
  baseURL: process.env['TRUECAST_BASE_URL'] ?? 'http://localhost:11434/v1',
});
const { text, steps } = await generateText({
  model: models(process.env['TRUECAST_MODEL'] ?? 'qwen3:8b'),
  prompt: 'The README lacks a title. Have it fixed, then say in one sentence what was done.',
  tools: { codingTask },
  stopWhen: isStepCount(5),
});

const [delegated] = steps.flatMap(({ toolResults }) => toolResults);
assert.ok(delegated !== undefined, JSON.stringify(steps.map(({ content }) => content)));
console.log(JSON.stringify(delegated.output));
console.log(text);
