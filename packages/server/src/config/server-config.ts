/** Server configuration schema. Pure. */
import { z } from 'zod';
import type { ProviderToolName } from '../contract/tools.ts';
import { JWT_ALGORITHMS, type OidcSettings } from '../contract/oidc-settings.ts';
import type { QuotaSettings } from '../contract/quotas.ts';
import type { WireSchema } from '../contract/wire-schema.ts';
import {
  agentsSchema,
  allow,
  repositoriesSchema,
  runsSchema,
  sandboxSetting,
  type AgentSettings,
  type EgressSetting,
  type RepositorySettings,
  type AgentRunSettings,
  type SandboxSetting,
} from './run-settings.ts';

/** An MCP server whose tools chats can use: a program or a URL. */
export type McpServerSetting =
  | {
      /** Name of the server in warnings. */
      readonly name: string;
      readonly command: string;
      /** @default [] */
      readonly args?: readonly string[];
      /** Environment of the program, in addition to a few basic variables. @default {} */
      readonly env?: Readonly<Record<string, string>>;
      /**
       * Owners whose chats have its tools. Each owner has a separate process, with variables added
       * to `env`. @default every chat has them
       */
      readonly owners?: Readonly<Record<string, { readonly env?: Readonly<Record<string, string>> }>>;
      /**
       * Repeats a call after a crash if the server declares its tool idempotent. @default false
       */
      readonly trustsIdempotentHint?: boolean;
    }
  | {
      /** Name of the server in warnings. */
      readonly name: string;
      readonly url: string;
      /** @default {} */
      readonly headers?: Readonly<Record<string, string>>;
      /**
       * Owners whose chats have its tools. Each owner has a separate connection, with headers added
       * to `headers`. @default every chat has them
       */
      readonly owners?: Readonly<Record<string, { readonly headers?: Readonly<Record<string, string>> }>>;
      /**
       * Repeats a call after a crash if the server declares its tool idempotent. @default false
       */
      readonly trustsIdempotentHint?: boolean;
    };

/** Lowest level of logged lines. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Configuration of `truecast serve` and `truecast worker`. */
export interface ServerConfig {
  /**
   * Models as `provider:model`. The first one is the default. @default those of `modelsFile`, else
   * those with keys in the environment
   */
  readonly models?: readonly string[];
  /**
   * Path of a `models.yaml`: address, key, limits, prices and fallbacks per model. @default none
   */
  readonly modelsFile?: string;
  /**
   * Provider-executed tools of every chat: `web_search` of Anthropic, OpenAI and Google. The
   * provider bills each use. @default []
   */
  readonly providerTools?: readonly ProviderToolName[];
  /** @default [] */
  readonly mcpServers?: readonly McpServerSetting[];
  /** Gives every chat a folder, and tools for its files and a shell. @default none */
  readonly workspace?: {
    readonly sandbox: SandboxSetting;
    /** Parent of the chats' folders. @default '.truecast/workspaces' */
    readonly folder?: string;
    /** Container image. @default the image of the current folder */
    readonly imageName?: string;
    /** @default 'none' */
    readonly egress?: Exclude<EgressSetting, 'model'>;
  };
  /**
   * Enables the tools `spawn_agent`, `message_agent`, `wait_agent` and `list_agents` for subagents,
   * each a chat of the same owner. @default false
   */
  readonly subagents?: boolean;
  /**
   * Coding agents, as models `agent/<name>` of the OpenAI-compatible API and as the tool
   * `run_coding_agent` of every chat. @default none
   */
  readonly agents?: AgentSettings;
  /** Repositories of agent runs by their names. @default {} */
  readonly repositories?: Readonly<Record<string, RepositorySettings>>;
  /** Executes agent runs in `repositories`, and accepts them at `POST /api/runs`. @default no runs */
  readonly runs?: AgentRunSettings;
  readonly limits?: {
    /** Per token. @default 600 */
    readonly requestsPerMinute?: number;
    /** Per token. @default 64 */
    readonly concurrentRequests?: number;
    /** Per token. @default 32 */
    readonly openStreams?: number;
    /** Concurrent turns per process. @default 256 */
    readonly concurrentTurns?: number;
    /** Concurrent commands of workspaces and coding agents per process. @default 16 */
    readonly toolProcesses?: number;
    /** Model calls per turn. @default 200 */
    readonly maxSteps?: number;
    /** Connections to Postgres per process, at least 2. @default 10 */
    readonly databaseConnections?: number;
    /**
     * Bytes of a request's body, at most 33,554,432. @default 1_048_576, and 4_194_304 on `/v1`
     */
    readonly bodyBytes?: number;
  };
  /** Days after which unused chats and ended agent runs are deleted. @default they are kept */
  readonly retentionDays?: number;
  /**
   * Days between the deletion of a chat and the deletion of its remaining rows, including those of
   * its requests.
   * @default they are kept
   */
  readonly skeletonRetentionDays?: number;
  /** Days after which rows of the audit log are deleted. @default they are kept */
  readonly auditRetentionDays?: number;
  /**
   * Time at a stop for running requests, and then as long for turns to reach their last commit.
   * @default 10000
   */
  readonly shutdownMs?: number;
  /**
   * Lowest level of the log. `debug` adds the messages of services, which can quote a prompt.
   * @default 'info'; 'warn' if the command writes to a terminal
   */
  readonly logLevel?: LogLevel;
  /** Limits of turns, tokens, money and chats per owner. @default none */
  readonly quotas?: QuotaSettings;
  /**
   * Identity provider whose JSON Web Tokens are accepted, in addition to the server's own tokens.
   * @default none
   */
  readonly oidc?: OidcSettings;
  /**
   * Models that a token with the scope `admin` connects while the server runs. Each process has its own.
   * @default models are connected if the server listens on loopback
   */
  readonly connectedModels?: {
    /** False refuses them, and true accepts them on every address. @default true on loopback */
    readonly isEnabled?: boolean;
    /**
     * Addresses of model servers on this machine or in its networks: `localhost:PORT`, or an IP address with
     * or without a port. Public addresses with `https:` need no entry. @default this machine, if the server
     * listens on loopback
     */
    readonly allow?: readonly string[];
  };
  /** Accepted host names of a server beyond loopback. @default any */
  readonly allowedHosts?: readonly string[];
  /** Allowed origins of other sites. @default [] */
  readonly allowedOrigins?: readonly string[];
}

const texts = z.array(z.string().min(1));
const table = z.record(z.string(), z.string());
const count = z.int().min(1).exactOptional();
const name = z.string().min(1);
const flag = z.boolean().exactOptional();
const quota = z.strictObject({
  turns: count,
  tokens: count,
  costUsd: z.number().positive().exactOptional(),
  chats: count,
  concurrentTurns: count,
});

const configSchema = z.strictObject({
  models: texts.min(1).exactOptional(),
  modelsFile: name.exactOptional(),
  providerTools: z.array(z.enum(['web_search'])).exactOptional(),
  mcpServers: z
    .array(
      z.union([
        z.strictObject({
          name,
          command: name,
          args: z.array(z.string()).exactOptional(),
          env: table.exactOptional(),
          owners: z.record(z.string(), z.strictObject({ env: table.exactOptional() })).exactOptional(),
          trustsIdempotentHint: flag,
        }),
        z.strictObject({
          name,
          url: z.url(),
          headers: table.exactOptional(),
          owners: z.record(z.string(), z.strictObject({ headers: table.exactOptional() })).exactOptional(),
          trustsIdempotentHint: flag,
        }),
      ]),
    )
    .exactOptional(),
  workspace: z
    .strictObject({
      sandbox: sandboxSetting,
      folder: name.exactOptional(),
      imageName: name.exactOptional(),
      egress: z.union([z.enum(['none', 'host']), allow]).exactOptional(),
    })
    .exactOptional(),
  subagents: z.boolean().exactOptional(),
  agents: agentsSchema.exactOptional(),
  repositories: repositoriesSchema.exactOptional(),
  runs: runsSchema.exactOptional(),
  limits: z
    .strictObject({
      requestsPerMinute: count,
      concurrentRequests: count,
      openStreams: count,
      concurrentTurns: count,
      toolProcesses: count,
      maxSteps: count,
      databaseConnections: z.int().min(2).exactOptional(),
      bodyBytes: z.int().min(65_536).max(33_554_432).exactOptional(),
    })
    .exactOptional(),
  retentionDays: count,
  skeletonRetentionDays: count,
  auditRetentionDays: count,
  shutdownMs: z.int().min(1).max(3_600_000).exactOptional(),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).exactOptional(),
  quotas: z
    .strictObject({
      period: z.enum(['day', 'month']).exactOptional(),
      perOwner: quota.exactOptional(),
      owners: z.record(z.string(), quota).exactOptional(),
    })
    .exactOptional(),
  oidc: z
    .strictObject({
      issuer: name,
      audience: name,
      jwksUrl: z.url(),
      ownerClaim: name.exactOptional(),
      scopesClaim: name.exactOptional(),
      algorithms: z.array(z.enum(JWT_ALGORITHMS)).min(1).exactOptional(),
      clockToleranceMs: z.int().min(0).max(300_000).exactOptional(),
    })
    .exactOptional(),
  connectedModels: z.strictObject({ isEnabled: flag, allow: texts.exactOptional() }).exactOptional(),
  allowedHosts: texts.exactOptional(),
  allowedOrigins: texts.exactOptional(),
});

/** Schema of a configuration. Unknown members are rejected. */
export const serverConfigSchema: WireSchema<ServerConfig> = configSchema;

/** Names of the members of a configuration. */
export const SERVER_CONFIG_NAMES: readonly string[] = Object.keys(configSchema.shape);

/**
 * Types a configuration. `truecast.config.ts` exports its result as the default export.
 *
 * @example
 * ```ts
 * const config = defineServerConfig({
 *   models: ['anthropic:claude-sonnet-5-5', 'local:qwen3:8b'],
 *   workspace: { sandbox: 'bubblewrap' },
 *   subagents: true,
 *   agents: { names: ['claude-code'], sandbox: 'bubblewrap' },
 * });
 * ```
 * @public
 */
export function defineServerConfig(config: ServerConfig): ServerConfig {
  return config;
}
