/** Options of `manifestAgent()`, and their validation before the first turn. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertContract } from '@truecast/core/internal/event-contract/event-options';
import type { AgentManifest, CompleteManifest } from '../manifest/agent-manifest.ts';
import type { AgentScenario } from '../scenario/agent-scenario.ts';
import type { EnsembleAgent } from '../scenario/ensemble-agent.ts';
import { identityOf } from './prompt/agent-prompt.ts';
import type { ImportanceTable } from './prompt/recall.ts';
import { estimateTokens } from '../providers/estimate-tokens.ts';
import type { Provider } from '../providers/provider.ts';

/** Parts of a manifest agent. */
export interface ManifestAgentOptions {
  readonly manifest: AgentManifest;
  readonly provider: Provider;
  /** @default no goal, no cast, no competition */
  readonly scenario?: AgentScenario;
  /** Handlers by the name that a manifest's `handler` field gives. @default {} */
  readonly handlers?: Readonly<Record<string, AgentHandler>>;
  /** Maximum prompt size in estimated tokens, at three UTF-8 bytes each. @default 6000 */
  readonly maxPromptTokens?: number;
  /**
   * Weight of event kinds for recall by salience, from 0 to 1. Overrides the built-in table.
   * @default {}
   */
  readonly importance?: ImportanceTable;
}

/** Code that acts instead of an agent, or around it. */
export type AgentHandler = (base: EnsembleAgent, options: ManifestAgentOptions) => EnsembleAgent;

/** Maximum share of a prompt for identity and goal. The turn itself needs the rest. */
const FIXED_SHARE = 0.5;

/** Rejects options with which no turn could be answered. */
export function assertAgentOptions({
  manifest,
  provider,
  scenario,
  handlers = {},
  maxPromptTokens = 0,
}: ManifestAgentOptions & { readonly manifest: CompleteManifest }): void {
  if (typeof provider?.complete !== 'function') {
    refuse(
      `Expected \`provider\` to have a method \`complete\`, got ${describeValue(provider)}. Pass \`aiSdkProvider(model)\` or \`stubProvider()\`.`,
    );
  }
  assertContract({
    allowedKinds: manifest.mayEmit,
    extraFields: manifest.outputExtraFields,
    ...(manifest.maxTextChars !== undefined && { maxTextChars: manifest.maxTextChars }),
  });
  const { handler } = manifest;
  if (handler !== undefined && !Object.hasOwn(handlers, handler)) {
    const known = Object.keys(handlers);
    const told = known.length === 0 ? 'none' : `one of: ${known.join(', ')}`;
    refuse(
      `Expected the \`handler\` of \`${manifest.name}\` to be among \`handlers\` (${told}), got ${describeValue(handler)}. Pass it, or correct the manifest.`,
    );
  }
  if (!Number.isInteger(maxPromptTokens) || maxPromptTokens < 1) {
    refuse(
      `Expected \`maxPromptTokens\` to be a whole number of 1 or more, got ${describeValue(maxPromptTokens)}. Correct it.`,
    );
  }
  const fixed = estimateTokens(identityOf(manifest)) + estimateTokens(scenario?.goal ?? '');
  if (fixed > maxPromptTokens * FIXED_SHARE) {
    refuse(
      `Expected the persona of \`${manifest.name}\` and the goal to use at most half of \`maxPromptTokens\` (${maxPromptTokens}), got about ${fixed}. Shorten them, or raise it.`,
    );
  }
}

function refuse(message: string): never {
  throw new UsageError(message);
}
