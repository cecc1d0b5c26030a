/** Fixture: tasks in parallel, each reviewed in its own sandbox, as a program of Sandcastle. */
import { claudeCode, createSandbox, Output, run } from "truecast/sandcastle";
import { noSandbox } from "truecast/sandboxes/no-sandbox";
import { docker } from "truecast/sandboxes/docker";
import { z } from "zod";

const worker = claudeCode("claude-sonnet-4-6");
const options = { imageName: "agents:1" };

const plan = await run({
  sandbox: docker(options),
  agent: worker,
  promptFile: "./.truecast/plan.md",
  output: Output.object({ tag: "plan", schema: z.object({ branches: z.array(z.string()) }) }),
});

await Promise.all(
  plan.output.branches.map(async (branch) => {
    // createSandbox() keeps one container for both runs.
    const sandbox = await createSandbox({ branch, sandbox: docker({ egress: { allow: ["api.github.com"] } }) });
    try {
      await sandbox.run({ agent: worker, promptFile: "./.truecast/task.md", promptArgs: { BRANCH: branch } });
      await sandbox.run({ agent: worker, promptFile: "./.truecast/review.md", promptArgs: { BRANCH: branch } });
    } finally {
      await sandbox.close();
    }
  }),
);

await run({ sandbox: noSandbox(), agent: worker, promptFile: "./.truecast/merge.md" });
