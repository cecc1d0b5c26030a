/**
 * Programs that send the form's question to this server, with the token from the environment. Pure.
 */
import type { CodeSample } from '../parts/code/code-sample.ts';
import { indentIfJson } from '../json/indent-json.ts';
import { chatBodyOf, formatOf, type AskedQuestion } from './question.ts';

/**
 * Returns one program per language. For a plan, for files, and for tools that a client runs, there is
 * only the HTTP request.
 */
export function codeSamples(question: AskedQuestion, origin: string): readonly CodeSample[] {
  const request = { name: 'curl', code: curl(question, origin), file: 'ask.sh', command: 'sh ask.sh' };
  const { isPlan = false, tools = [], files = [] } = question;
  if (isPlan || tools.length + files.length > 0) return [request];
  return [
    {
      name: 'TypeScript',
      code: typeScript(question, origin),
      file: 'ask.mts',
      command: 'npm install CLONE/tarballs/truecast-{core,client}*.tgz && node ask.mts',
    },
    { name: 'Python', code: python(question, origin), file: 'ask.py', command: 'python3 ask.py' },
    request,
    {
      name: 'OpenAI client',
      code: openAI(question, origin),
      file: 'ask.mjs',
      command: 'npm install openai && node ask.mjs',
    },
  ];
}

function typeScript(question: AskedQuestion, origin: string): string {
  const { message, name, schemaText, model, title, limits } = question;
  const settings = JSON.stringify({ model, title }, undefined, 2);
  const chat = settings === '{}' ? '' : settings;
  return `import { createClient, Output } from '@truecast/client';
import { jsonSchema } from '@truecast/core';

const client = createClient({
  baseURL: '${origin}',
  token: process.env.TRUECAST_TOKEN,
});
const schema = jsonSchema(${indentIfJson(schemaText)});
const { output, receipt } = await client.chat(${chat}).ask({
  prompt: ${JSON.stringify(message)},
  name: ${JSON.stringify(name)},
  output: Output.object({ schema }),${limits === undefined ? '' : `\n  limits: ${indent(JSON.stringify(limits, undefined, 2))},`}
});
console.log(output, receipt.value_hash);`;
}

function python(question: AskedQuestion, origin: string): string {
  return `import json, os, urllib.request

def call(path, body=None):
    request = urllib.request.Request("${origin}" + path, headers={
        "authorization": "Bearer " + os.environ["TRUECAST_TOKEN"],
        "content-type": "application/json",
    }, data=json.dumps(body).encode() if body else None)
    return json.load(urllib.request.urlopen(request))

sent = call("/api/chats", json.loads("""${body(question).replaceAll('\\', '\\\\')}"""))
path = f"/api/chats/{sent['chat']['id']}/requests/{sent['request_id']}"
receipt = call(path + "?wait=60")
print(receipt["status"], receipt.get("value"))`;
}

/** A typed answer needs two commands: the first sends the question, the second prints the receipt. */
function curl(question: AskedQuestion, origin: string): string {
  const { isPlan = false, tools = [] } = question;
  const sent = sendCommand(question, `${origin}/api/chats`);
  // A plan has no receipt. With tools, the answer needs their results first.
  if (isPlan || tools.length > 0) return `${sent.command}${sent.input}`;
  return `request=$(${sent.command} | sed '${REQUEST_PATH}'${sent.input}
)
curl -fsS "${origin}/api/chats/$request?wait=60" -H "authorization: Bearer $TRUECAST_TOKEN"`;
}

/** Converts the response to `CHAT_ID/requests/REQUEST_ID`. */
const REQUEST_PATH = String.raw`s|.*"chat":{"id":"\([^"]*\)".*"request_id":"\([^"]*\)".*|\1/requests/\2|`;

/** Input is the text that the shell reads after the line of the command. */
function sendCommand(
  question: AskedQuestion,
  url: string,
): { readonly command: string; readonly input: string } {
  const { files = [] } = question;
  if (files.length === 0) return { command: curlCommand(url, chatBodyOf(question)), input: '' };
  const named = files.map((file, index) => ({ ...file, data: `file-${index}` }));
  const text = JSON.stringify(chatBodyOf({ ...question, files: named }), undefined, 2);
  return { command: `${curlHead(url)}\n  -d @- <<END`, input: `\n${withBytes(text, files)}\nEND` };
}

/** The shell reads the bytes. All other signs that it replaces in such a text are escaped. */
function withBytes(text: string, files: NonNullable<AskedQuestion['files']>): string {
  const escaped = text.replaceAll(/[\\$`]/gu, String.raw`\$&`);
  return files.reduce(
    (body, { filename = '' }, index) =>
      body.replace(
        `"data": "file-${index}"`,
        () => `"data": "$(base64 < '${filename.replaceAll("'", String.raw`'\''`)}' | tr -d '\\n')"`,
      ),
    escaped,
  );
}

/** Returns the command that sends a body, with the token in the environment. */
export function curlCommand(url: string, value: object): string {
  return `${curlHead(url)}
  -d '${JSON.stringify(value, undefined, 2).replaceAll("'", String.raw`'\''`)}'`;
}

function curlHead(url: string): string {
  return `curl -fsS ${url} \\
  -H "authorization: Bearer $TRUECAST_TOKEN" \\
  -H 'content-type: application/json' \\`;
}

function openAI(question: AskedQuestion, origin: string): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${origin}/v1',
  apiKey: process.env.TRUECAST_TOKEN,
});
${question.model === undefined ? 'const [model] = (await client.models.list()).data;\n' : ''}const { choices } = await client.chat.completions.create({
  model: ${question.model === undefined ? 'model.id' : JSON.stringify(question.model)},
  messages: [{ role: 'user', content: ${JSON.stringify(question.message)} }],
  response_format: ${indent(JSON.stringify(formatOf(question), undefined, 2))},
});
console.log(JSON.parse(choices[0].message.content));`;
}

function body(question: AskedQuestion): string {
  return JSON.stringify(chatBodyOf(question), undefined, 2);
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
