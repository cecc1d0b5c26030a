/** Programs that call an operation with its example. The token comes from the environment. Pure. */
import type { CodeSample } from '../parts/code/code-sample.ts';
import { asRecord } from '../json/describe-schema.ts';
import type { Operation } from './openapi.ts';

/** Returns one program per language that can call the operation. */
export function requestSamples(operation: Operation, origin: string): readonly CodeSample[] {
  const openAI = openAISample(operation, origin);
  const printed = { ...operation, path: withPlaceholders(operation.path) };
  return [
    { name: 'curl', code: curl(printed, origin) },
    { name: 'TypeScript', code: typeScript(printed, origin) },
    { name: 'Python', code: python(printed, origin) },
    ...(openAI === undefined ? [] : [{ name: 'OpenAI client', code: openAI }]),
  ];
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  id: 'CHAT_ID',
  mid: 'MESSAGE_ID',
  qid: 'QUEUED_ID',
  rid: 'REQUEST_ID',
  run: 'RUN_ID',
  sid: 'SHARE_ID',
  batch: 'BATCH_ID',
  delivery: 'DELIVERY_ID',
  artifact: 'log',
  tid: 'TOKEN_ID',
  hash: 'SCHEMA_HASH',
};

/** `/api/chats/CHAT_ID`: braces have a meaning in `curl`, which removes them without a warning. */
function withPlaceholders(path: string): string {
  return path.replaceAll(/\{(\w+)\}/gu, (_all, name: string) => PLACEHOLDERS[name] ?? name.toUpperCase());
}

function isStream({ answer }: Operation): boolean {
  return answer.content?.mediaType === 'text/event-stream';
}

function json(value: unknown): string {
  return JSON.stringify(value ?? {}, undefined, 2);
}

/** Lines after the first one are below the beginning of the argument. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

function curl(operation: Operation, origin: string): string {
  const { method, path, body, isOpen } = operation;
  return [
    `curl ${isStream(operation) ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}'${origin}${path}'`,
    ...(isOpen ? [] : [`-H "authorization: Bearer $TRUECAST_TOKEN"`]),
    ...(body === undefined
      ? []
      : [
          "-H 'content-type: application/json'",
          `-d '${indented(json(body.example)).replaceAll("'", String.raw`'\''`)}'`,
        ]),
  ].join(' \\\n  ');
}

const CLIENT_CALLS: Readonly<Record<string, (example: string) => string>> = {
  createChat: (example) =>
    `const chat = client.chat();\nconst { request_id } = await chat.send(${example});\nconst receipt = await chat.request(request_id, { waitMs: 60_000 });\nconsole.log(receipt.status, receipt.value);`,
  listChats: () =>
    'const { chats, next } = await client.listChats({ limit: 50 });\nconsole.log(chats, next);',
  patchChat: (example) => `await client.patchChat('CHAT_ID', ${example});`,
  deleteChat: () => "await client.deleteChat('CHAT_ID');",
  sendMessage: (example) => `await client.chat({ id: 'CHAT_ID' }).send(${example});`,
  interruptChat: () => "await client.chat({ id: 'CHAT_ID' }).interrupt();",
  readRequest: () =>
    "const receipt = await client.chat({ id: 'CHAT_ID' }).request('REQUEST_ID', { waitMs: 60_000 });\nconsole.log(receipt.status, receipt.value);",
  streamChat: () =>
    "for await (const { event } of client.chat({ id: 'CHAT_ID' }).events()) {\n  console.log(event);\n}",
  listModels: () => 'console.log(await client.models());',
  validateFormat: (example) => `console.log(await client.validateFormat(${example}));`,
};

function typeScript(operation: Operation, origin: string): string {
  const call = CLIENT_CALLS[operation.id];
  const { method, path, body, isOpen } = operation;
  const example = body?.example;
  if (call !== undefined) {
    const isFormat = operation.id === 'validateFormat';
    const argument = isFormat ? asRecord(example)?.['response_format'] : example;
    return `import { createClient } from '@truecast/client';

const client = createClient({
  baseURL: '${origin}',
  token: process.env.TRUECAST_TOKEN,
});
${call(json(argument))}`;
  }
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    ...(isOpen ? [] : ['    authorization: `Bearer ${process.env.TRUECAST_TOKEN}`,']),
    ...(body === undefined ? [] : ["    'content-type': 'application/json',"]),
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(json(example))}),`]),
  ];
  return `const response = await fetch('${origin}${path}', {
${options.join('\n')}
});
${readResponse(operation)}`;
}

/** A stream has no end, so its text is read while it arrives. */
function readResponse(operation: Operation): string {
  if (isStream(operation)) {
    return 'for await (const text of response.body.pipeThrough(new TextDecoderStream())) {\n  console.log(text);\n}';
  }
  const isJson = operation.answer.content?.mediaType === 'application/json';
  return `console.log(await response.${isJson ? 'json' : 'text'}());`;
}

function python(operation: Operation, origin: string): string {
  const { method, path, body, isOpen } = operation;
  const data = body === undefined ? '' : `\n    data=json.dumps(${pythonLiteral(body.example)}).encode(),`;
  return `import json, os, urllib.request

request = urllib.request.Request(
    "${origin}${path}",
    method="${method}",
    headers={${isOpen ? '' : '\n        "authorization": "Bearer " + os.environ["TRUECAST_TOKEN"],'}${body === undefined ? '' : '\n        "content-type": "application/json",'}
    },${data}
)
with urllib.request.urlopen(request) as response:
    ${isStream(operation) ? 'for line in response:\n        print(line.decode(), end="")' : 'print(response.read().decode())'}`;
}

/** Returns JSON as a Python literal: three constants have other names. */
function pythonLiteral(value: unknown): string {
  const text = JSON.stringify(value ?? {}, undefined, 4).replaceAll('\n', '\n    ');
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/gu, (token) => PYTHON[token] ?? token);
}

const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** Calls of the OpenAI client, by operation. */
const OPENAI_CALLS: Readonly<Record<string, (example: string) => string>> = {
  createChat: () => `const { choices } = await client.chat.completions.create({
  model: (await client.models.list()).data[0].id,
  messages: [{ role: 'user', content: 'Which file has the bug?' }],
});
console.log(choices[0].message.content);`,
  createChatCompletion: (example) =>
    `const { choices } = await client.chat.completions.create(${example});\nconsole.log(choices[0].message.content);`,
  createResponse: (example) =>
    `const response = await client.responses.create(${example});\nconsole.log(response.output_text);`,
  listOpenAIModels: () => 'console.log((await client.models.list()).data);',
  readOpenAIModel: () => "console.log(await client.models.retrieve('MODEL'));",
};

function openAISample({ id, body }: Operation, origin: string): string | undefined {
  const call = OPENAI_CALLS[id];
  if (call === undefined) return undefined;
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${origin}/v1',
  apiKey: process.env.TRUECAST_TOKEN,
});
${call(json(body?.example))}`;
}
