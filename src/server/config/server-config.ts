/** Owns what a configuration of the server may say. Pure. */
import { z } from 'zod';
import type { ProviderToolName } from '../contract/tools.ts';
import type { WireSchema } from '../contract/wire-schema.ts';

/** An MCP server whose tools chats may use: a program that is started, or an address. */
export type McpServerSetting =
  | {
      /** Stands in warnings. */
      readonly name: string;
      readonly command: string;
      /** @default [] */
      readonly args?: readonly string[];
      /** All that the program is given beside the few variables that every program gets. @default {} */
      readonly env?: Readonly<Record<string, string>>;
    }
  | {
      /** Stands in warnings. */
      readonly name: string;
      readonly url: string;
      /** @default {} */
      readonly headers?: Readonly<Record<string, string>>;
    };

/** Where commands of the server run; `none` is the host itself, with all rights of its user. */
export type SandboxSetting = 'bubblewrap' | 'docker' | 'podman' | 'none';

/** A configuration of `truecast serve` and `truecast worker`. */
export interface ServerConfig {
  /** Models as `provider:model`; the first is the default. @default those whose keys are in the environment */
  readonly models?: readonly string[];
  /** Tools that a model's own provider runs, for every chat: `web_search` of Anthropic, OpenAI and Google. Each use is on the provider's bill. @default [] */
  readonly providerTools?: readonly ProviderToolName[];
  /** @default [] */
  readonly mcpServers?: readonly McpServerSetting[];
  /** Gives every chat a folder, and the tools for files and shell that work in it. @default none */
  readonly workspace?: {
    readonly sandbox: SandboxSetting;
    /** Holds a folder for each chat. @default '.truecast/workspaces' */
    readonly folder?: string;
    /** For containers. @default the image of the current folder */
    readonly imageName?: string;
  };
  /** Chats have the tools `spawn_agent`, `message_agent`, `wait_agent` and `list_agents`: others that work for them, each a chat of the same owner. @default false */
  readonly subagents?: boolean;
  /** Coding agents behind the models `agent/<name>` of the OpenAI wire, and behind the tool `run_coding_agent` of every chat. @default none */
  readonly agents?: {
    /** Names, such as `claude-code`. */
    readonly names: readonly string[];
    readonly sandbox: SandboxSetting;
    /** The repository that they work in, each time on a branch of its own. @default the current folder */
    readonly repository?: string;
    /** Seconds that one piece of work may take. @default 3600 */
    readonly timeoutSeconds?: number;
  };
  readonly limits?: {
    /** Of one token. @default 600 */
    readonly requestsPerMinute?: number;
    /** Of one token. @default 64 */
    readonly concurrentRequests?: number;
    /** Of one token. @default 32 */
    readonly openStreams?: number;
    /** Turns that one process works on at once. @default 16 */
    readonly concurrentTurns?: number;
    /** Calls of the model in one turn. @default 200 */
    readonly maxSteps?: number;
  };
  /** Names by which a server beyond loopback may be called. @default any */
  readonly allowedHosts?: readonly string[];
  /** Other sites whose pages may call it. @default [] */
  readonly allowedOrigins?: readonly string[];
}

const texts = z.array(z.string().min(1));
const table = z.record(z.string(), z.string());
const count = z.int().min(1).exactOptional();
const name = z.string().min(1);
const sandbox = z.enum(['bubblewrap', 'docker', 'podman', 'none']);

/** Reads a configuration; what it does not know is refused. */
export const serverConfigSchema: WireSchema<ServerConfig> = z.strictObject({
  models: texts.min(1).exactOptional(),
  providerTools: z.array(z.enum(['web_search'])).exactOptional(),
  mcpServers: z
    .array(
      z.union([
        z.strictObject({
          name,
          command: name,
          args: z.array(z.string()).exactOptional(),
          env: table.exactOptional(),
        }),
        z.strictObject({ name, url: z.url(), headers: table.exactOptional() }),
      ]),
    )
    .exactOptional(),
  workspace: z
    .strictObject({ sandbox, folder: name.exactOptional(), imageName: name.exactOptional() })
    .exactOptional(),
  subagents: z.boolean().exactOptional(),
  agents: z
    .strictObject({ names: texts.min(1), sandbox, repository: name.exactOptional(), timeoutSeconds: count })
    .exactOptional(),
  limits: z
    .strictObject({
      requestsPerMinute: count,
      concurrentRequests: count,
      openStreams: count,
      concurrentTurns: count,
      maxSteps: count,
    })
    .exactOptional(),
  allowedHosts: texts.exactOptional(),
  allowedOrigins: texts.exactOptional(),
});

/**
 * Gives a configuration its type; `truecast.config.ts` exports what it returns as its default.
 *
 * @example
 * ```ts
 * const config = defineServerConfig({
 *   models: ['anthropic:claude-sonnet-4-5', 'local:qwen3:8b'],
 *   workspace: { sandbox: 'bubblewrap' },
 *   subagents: true,
 *   agents: { names: ['claude-code'], sandbox: 'bubblewrap' },
 * });
 * ```
 */
export function defineServerConfig(config: ServerConfig): ServerConfig {
  return config;
}
