/** Wire format of OpenAI Chat Completions: routing, refusals and errors. */
import { bearerOf } from '../anthropic/anthropic-messages-wire.ts';
import { OPENAI_CHAT_DIALECT, type ChatDialect } from './chat-dialects.ts';
import { encodeChat } from './chat-encoding.ts';
import { chatRequestSchema, type ChatRequest } from './chat-request.ts';
import { chatRefusal } from './chat-rules.ts';
import { chatTurn } from './chat-turn.ts';
import type {
  ScriptedWire,
  ScriptedWireAnswer,
  WireError,
  WireReading,
  ScriptedWireRequest,
} from '../turn/model-wire.ts';
import { encodeOpenaiError, refusedShape } from '../turn/openai-errors.ts';

const CHAT_PATH = '/v1/chat/completions';

/** Implements OpenAI Chat Completions, as the service itself or as a compatible server. */
export function openaiChatWire(dialect: ChatDialect = OPENAI_CHAT_DIALECT): ScriptedWire {
  const encodeError = (error: WireError): ScriptedWireAnswer =>
    dialect.encodeError?.(error) ?? encodeOpenaiError(error);
  return {
    name: 'openai-chat-completions',
    owns: ({ pathname }) => pathname.startsWith(CHAT_PATH),
    keyOf: bearerOf,
    answerAside,
    read: (request) => readTurn(request, dialect),
    encode: (message, { body }) => {
      const asked = chatRequestSchema.safeParse(body);
      return encodeChat(message, {
        dialect,
        includesUsage: asked.success && asked.data.stream_options?.include_usage === true,
      });
    },
    encodeError,
  };
}

function answerAside({ method, pathname }: ScriptedWireRequest): ScriptedWireAnswer | undefined {
  if (method === 'POST' && pathname === CHAT_PATH) return undefined;
  return encodeOpenaiError({ statusCode: 404, message: `Invalid URL (${method} ${pathname})` });
}

function readTurn({ body }: ScriptedWireRequest, dialect: ChatDialect): WireReading {
  if (body === undefined) return refuse({ statusCode: 400, message: 'The request body is not valid JSON.' });
  const parsed = chatRequestSchema.safeParse(body);
  if (!parsed.success) return refuse(refusedShape(parsed.error, body));
  const refusal = dialect.refusal === undefined ? chatRefusal(parsed.data) : dialect.refusal(parsed.data);
  return refusal === undefined ? readEnforced(parsed.data, dialect) : refuse(refusal);
}

/** The turn with the schema and the choice that the server enforces. */
function readEnforced(request: ChatRequest, { convert, enforced }: ChatDialect): WireReading {
  const turn = chatTurn(request);
  const posted = turn.toolChoice ?? 'none';
  const toolChoice = enforced?.(posted) ?? posted;
  if (convert === undefined) return { type: 'turn', turn: { ...turn, toolChoice } };
  const { response_format: format } = request;
  const forced = turn.tools.find(({ name }) => typeof toolChoice === 'object' && name === toolChoice.name);
  const schema = format?.type === 'json_object' ? format.schema : turn.jsonSchema;
  const held = [schema, forced?.inputSchema].map((each) => (each === undefined ? undefined : convert(each)));
  if (held.some((each) => each?.type === 'ends')) return { type: 'ends' };
  const refused = held.find((each) => each?.type === 'refused');
  if (refused?.type === 'refused') return refuse({ statusCode: 400, message: refused.message });
  const [answer] = held;
  const jsonSchema = answer?.type === 'held' ? answer.schema : undefined;
  return { type: 'turn', turn: { ...turn, toolChoice, jsonSchema } };
}

function refuse(error: WireError): WireReading {
  return { type: 'refusal', error };
}
