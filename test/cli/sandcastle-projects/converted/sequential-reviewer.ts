/** Fixture: work and its review in one sandbox, as a program of Sandcastle. */
import * as sandcastle from "truecast/sandcastle";
import { docker } from "truecast/sandboxes/docker";

for (let round = 1; round <= 2; round++) {
  const sandbox = await sandcastle.createSandbox({
    agents: [sandcastle.claudeCode("claude-sonnet-4-6"), sandcastle.codex("gpt-5.4")],
    branch: `sandcastle/round-${round}`,
    sandbox: docker({ egress: { allow: ["api.github.com", "registry.npmjs.org"] } }),
    hooks: { sandbox: { onSandboxReady: [{ command: "npm ci" }] } },
  });
  try {
    const work = await sandbox.run({
      agent: sandcastle.claudeCode("claude-sonnet-4-6"),
      promptFile: "./.truecast/work.md",
    });
    if (work.commits.length === 0) break;
    await sandbox.run({
      agent: sandcastle.codex("gpt-5.4"),
      promptFile: "./.truecast/review.md",
      promptArgs: { ROUND: String(round) },
    });
  } finally {
    await sandbox.close();
  }
}
