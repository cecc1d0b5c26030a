/** Question of the chat benches, and the scripted model's answer. */

/** The answer that every receipt must contain. */
export const CHAT_ANSWER: Readonly<Record<string, string | string[]>> = {
  severity: 'high',
  labels: ['crash', 'parser'],
  plan: 'Guard the empty case, then add a test.',
};

/** Its schema. */
export const CHAT_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    severity: { type: 'string', enum: ['low', 'medium', 'high'] },
    labels: { type: 'array', items: { type: 'string' } },
    plan: { type: 'string' },
  },
  required: ['severity', 'labels', 'plan'],
  additionalProperties: false,
};

/** The schema in the formats of a chat and of OpenAI's wire. */
export const CHAT_FORMAT: {
  type: 'json_schema';
  json_schema: { name: string; schema: Record<string, unknown>; strict: boolean };
} = { type: 'json_schema', json_schema: { name: 'triage', schema: CHAT_SCHEMA, strict: true } };

/** The question. */
export const CHAT_PROMPT = 'Triage this issue: the parser crashes on an empty file.';
