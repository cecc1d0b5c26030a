/** `truecast doctor --model`: tests a model server, and prints its `models.yaml` entry. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { profileEngine } from '@truecast/model/internal/engine/profile-engine';
import { parseModelAddress, withoutPassword } from '@truecast/model/internal/models-file/model-address';
import { printResult, printText, type Terminal } from '../terminal/print.ts';
import type { DoctorFlags } from './doctor-command.ts';
import { probeModel, type ModelReport } from './probe-model.ts';

/** Prints the report, what the engine enforces, and the entry. The key is in `TRUECAST_API_KEY`. */
export async function doctorModelCommand(flags: DoctorFlags, terminal: Terminal): Promise<void> {
  const { TRUECAST_API_KEY: key = '' } = process.env;
  const apiKey = key === '' ? undefined : key;
  const { url, name } = placeOf(flags);
  const report = await probeModel({ url, model: name, apiKey });
  const { abilities, stopsRequests } = await profileEngine({ url, model: report.model, apiKey });
  const holds = { ...abilities, 'stopped-request': stopsRequests ? 'holds' : 'ignores' };
  const entry = entryOf(report, apiKey !== undefined);
  if (flags.json === true) await printResult({ ...report, holds, entry }, terminal);
  else {
    printText(
      `${describe(report)}\n\n${describeHolds(holds)}\n\nmodels.yaml:\n\n${entry}${apiKey === undefined ? '' : ALLOW}`,
      terminal,
    );
  }
}

/** `local:NAME` is the model that `serve` and chats have under this name. */
function placeOf({ model = '', modelName }: DoctorFlags): {
  readonly url: string;
  readonly name: string | undefined;
} {
  const [, local] = /^local:(.+)$/su.exec(model) ?? [];
  const { TRUECAST_BASE_URL: base = '' } = process.env;
  if (local !== undefined && base === '') {
    throw new UsageError(
      `\`--model ${model}\` needs the address of its server. Set TRUECAST_BASE_URL, such as http://localhost:11434/v1.`,
    );
  }
  const address = parseModelAddress(local === undefined ? model : base);
  if (address === undefined && local !== undefined) {
    throw new UsageError(
      `Expected TRUECAST_BASE_URL to be an http or https address such as http://localhost:11434/v1, got \`${withoutPassword(base)}\`.`,
    );
  }
  if (address === undefined) {
    throw new UsageError(
      `Expected \`--model\` to be an http or https address with or without \`#model\`, or \`local:\` and a name, got \`${withoutPassword(model)}\`. Write it as \`http://localhost:11434/v1#qwen3:8b\`.`,
    );
  }
  const name = local ?? address.model;
  if (name !== undefined && modelName !== undefined && name !== modelName) {
    throw new UsageError(
      `\`--model\` names the model \`${name}\`, and \`--model-name\` names \`${modelName}\`. Remove one of them.`,
    );
  }
  return { url: address.url, name: name ?? modelName };
}

const HOLDS: Readonly<Record<string, string>> = {
  schema: 'schema of `response_format`',
  'schema-in-json-mode': 'schema beside `json_object`',
  'json-mode': 'JSON mode',
  'named-tool': 'tool by its name',
  'required-tool': 'any tool required',
  pattern: 'pattern `^[0-9]{4}$`',
  'pattern-class': 'pattern with a sign',
  date: 'format of dates',
  length: 'length of strings',
  'item-count': 'number of items',
  'integer-range': 'range of integers',
  'number-range': 'range of numbers',
  keys: 'names of keys',
  references: 'references',
  'stopped-request': 'stop of a request',
};

function describeHolds(holds: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.values(HOLDS).map((name) => name.length)) + 2;
  const lines = Object.entries(HOLDS).map(([key, name]) => `  ${name.padEnd(width)}${holds[key] ?? ''}`);
  return ['The engine holds:', ...lines].join('\n');
}

const ROUTES = {
  schema: 'The server enforces the schema of an answer.',
  tools: 'Answers are arguments of a tool. Each one is validated.',
  text: 'Answers are read from text. Each one is validated; set `lenient: true` for a small model.',
} as const;

const THINKING: Readonly<Record<ModelReport['thinking'], string>> = {
  separate: 'yes, in its own field',
  'in-text': 'yes, in the text; it is removed from answers',
  none: 'none seen',
};

const ALLOW =
  '\nThe key goes to an address in a file: run `truecast allow` on the file after you wrote it.\n';

function describe(report: ModelReport): string {
  const { server, model, schema, jsonMode, tools, thinking, tokensPerSecond, contextTokens } = report;
  const context = contextTokens === undefined ? 'not reported by the server' : `${contextTokens} tokens`;
  const rows = [
    ['schema', schema],
    ['JSON mode', jsonMode],
    ['tools', tools],
    ['thinking', THINKING[thinking]],
    ['speed', `${tokensPerSecond} tokens per second`],
    ['context', context],
  ];
  const lines = rows.map(([name = '', value = '']) => `  ${name.padEnd(11)}${value}`);
  return [`${model}${server === undefined ? '' : ` on ${server}`}`, ...lines, routeOf(report)].join('\n');
}

function routeOf({ schema, tools }: ModelReport): string {
  if (schema === 'works') return ROUTES.schema;
  return tools === 'works' ? ROUTES.tools : ROUTES.text;
}

const ANSWER_TOKENS = 400;
/** A thinking model spends tokens before its answer. */
const THINKING_TOKENS = 2_000;
/** Timeout for a hung server. On a CPU, the first token of a long prompt takes a minute. */
const IDLE_SECONDS = 120;

function entryOf({ endpoint, model, thinking }: ModelReport, hasKey: boolean): string {
  const lines = [
    `endpoint: ${quoted(endpoint)}`,
    `model: ${quoted(model)}`,
    ...(hasKey ? ['api_key: $TRUECAST_API_KEY'] : []),
    `max_tokens: ${thinking === 'none' ? ANSWER_TOKENS : THINKING_TOKENS}`,
    `idle_timeout_seconds: ${IDLE_SECONDS}`,
  ];
  return `profiles:\n  fast:\n${lines.map((line) => `    ${line}\n`).join('')}`;
}

/** A JSON string is a YAML string. A dollar sign starts a variable in `models.yaml`. */
function quoted(text: string): string {
  return JSON.stringify(text.replaceAll('$', '$$$$'));
}
