/** Notes of the operations of the OpenAI-compatible API. */
import type { OperationNotes } from './operation-note.ts';

const MODEL = { id: 'scripted:demo', object: 'model', owned_by: 'truecast' };

/** Notes by operation id. */
export const OPENAI_NOTES: Readonly<Record<string, OperationNotes>> = {
  createChatCompletion: {
    tag: 'OpenAI',
    description:
      'Serves clients of the Chat Completions API. With `response_format`, the answer is validated by this server before it is sent.',
    body: { model: 'scripted:demo', messages: [{ role: 'user', content: 'Which file has the bug?' }] },
    answer: {
      id: 'chatcmpl_1',
      object: 'chat.completion',
      model: 'scripted:demo',
      choices: [{ index: 0, message: { role: 'assistant', content: 'src/loop.ts' }, finish_reason: 'stop' }],
    },
  },
  createResponse: {
    tag: 'OpenAI',
    description:
      'Serves clients of the Responses API. With `text.format`, the answer is validated by this server before it is sent.',
    body: { model: 'scripted:demo', input: 'Which file has the bug?' },
    answer: { id: 'resp_1', object: 'response', model: 'scripted:demo', output: [] },
  },
  listOpenAIModels: {
    tag: 'OpenAI',
    description: 'Returns the models and coding agents that an OpenAI client can name.',
    answer: { object: 'list', data: [MODEL] },
  },
  readOpenAIModel: {
    tag: 'OpenAI',
    description: 'Returns one model or coding agent by its name.',
    answer: MODEL,
  },
};
