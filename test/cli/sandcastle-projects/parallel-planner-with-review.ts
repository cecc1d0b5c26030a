/** Fixture: tasks in parallel, each reviewed in its own sandbox, as a program of Sandcastle. */
import { claudeCode, createSandbox, Output, run } from "@ai-hero/sandcastle";
import { noSandbox } from "@ai-hero/sandcastle/sandboxes/no-sandbox";
import { docker } from "@ai-hero/sandcastle/sandboxes/docker";
import { z } from "zod";

const worker = claudeCode("claude-sonnet-4-6");
const options = { imageName: "agents:1" };

const plan = await run({
  sandbox: docker(options),
  agent: worker,
  promptFile: "./.sandcastle/plan.md",
  output: Output.object({ tag: "plan", schema: z.object({ branches: z.array(z.string()) }) }),
});

await Promise.all(
  plan.output.branches.map(async (branch) => {
    // createSandbox() keeps one container for both runs.
    const sandbox = await createSandbox({ branch, sandbox: docker() });
    try {
      await sandbox.run({ agent: worker, promptFile: "./.sandcastle/task.md", promptArgs: { BRANCH: branch } });
      await sandbox.run({ agent: worker, promptFile: "./.sandcastle/review.md", promptArgs: { BRANCH: branch } });
    } finally {
      await sandbox.close();
    }
  }),
);

await run({ sandbox: noSandbox(), agent: worker, promptFile: "./.sandcastle/merge.md" });
