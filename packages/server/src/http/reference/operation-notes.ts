/** Notes of each operation for the API reference: its group, its purpose, examples and problems. */
import { ACCOUNT_NOTES } from './account-notes.ts';
import { AGENT_RUN_NOTES } from './agent-run-notes.ts';
import { CHAT_NOTES } from './chat-notes.ts';
import { ENSEMBLE_NOTES } from './ensemble-notes.ts';
import type { OperationNotes } from './operation-note.ts';
import { PROJECT_NOTES } from './project-notes.ts';

const MODEL = { id: 'scripted:demo', object: 'model', owned_by: 'truecast' };

const OPENAI_NOTES: Readonly<Record<string, OperationNotes>> = {
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

const NOTES: Readonly<Record<string, OperationNotes>> = {
  ...CHAT_NOTES,
  ...AGENT_RUN_NOTES,
  ...PROJECT_NOTES,
  ...ENSEMBLE_NOTES,
  ...ACCOUNT_NOTES,
  ...OPENAI_NOTES,
};

/** Returns the notes of an operation. Undefined if it has none. */
export function notesOf(operationId: string): OperationNotes | undefined {
  return NOTES[operationId];
}
