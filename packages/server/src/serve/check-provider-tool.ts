/**
 * Startup warnings for models that lack an enabled provider-executed tool, or support it only in
 * some turns.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ProviderToolName } from '../contract/tools.ts';
import type { ChatModel } from '../models/chat-model.ts';

type Model = Pick<ChatModel, 'id' | 'providerTools'>;

/**
 * Returns the warnings.
 *
 * @throws UsageError if no model has the tool, because the setting would have no effect
 */
export function checkProviderTool(name: ProviderToolName, models: readonly Model[]): readonly string[] {
  const without = models.filter(({ providerTools }) => providerTools?.[name] === undefined);
  const alone = models.filter(({ providerTools }) => providerTools?.[name]?.isMixable === false);
  const has = 'Models of anthropic, openai and google have one';
  if (without.length === models.length) {
    throw new UsageError(
      `\`${name}\` of \`providerTools\` cannot be used: the provider of ${listed(without)} has no such tool. ${has}: add one to \`models\`, or remove \`${name}\`.`,
    );
  }
  return [
    ...(without.length === 0
      ? []
      : [`${listed(without)}: \`${name}\` is not available, because the provider has no such tool. ${has}.`]),
    ...(alone.length === 0
      ? []
      : [
          `${listed(alone)}: \`${name}\` only in turns without other tools and without a response_format, because the model cannot combine them. Gemini 3 and later can.`,
        ]),
  ];
}

function listed(models: readonly Model[]): string {
  return models.map(({ id }) => `\`${id}\``).join(', ');
}
