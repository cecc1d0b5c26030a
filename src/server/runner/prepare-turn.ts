/** Owns putting a turn's model and tools together, as one load of the chat finds them. */
import { FINALIZER_NAME } from '../../output/finalizer/finalizer-tool.ts';
import type { DynamicTool } from '../contract/rows.ts';
import type { ToolFacts } from '../contract/tools.ts';
import { FINALIZER_FACTS, finalizerDefinition } from '../finalizer/finalizer-definition.ts';
import { assembleTools } from '../finalizer/protect-name.ts';
import { activeRequest } from '../format/active-request.ts';
import { isPlanTurn } from '../format/plan-mode.ts';
import type { ChatModel } from '../models/chat-model.ts';
import type { ToolDefinition } from '../models/step-request.ts';
import type { Turn } from '../state/chat-reads.ts';
import { PLAN_TOOL } from '../tools/propose-plan.ts';
import { factsOf, type ServerTool } from '../tools/server-tool.ts';
import type { TurnPorts } from './turn-ports.ts';

/** What a turn works with. */
export interface PreparedTurn {
  readonly model: ChatModel;
  /** By name, as decisions need them. */
  readonly facts: ReadonlyMap<string, ToolFacts>;
  /** Those that run here, by name. */
  readonly serverTools: ReadonlyMap<string, ServerTool>;
  /** What the model is told, in a fixed order; the finalizer last, where a request is open. */
  readonly definitions: readonly ToolDefinition[];
}

/** Finds the model and the tools. @throws UsageError when the model cannot be used */
export async function prepareTurn(ports: TurnPorts, turn: Turn): Promise<PreparedTurn> {
  const { chat, messages } = turn;
  const model = await ports.models.find(chat.model);
  const listed = await ports.tools.list(chat);
  const isPlan = isPlanTurn(messages, chat.planMode);
  const own = isPlan
    ? [PLAN_TOOL, ...listed.tools.filter(({ isReadOnly }) => isReadOnly === true)]
    : listed.tools;
  const active = activeRequest(messages);
  const request = active.type === 'open' || active.type === 'accepted' ? active.request : undefined;
  const { tools: facts, dropped } = assembleTools(
    // The finalizer stands first, so that no other tool can have its name while a request is open.
    request === undefined ? [] : [FINALIZER_FACTS],
    own.map(factsOf),
    isPlan ? [] : providerFacts(model),
    isPlan ? [] : chat.dynamicTools.map(dynamicFacts),
  );
  for (const message of [...listed.problems, ...dropped.map(({ warning }) => warning)]) {
    ports.onEvent?.({ level: 'warn', message, chatId: chat.id });
  }
  const serverTools = new Map(
    own.filter((tool) => isChosen(facts, tool)).map((tool) => [tool.definition.name, tool]),
  );
  const definitions = [
    ...[...serverTools.values()].map(({ definition }) => definition),
    ...chat.dynamicTools.filter(({ name }) => facts.get(name)?.kind === 'dynamic').map(toDefinition),
    ...(request === undefined ? [] : [finalizerDefinition(request.format)]),
  ];
  return { model, facts, serverTools, definitions };
}

/** Of two with one name the first one was chosen. */
function isChosen(facts: ReadonlyMap<string, ToolFacts>, tool: ServerTool): boolean {
  const { name } = tool.definition;
  const chosen = facts.get(name);
  return chosen?.kind === 'local' && chosen !== FINALIZER_FACTS && chosen.server === tool.server;
}

function providerFacts({ providerTools = {} }: ChatModel): ToolFacts[] {
  const traits = { kind: 'provider', isExclusive: false, isStopAfter: false, isReadOnly: false } as const;
  return Object.keys(providerTools).map((name) => ({ name, ...traits }));
}

function dynamicFacts({ name }: DynamicTool): ToolFacts {
  return { name, kind: 'dynamic', isExclusive: false, isStopAfter: false, isReadOnly: false };
}

function toDefinition({ name, description = '', input_schema }: DynamicTool): ToolDefinition {
  // Services take only schemas of objects; one that says nothing of its type was meant as one.
  const inputSchema = 'type' in input_schema ? input_schema : { type: 'object', ...input_schema };
  return { name, description, inputSchema };
}

/** Tells whether a call of this name is the finalizer's while a request is open. */
export function isFinalizer({ facts }: PreparedTurn, name: string): boolean {
  return name === FINALIZER_NAME && facts.get(name) === FINALIZER_FACTS;
}
