/**
 * Temporary home of Gemini CLI for a run with custom settings. The CLI reads MCP servers and the
 * login method only from settings files. User settings come from its home. It reads machine
 * settings only if root owns every parent folder.
 */
import type { AgentCommandOptions } from '../../ports/agent-provider.ts';
import { quoteArgument } from '../../support/shell-quote.ts';

/** Timeout of one tool call in milliseconds. Validation of an answer can run tests first. */
const TOOL_TIMEOUT_MS = 3_600_000;

/**
 * Creates `<target>/.gemini`: links to all entries of the user's folder, and a copy of the settings
 * with overrides. Through the links, new sessions are stored in the user's folder. `node` is always
 * available, because the CLI runs on it.
 */
const WRITE_HOME = `
const { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } = require("node:fs");
const { homedir } = require("node:os");
const { join } = require("node:path");
const [target, added] = process.argv.slice(1);
const own = join(process.env.GEMINI_CLI_HOME || homedir(), ".gemini");
const made = join(target, ".gemini");
for (const name of ["tmp", "history"]) mkdirSync(join(own, name), { recursive: true });
mkdirSync(made);
const names = readdirSync(own);
for (const name of names) if (name !== "settings.json") symlinkSync(join(own, name), join(made, name));
const read = () => readFileSync(join(own, "settings.json"), "utf8").replace(/("(?:\\\\.|[^"\\\\])*")|\\/\\/[^\\n]*|\\/\\*[^]*?\\*\\//g, (all, text) => text || " ");
const settings = names.includes("settings.json") ? JSON.parse(read()) : {};
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const merge = (into, from) => {
  for (const [key, value] of Object.entries(from)) {
    if (isObject(value) && isObject(into[key])) merge(into[key], value);
    else into[key] = value;
  }
};
const extra = JSON.parse(added);
merge(settings, extra);
const servers = Object.keys(extra.mcpServers || {});
if (settings.mcp && settings.mcp.allowed) settings.mcp.allowed.push(...servers);
writeFileSync(join(made, "settings.json"), JSON.stringify(settings), { mode: 0o600 });
`;

/** User settings that a run overrides. */
export interface GeminiHomeOptions extends Pick<AgentCommandOptions, 'mcpServer' | 'hasAttachments'> {
  /**
   * True if requests go to a base URL. Without an override, the CLI treats it as a gateway and
   * refuses to log in.
   */
  readonly hasBaseUrl: boolean;
}

/**
 * Returns shell commands that run before the CLI and set `$truecast` to the home, for
 * `GEMINI_CLI_HOME`. Returns undefined if the user's settings are sufficient. The home is removed
 * when the shell ends.
 */
export function writeGeminiHome(options: GeminiHomeOptions): string | undefined {
  const { mcpServer, hasBaseUrl, hasAttachments = false } = options;
  if (mcpServer === undefined && !hasBaseUrl && !hasAttachments) return undefined;
  const settings = {
    // The tool that reads files, also images, refuses those that git ignores.
    ...(hasAttachments && { context: { fileFiltering: { respectGitIgnore: false } } }),
    ...(hasBaseUrl && { security: { auth: { selectedType: 'gemini-api-key' } } }),
    ...(mcpServer !== undefined && {
      mcpServers: {
        [mcpServer.name]: {
          command: mcpServer.command,
          args: mcpServer.args,
          timeout: TOOL_TIMEOUT_MS,
          // The run itself offers these tools: they need no approval.
          trust: true,
        },
      },
    }),
  };
  const script = quoteArgument(WRITE_HOME.replaceAll('\n', ' ').trim());
  return `truecast=$(mktemp -d) && trap 'rm -rf "$truecast"' EXIT && node -e ${script} "$truecast" ${quoteArgument(JSON.stringify(settings))}`;
}
