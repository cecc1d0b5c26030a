/** Fixture: a loop that installs packages in the sandbox, as a program of Sandcastle. */
import { run, claudeCode } from "truecast/sandcastle";
import { podman } from "truecast/sandboxes/podman";

await run({
  name: "loop",
  sandbox: podman({ egress: { allow: ["api.github.com", "registry.npmjs.org"] }, imageName: "agents:1" }),
  agent: claudeCode("claude-sonnet-4-6"),
  promptFile: "./.truecast/prompt.md",
  maxIterations: 3,
  branchStrategy: { type: "merge-to-head" },
  copyToWorktree: ["node_modules"],
  hooks: { sandbox: { onSandboxReady: [{ command: "npm install" }] } },
});
