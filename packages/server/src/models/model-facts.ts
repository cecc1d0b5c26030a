/** Facts of a model for clients: who serves it, and how an answer is requested from it. Pure. */
import type { Prices } from '@truecast/core/internal/kit/usage';
import type { SchemaDialect } from '@truecast/core/internal/schema/dialects/profiles/dialect-profile';
import { dialectOf } from '@truecast/model/internal/modes/answer-mode';
import type { ReceiptMode } from '@truecast/client/internal/wire/receipt';
import { chooseWay } from '@truecast/model/internal/ladder/choose-way';
import type { ChatModel } from './chat-model.ts';
import { isConnectedName } from './connected-name.ts';

/** Provider as in the file of models. */
export type ProviderName = 'anthropic' | 'openai' | 'google' | 'openai-compatible';

export interface ModelFacts {
  readonly provider: ProviderName;
  /** True if no model answers, but a script. */
  readonly isScripted: boolean;
  /** How a turn without other tools requests an answer first. Absent if the model supports no way. */
  readonly mode?: ReceiptMode;
  /** Schema mode whose losses apply. */
  readonly dialect: SchemaDialect;
  /** Context window, output included. Absent if it is unknown. */
  readonly contextTokens?: number;
  /** Absent if they are unknown. */
  readonly prices?: Prices;
  /** True if it was connected while the process runs. */
  readonly isConnected?: true;
}

export function modelFactsOf(
  { id, model, capabilities, contextTokens, prices }: ChatModel,
  isScripted: boolean,
): ModelFacts {
  const choice = chooseWay(capabilities, { hasOtherTools: false, isLastTry: false, refused: [] });
  return {
    provider: providerOf(model.provider),
    isScripted,
    ...(choice.type === 'asked' && { mode: choice.mode }),
    dialect: dialectOf(model),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(prices !== undefined && { prices }),
    ...(isConnectedName(id) && { isConnected: true }),
  };
}

/** Packages name their parts, such as `openai.responses`. */
function providerOf(provider: string): ProviderName {
  const [name] = provider.split('.', 1);
  return name === 'anthropic' || name === 'openai' || name === 'google' ? name : 'openai-compatible';
}
