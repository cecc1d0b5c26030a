/** Settings of agent runs: repositories, agents, sandbox and limits, and their schemas. Pure. */
import { z } from 'zod';
import { PUSH_MODES, type PushMode } from '@truecast/client/internal/wire/wire-codes';

/** Sandbox of server commands. `none` runs on the host with all rights of its user. */
export type SandboxSetting = 'bubblewrap' | 'docker' | 'podman' | 'none';

/** Hosts that a sandbox can connect to, as the library's `egress` option. */
export type EgressSetting = 'none' | 'host' | 'model' | { readonly allow: readonly string[] };

/** Coding agents of chats and of the OpenAI-compatible API. */
export interface AgentSettings {
  /** Names of the agents, such as `claude-code`. */
  readonly names: readonly string[];
  /**
   * Name of `repositories` in which they work as durable runs, with the sandbox, the egress and the limits of `runs`.
   * @default they run in the process of their chat, in `sandbox`
   */
  readonly runsIn?: string;
  /** Required without `runsIn`. */
  readonly sandbox?: SandboxSetting;
  /** Path of their repository. Each task has its own branch. @default the current folder */
  readonly repository?: string;
  /** Maximum time per task. @default 3600000 */
  readonly timeoutMs?: number;
  /** @default the model with a key, else the agent's own hosts */
  readonly egress?: EgressSetting;
}

/** A repository of agent runs: a path, or an address. */
export type RepositorySettings =
  | {
      /** Path on this machine. A relative one begins at the working directory of the process. */
      readonly path: string;
    }
  | {
      /** Address with `https:` or `ssh:`. It is cloned below `.truecast/repositories`. */
      readonly url: string;
      /**
       * Password or token for `https:`. Only the fetches and pushes of the worker know it. @default what git
       * finds for the worker's user
       */
      readonly credential?: {
        /** Name of the environment variable that has it. */
        readonly env: string;
      };
      /** When branches of runs are pushed. A request can only ask for less. @default 'always' */
      readonly push?: PushMode;
    };

export interface WebhookSettings {
  /**
   * Receivers on this machine or in its networks: `localhost:PORT`, or an IP address with or without a port. Public
   * addresses need no entry. @default none
   */
  readonly allow?: readonly string[];
}

/** An amount of tokens, or of US dollars. */
export interface BudgetSettings {
  /** Input and output tokens together. @default no limit */
  readonly tokens?: number;
  /** US dollars. An agent that reports no cost spends none. @default no limit */
  readonly usd?: number;
}

export interface RunBudgets {
  /** Limits of a run whose request has none, and the most that a request can ask for. @default no limits */
  readonly perRun?: { readonly default?: BudgetSettings; readonly maximum?: BudgetSettings };
  /** Of all runs of an owner, in a day of UTC. The last run can exceed it. @default no limit */
  readonly perOwnerPerDay?: BudgetSettings;
}

/** Agent runs of a server or a worker. */
export interface AgentRunSettings {
  /** Names of the agents, such as `claude-code`. */
  readonly agents: readonly string[];
  /** Sandbox of the agents. `none` is refused, because an agent must not outlive its worker. */
  readonly sandbox: Exclude<SandboxSetting, 'none'>;
  /** Container image. @default the image of the current folder */
  readonly imageName?: string;
  /** @default the model with a key, else the agent's own hosts */
  readonly egress?: EgressSetting;
  /** Runs at once in this process. @default 4 */
  readonly places?: number;
  /** Runs at once in one repository, over all processes. @default no limit */
  readonly perRepository?: number;
  /** Runs at once of one agent, over all processes. @default no limit */
  readonly perAgent?: number;
  /** Runs at once of one owner, over all processes. @default no limit */
  readonly perOwner?: number;
  /** Queued runs of one owner. More are refused. @default 10000 */
  readonly queuedPerOwner?: number;
  /** Webhooks of runs. They need the environment variable `TRUECAST_WEBHOOK_KEY`. */
  readonly webhooks?: WebhookSettings;
  /** Limits of tokens and dollars. @default none */
  readonly budgets?: RunBudgets;
  /** Beginning of each `branch` that a client can name, such as `agents/`. @default any branch */
  readonly branchPrefix?: string;
  /**
   * Days after its end for which the events and the artifacts of a run are kept. `retentionDays` is that of
   * receipts. @default 30
   */
  readonly keepDays?: number;
  /** Records the output and the changes of each agent, as the artifact `recording.jsonl`. @default false */
  readonly record?: boolean;
}

const KEPT_DAYS = 30;

/** Undefined without runs: such a process does not know the setting of those with runs. */
export function keptDaysOf({ runs }: { readonly runs?: AgentRunSettings }): number | undefined {
  return runs && (runs.keepDays ?? KEPT_DAYS);
}

const texts = z.array(z.string().min(1));
const text = z.string().min(1);
const count = z.int().min(1).exactOptional();
/** Costs are counted in millionths. */
const MIN_USD = 0.000_001;

export const sandboxSetting: z.ZodEnum<{ readonly [Name in SandboxSetting]: Name }> = z.enum([
  'bubblewrap',
  'docker',
  'podman',
  'none',
]);
export const allow: z.ZodObject<{ allow: z.ZodArray<z.ZodString> }, z.core.$strict> = z.strictObject({
  allow: texts.min(1),
});
const egress: z.ZodType<EgressSetting> = z.union([z.enum(['none', 'host', 'model']), allow]);

export const agentsSchema: z.ZodType<AgentSettings> = z.strictObject({
  names: texts.min(1),
  runsIn: text.exactOptional(),
  sandbox: sandboxSetting.exactOptional(),
  repository: text.exactOptional(),
  timeoutMs: count,
  egress: egress.exactOptional(),
});

export const repositoriesSchema: z.ZodType<Readonly<Record<string, RepositorySettings>>> = z.record(
  z
    .string()
    .regex(
      /^[A-Za-z0-9][\w.-]{0,63}$/u,
      'Expected a name of 1 to 64 letters, digits, dots, underscores and hyphens',
    ),
  z
    .union([
      z.strictObject({ path: text }),
      z.strictObject({
        url: text,
        credential: z.strictObject({ env: text }).exactOptional(),
        push: z.enum(PUSH_MODES).exactOptional(),
      }),
    ])
    .check(({ value, issues }) => {
      if (!('url' in value)) return;
      const message = addressProblem(value.url, value.credential !== undefined);
      if (message !== undefined) issues.push({ code: 'custom', input: value, path: ['url'], message });
    }),
);

const budget = z
  .strictObject({
    tokens: z.int().min(1).exactOptional(),
    usd: z.number().min(MIN_USD).exactOptional(),
  })
  .exactOptional();

export const runsSchema: z.ZodType<AgentRunSettings> = z.strictObject({
  agents: texts.min(1),
  sandbox: sandboxSetting.exclude(['none']),
  imageName: text.exactOptional(),
  egress: egress.exactOptional(),
  places: count,
  perRepository: count,
  perAgent: count,
  perOwner: count,
  queuedPerOwner: count,
  branchPrefix: text.exactOptional(),
  keepDays: count,
  record: z.boolean().exactOptional(),
  budgets: z
    .strictObject({
      perRun: z.strictObject({ default: budget, maximum: budget }).exactOptional(),
      perOwnerPerDay: budget,
    })
    .exactOptional(),
  webhooks: z.strictObject({ allow: texts.exactOptional() }).exactOptional(),
});

/** The short form of ssh, such as `git@HOST:team/api.git`. */
const SHORT_SSH = /^[\w.-]+@[\w.-]+:[^\s:]+$/u;
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/u;

/**
 * Returns the fault of an address. `http:` reaches this machine only, where no other machine reads the
 * traffic.
 */
function addressProblem(url: string, hasCredential: boolean): string | undefined {
  if (SHORT_SSH.test(url)) return hasCredential ? ONLY_HTTPS : undefined;
  if (!URL.canParse(url)) return 'Expected an address that begins with `https://` or `ssh://`';
  const { protocol, hostname, password } = new URL(url);
  if (password !== '') {
    return 'Expected an address without a password. Put it into an environment variable, and name that in `credential.env`';
  }
  if (protocol === 'http:' && LOOPBACK.test(hostname)) return undefined;
  if (protocol !== 'https:' && protocol !== 'ssh:') {
    return 'Expected an address that begins with `https://` or `ssh://`. `http://` is allowed to this machine only. A folder is a `path`';
  }
  return protocol === 'ssh:' && hasCredential ? ONLY_HTTPS : undefined;
}

const ONLY_HTTPS =
  "Expected no `credential` beside an address of ssh, which uses the keys of the worker's user. Remove it";
