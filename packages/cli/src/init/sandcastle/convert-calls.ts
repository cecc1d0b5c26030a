/** Conversion of calls: `docker()` and `podman()` get their hosts, `createSandbox()` gets its agents. Pure. */
import { AGENTS } from 'truecast/internal/agents/registry/agents';
import type { Converted, Remark } from './converted.ts';

/** A call in a source, with the text between its parentheses. */
interface Call {
  readonly name: string;
  readonly inside: string;
  /** Index of the first character inside. */
  readonly start: number;
}

const CONTAINER = /\b(docker|podman)\(/gu;
const CREATE_SANDBOX = /\b(createSandbox)\(/gu;
const AGENT = /\bagent:\s*(?:[\w$]+\.)?([\w$]+)\((?:[^()]|\([^()]*\))*\)/gu;
const FACTORIES: ReadonlySet<string> = new Set(Object.values(AGENTS).map(({ factory }) => factory));
const MAX_CALL_CHARS = 20_000;

export function convertCalls(source: string, hosts: readonly string[]): Converted {
  const agents = agentsIn(source);
  const steps = [
    (text: string) => rewrite(text, CONTAINER, (call) => openNetwork(call, hosts, quoteOf(source))),
    (text: string) => rewrite(text, CREATE_SANDBOX, (call) => addAgents(call, agents)),
  ];
  return steps.reduce<Converted>(
    (before, step) => {
      const { text, changes, remarks } = step(before.text);
      return { text, changes: [...before.changes, ...changes], remarks: [...before.remarks, ...remarks] };
    },
    { text: source, changes: [], remarks: [] },
  );
}

/**
 * New text inside a call, or a remark if a person must decide. Neither is set if nothing changes.
 */
interface Rewritten {
  readonly inside?: string;
  readonly change?: string;
  readonly remark?: string;
}

function rewrite(source: string, pattern: RegExp, change: (call: Call) => Rewritten): Converted {
  const changes = new Set<string>();
  const remarks: Remark[] = [];
  let text = source;
  // Converts from the last to the first, so that earlier indexes and line numbers stay valid.
  for (const call of callsIn(source, pattern).toReversed()) {
    const { inside, change: said, remark } = change(call);
    if (inside !== undefined) {
      text = text.slice(0, call.start) + inside + text.slice(call.start + call.inside.length);
    }
    if (said !== undefined) changes.add(said);
    if (remark !== undefined) {
      remarks.unshift({ line: source.slice(0, call.start).split('\n').length, text: remark });
    }
  }
  return { text, changes: [...changes], remarks };
}

function openNetwork({ name, inside }: Call, hosts: readonly string[], quote: string): Rewritten {
  if (/\begress\b/u.test(inside)) return {};
  const needsWholeNetwork = /\bnetwork\b/u.test(inside);
  if (!needsWholeNetwork && hosts.length === 0) return {};
  const quoted = (text: string): string => quote + text + quote;
  const egress = needsWholeNetwork ? quoted('host') : `{ allow: [${hosts.map(quoted).join(', ')}] }`;
  const change = `${name}() ${needsWholeNetwork ? 'keeps the whole network, because it sets `network`' : `can reach ${hosts.join(', ')}`}`;
  if (inside.trim() === '') return { inside: `{ egress: ${egress} }`, change };
  const added = addProperty(inside, `egress: ${egress}`);
  return added === undefined
    ? { remark: `add \`egress: ${egress}\` to the options of ${name}()` }
    : { inside: added, change };
}

function addAgents({ inside }: Call, agents: readonly string[]): Rewritten {
  if (/\bagents\b/u.test(inside)) return {};
  const added = agents.length === 0 ? undefined : addProperty(inside, `agents: [${agents.join(', ')}]`);
  return added === undefined
    ? {
        remark:
          'add `agents: [claudeCode()]`, with the agents that run inside, to the options of createSandbox()',
      }
    : { inside: added, change: 'createSandbox() names its agents' };
}

/** Adds a property to an object literal, on its own line if the literal has several. */
function addProperty(inside: string, property: string): string | undefined {
  const [opening, indent] = /^\s*\{(\n[ \t]*)?/u.exec(inside) ?? [];
  if (opening === undefined) return undefined;
  const rest = inside.slice(opening.length);
  return indent === undefined ? `${opening} ${property},${rest}` : `${opening}${property},${indent}${rest}`;
}

/** Returns the quotation mark of the program's imports. */
function quoteOf(source: string): string {
  return /\bfrom\s*(["'])/u.exec(source)?.[1] ?? `'`;
}

/** Returns one expression for each agent factory that the program passes to a run. */
function agentsIn(source: string): readonly string[] {
  const found = new Map<string, string>();
  for (const [whole, factory = ''] of source.matchAll(AGENT)) {
    if (FACTORIES.has(factory) && !found.has(factory)) found.set(factory, whole.replace(/^agent:\s*/u, ''));
  }
  return [...found.values()];
}

function callsIn(source: string, pattern: RegExp): readonly Call[] {
  return [...source.matchAll(pattern)].flatMap(({ index, 0: opening, 1: name = '' }) => {
    const start = index + opening.length;
    const inside = untilClosed(source.slice(start, start + MAX_CALL_CHARS));
    // A comment can mention a call, and a declaration looks like one.
    const line = source.slice(source.lastIndexOf('\n', index) + 1, index);
    const isCode = !/^\s*(?:\/\/|\/?\*)/u.test(line) && !/\bfunction\s+$/u.test(line);
    return inside === undefined || !isCode ? [] : [{ name, inside, start }];
  });
}

/** Returns the text before the parenthesis that closes a call. */
function untilClosed(text: string): string | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(
    /(["'`])(?:\\.|(?!\1)[^\\])*\1|\/\/.*|\/\*[\s\S]*?\*\/|[()]/gu,
  )) {
    if (token === '(') depth++;
    else if (token === ')' && depth-- === 0) return text.slice(0, index);
  }
  return undefined;
}
