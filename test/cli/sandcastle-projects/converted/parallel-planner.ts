/** Fixture: a typed plan, and its tasks in parallel, as a program of Sandcastle. */
import * as sandcastle from "truecast/sandcastle";
import { docker } from "truecast/sandboxes/docker";
import { z } from "zod";

const plan = await sandcastle.run({
  sandbox: docker({ egress: { allow: ["api.github.com"] } }),
  maxIterations: 1,
  agent: sandcastle.claudeCode("claude-opus-4-8"),
  promptFile: "./.truecast/plan.md",
  output: sandcastle.Output.object({
    tag: "plan",
    schema: z.object({ tasks: z.array(z.object({ id: z.string(), branch: z.string() })) }),
  }),
});

const settled = await Promise.allSettled(
  plan.output.tasks.map((task) =>
    sandcastle.run({
      copyToWorktree: ["node_modules"],
      sandbox: docker({ egress: "host", network: "agents" }),
      branchStrategy: { type: "branch", branch: task.branch },
      agent: sandcastle.claudeCode("claude-sonnet-4-6"),
      promptFile: "./.truecast/task.md",
      promptArgs: { TASK: task.id },
      logging: { type: "file", path: `.truecast/logs/${task.id}.log` },
    }),
  ),
);
const done = settled.filter((each) => each.status === "fulfilled" && each.value.commits.length > 0);
process.stdout.write(`${done.length} of ${settled.length} branches\n`);
