/** Fixture: a loop that installs packages in the sandbox, as a program of Sandcastle. */
import { run, claudeCode } from "@ai-hero/sandcastle";
import { podman } from "@ai-hero/sandcastle/sandboxes/podman";

await run({
  name: "loop",
  sandbox: podman({ imageName: "agents:1" }),
  agent: claudeCode("claude-sonnet-4-6"),
  promptFile: "./.sandcastle/prompt.md",
  maxIterations: 3,
  branchStrategy: { type: "merge-to-head" },
  copyToWorktree: ["node_modules"],
  hooks: { sandbox: { onSandboxReady: [{ command: "npm install" }] } },
});
