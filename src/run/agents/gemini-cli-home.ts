/**
 * Owns the home that Gemini CLI is given for one run when its settings must differ: it takes MCP servers and a way to log in from settings
 * files alone, reads the user's from its home, and the machine's only where root owns every folder above them.
 */
import type { AgentCommandOptions } from './agent-provider.ts';
import { quoteArgument } from './shell-quote.ts';

/** Longest that one call of a tool may take, in milliseconds: what judges an answer may run tests first. */
const TOOL_TIMEOUT_MS = 3_600_000;

/**
 * Makes `<target>/.gemini`: links to all that is in the user's own, and a copy of its settings with others over them. Sessions therefore land
 * in the user's store. The program is there wherever the CLI is, which runs on it.
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

/** Which settings of the user's a run needs to differ from. */
export interface GeminiHomeOptions extends Pick<AgentCommandOptions, 'mcpServer'> {
  /** True when requests go to a base URL: the CLI would otherwise take it for a gateway, which it then refuses to log in to. */
  readonly hasBaseUrl: boolean;
}

/**
 * Returns the shell commands that stand before the CLI's own and set `$truecast` to the home, for `GEMINI_CLI_HOME`; undefined when the
 * user's own settings serve. The home is removed when the shell ends.
 */
export function writeGeminiHome(options: GeminiHomeOptions): string | undefined {
  const { mcpServer, hasBaseUrl } = options;
  if (mcpServer === undefined && !hasBaseUrl) return undefined;
  const settings = {
    ...(hasBaseUrl && { security: { auth: { selectedType: 'gemini-api-key' } } }),
    ...(mcpServer !== undefined && {
      mcpServers: {
        [mcpServer.name]: {
          command: mcpServer.command,
          args: mcpServer.args,
          timeout: TOOL_TIMEOUT_MS,
          // Nobody is asked whether the answer may be handed in.
          trust: true,
        },
      },
    }),
  };
  const script = quoteArgument(WRITE_HOME.replaceAll('\n', ' ').trim());
  return `truecast=$(mktemp -d) && trap 'rm -rf "$truecast"' EXIT && node -e ${script} "$truecast" ${quoteArgument(JSON.stringify(settings))}`;
}
