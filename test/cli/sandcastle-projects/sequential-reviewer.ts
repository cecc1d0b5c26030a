/** Fixture: work and its review in one sandbox, as a program of Sandcastle. */
import * as sandcastle from "@ai-hero/sandcastle";
import { docker } from "@ai-hero/sandcastle/sandboxes/docker";

for (let round = 1; round <= 2; round++) {
  const sandbox = await sandcastle.createSandbox({
    branch: `sandcastle/round-${round}`,
    sandbox: docker(),
    hooks: { sandbox: { onSandboxReady: [{ command: "npm ci" }] } },
  });
  try {
    const work = await sandbox.run({
      agent: sandcastle.claudeCode("claude-sonnet-4-6"),
      promptFile: "./.sandcastle/work.md",
    });
    if (work.commits.length === 0) break;
    await sandbox.run({
      agent: sandcastle.codex("gpt-5.4"),
      promptFile: "./.sandcastle/review.md",
      promptArgs: { ROUND: String(round) },
    });
  } finally {
    await sandbox.close();
  }
}
