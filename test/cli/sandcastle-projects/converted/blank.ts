/** Fixture: one run in a container, as a program of Sandcastle. */
import { run, claudeCode } from "truecast/sandcastle";
import { docker } from "truecast/sandboxes/docker";

await run({
  agent: claudeCode("claude-opus-4-8"),
  sandbox: docker({ egress: { allow: ["api.github.com"] } }),
  promptFile: "./.truecast/prompt.md",
});
