/** SDK request: one request of ours as the options of the AI SDK's functions. */
import type { LanguageModel, ModelMessage, ToolSet } from 'ai';
import type { GenerateModel } from './generate-options.ts';
import { settingsOf, type GivenSettings, type ModelSettings } from './model-settings.ts';
import { answerForm, requiringTool, type Sdk, type SdkModel } from './sdk-terms.ts';

/** A tool that a model is offered. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** More members of the AI SDK's tool. @default none */
  readonly passed?: Readonly<Record<string, unknown>>;
}

export interface ReplyRequest extends GivenSettings {
  readonly model: GenerateModel;
  readonly messages: readonly ModelMessage[];
  /** The schema for the provider's constrained decoding. */
  readonly nativeSchema?: Readonly<Record<string, unknown>>;
  /** True to send the schema as a member of `json_object`. Only for `openAICompatible()`. */
  readonly isObjectMode?: boolean;
  /** The tool whose call carries the answer. */
  readonly tool?: ToolOffer;
  /** Tools beside it. @default none */
  readonly others?: readonly ToolOffer[];
  /** True to leave it to the model whether it calls a tool. @default false */
  readonly isFree?: boolean;
  /** True to require the tool by its name, instead of any tool. */
  readonly isNamed?: boolean;
  /** True to ask for JSON without a schema. */
  readonly isJsonMode?: boolean;
  readonly signal?: AbortSignal | undefined;
  /**
   * Streams the call. Receives the answer's text, or the tool's input, as it arrives. The reply is ended if
   * it resolves to true.
   */
  onDelta?(delta: string): Promise<boolean> | undefined;
}

/** Returns the request in the SDK's terms, to the call's model or another one. */
export function sdkRequestOf(
  call: ReplyRequest,
  ai: Sdk,
  signal: AbortSignal,
  model: SdkModel = sdkModel(call),
): SdkRequest {
  const { stopSequences, ...settings } = sdkSettings(settingsOf(call));
  const { tool, others = [], isFree = false, isNamed = false } = call;
  return {
    model: tool === undefined || isFree ? model : requiringTool(model, ai, isNamed ? tool.name : undefined),
    messages: [...call.messages],
    allowSystemInMessages: true,
    maxRetries: 0,
    ...settings,
    ...(stopSequences !== undefined && { stopSequences: [...stopSequences] }),
    abortSignal: signal,
    ...answerForm({ ...call, providerOptions: settings.providerOptions }, ai),
    ...(tool !== undefined && {
      tools: Object.fromEntries([...others, tool].map((each) => [each.name, sdkTool(each, ai)])),
    }),
  };
}

function sdkTool({ description, inputSchema, passed }: ToolOffer, ai: Sdk): ToolSet[string] {
  return ai.tool({ ...passed, description, inputSchema: ai.jsonSchema(inputSchema) });
}

/** Without the settings that are not the SDK's. An unset setting is absent. */
function sdkSettings(given: ModelSettings): SdkSettings & Pick<ModelSettings, 'stopSequences'> {
  const { timeouts: _timeouts, endRunaways: _end, ...settings } = given;
  return settings;
}

/** The settings in the SDK's types. */
type SdkSettings = Pick<
  CallSettings,
  'maxOutputTokens' | 'temperature' | 'topP' | 'seed' | 'headers' | 'providerOptions'
>;
type CallSettings = Parameters<Sdk['generateText']>[0];

/** A request in the SDK's terms. */
export interface SdkRequest extends SdkSettings {
  readonly model: LanguageModel;
  messages: ModelMessage[];
  readonly allowSystemInMessages: true;
  readonly maxRetries: 0;
  readonly stopSequences?: string[];
  readonly abortSignal: AbortSignal;
  readonly output?: ReturnType<Sdk['Output']['text']>;
  readonly tools?: ToolSet;
}

/** Its methods were checked before. The SDK checks its specification version. */
function sdkModel({ model }: ReplyRequest): SdkModel {
  return model as unknown as SdkModel;
}
