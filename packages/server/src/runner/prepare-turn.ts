/** Resolves a turn's model and tools from one load of the chat. */
import type { DynamicTool } from '../contract/rows.ts';
import type { ToolFacts } from '../contract/tools.ts';
import { FINALIZER_FACTS, finalizerDefinition } from '../finalizer/finalizer-definition.ts';
import { assembleTools } from '../finalizer/protect-name.ts';
import type { ChatModel } from '../models/chat-model.ts';
import { pickProviderTools, type ProviderTools } from '../models/provider-tools.ts';
import type { ToolDefinition } from '../models/step-request.ts';
import { PLAN_TOOL } from '../tools/propose-plan.ts';
import { factsOf, type ServerTool } from '../tools/server-tool.ts';
import type { LoadedTurn } from './load-turn.ts';
import type { TurnPorts } from './turn-ports.ts';

export interface PreparedTurn {
  readonly model: ChatModel;
  /** Tool facts by name, for decisions. */
  readonly facts: ReadonlyMap<string, ToolFacts>;
  /** Server-side tools by name. */
  readonly serverTools: ReadonlyMap<string, ServerTool>;
  /** Tools shown to the model in a fixed order. The finalizer is last while a request is open. */
  readonly definitions: readonly ToolDefinition[];
  readonly providerTools: ProviderTools;
}

/**
 * Resolves the model and the tools.
 *
 * @param modelId - the chat's model, or one of its fallbacks
 * @throws UsageError if the model is unusable
 */
export async function prepareTurn(
  ports: TurnPorts,
  turn: LoadedTurn,
  modelId: string = turn.chat.model,
): Promise<PreparedTurn> {
  const { chat, view } = turn;
  const model = await ports.models.find(modelId);
  const listed = await ports.tools.list(chat);
  const { isPlan, activeRequest: active } = view;
  const own = isPlan
    ? [PLAN_TOOL, ...listed.tools.filter(({ readOnlyHint }) => readOnlyHint === true)]
    : listed.tools;
  const request = active.type === 'open' || active.type === 'accepted' ? active.request : undefined;
  const dynamic = isPlan ? [] : chat.dynamicTools;
  const offered = offeredByProvider(model, {
    isPlan,
    hasOtherTools: own.length > 0 || dynamic.length > 0 || request !== undefined,
  });
  const { tools: facts, dropped } = assembleTools(
    // The finalizer comes first, so that no other tool can have its name while a request is open.
    request === undefined ? [] : [FINALIZER_FACTS],
    own.map(factsOf),
    Object.keys(offered.tools).map(providerFacts),
    dynamic.map(dynamicFacts),
  );
  const warnings = [...offered.warnings, ...dropped.map(({ warning }) => warning)];
  for (const message of [...listed.problems, ...warnings]) {
    ports.onEvent?.({ level: 'warn', message, chatId: chat.id, isRepeated: true });
  }
  const serverTools = new Map(
    own.filter((tool) => isChosen(facts, tool)).map((tool) => [tool.definition.name, tool]),
  );
  const definitions = [
    ...[...serverTools.values()].map(({ definition }) => definition),
    ...chat.dynamicTools.filter(({ name }) => facts.get(name)?.kind === 'dynamic').map(toDefinition),
    ...(request === undefined ? [] : [finalizerDefinition(request.format)]),
  ].map(ofObject);
  const isChosenTool = (name: string): boolean => facts.get(name)?.kind === 'provider';
  const providerTools = pickProviderTools(offered.tools, isChosenTool);
  return { model, facts, serverTools, definitions, providerTools };
}

interface OfferedByProvider {
  readonly tools: ProviderTools;
  readonly warnings: readonly string[];
}

/**
 * In plan mode, provider-executed tools are off, because the server can restrict only its own tools
 * to reading.
 */
function offeredByProvider(
  { id, providerTools = {} }: ChatModel,
  { isPlan, hasOtherTools }: { readonly isPlan: boolean; readonly hasOtherTools: boolean },
): OfferedByProvider {
  if (isPlan) return { tools: {}, warnings: [] };
  const isRefused = (name: string): boolean =>
    hasOtherTools &&
    Object.entries(providerTools).some(([known, { isMixable }]) => known === name && !isMixable);
  return {
    tools: pickProviderTools(providerTools, (name) => !isRefused(name)),
    warnings: Object.keys(providerTools)
      .filter(isRefused)
      .map(
        (name) =>
          `The provider-executed tool \`${name}\` is not offered in this turn: \`${id}\` accepts it neither with other tools nor with a response_format. Choose another model for such turns.`,
      ),
  };
}

/** The first of two tools with the same name wins. */
function isChosen(facts: ReadonlyMap<string, ToolFacts>, tool: ServerTool): boolean {
  const { name } = tool.definition;
  const chosen = facts.get(name);
  return chosen?.kind === 'local' && chosen !== FINALIZER_FACTS && chosen.server === tool.server;
}

function providerFacts(name: string): ToolFacts {
  return { name, kind: 'provider', isExclusive: false, isStopAfter: false, readOnlyHint: false };
}

function dynamicFacts({ name }: DynamicTool): ToolFacts {
  return { name, kind: 'dynamic', isExclusive: false, isStopAfter: false, readOnlyHint: false };
}

/** Services accept only object schemas. A schema without a type is treated as one. */
function ofObject(definition: ToolDefinition): ToolDefinition {
  const { inputSchema } = definition;
  return 'type' in inputSchema
    ? definition
    : { ...definition, inputSchema: { type: 'object', ...inputSchema } };
}

function toDefinition({ name, description = '', input_schema }: DynamicTool): ToolDefinition {
  return { name, description, inputSchema: input_schema };
}
