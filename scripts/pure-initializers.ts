/**
 * Build plugin: marks the initializers of module-level constants as pure, so that a bundler drops the
 * unused ones. The build of a package is one chunk, and a bundler keeps every call in a chunk of which
 * it needs anything. The manifests promise the same for whole modules: `sideEffects: false`.
 */
import type { Rolldown } from 'tsdown';
import { parseAst } from 'rolldown/parseAst';

const PURE = '/* @__PURE__ */ ';
const FUNCTIONS: ReadonlySet<string> = new Set(['ArrowFunctionExpression', 'FunctionExpression']);
const CALLS: ReadonlySet<string> = new Set(['CallExpression', 'NewExpression']);
/** A bundler must assume that these call a getter, an iterator, a tag or `toString`. No annotation fits them. */
const OPAQUE: ReadonlySet<string> = new Set([
  'MemberExpression',
  'SpreadElement',
  'TaggedTemplateExpression',
  'TemplateLiteral',
]);

/** A node of the syntax tree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export const pureInitializers: Rolldown.Plugin = {
  name: 'pure-initializers',
  renderChunk(code, { fileName }) {
    return fileName.endsWith('.mjs') ? markInitializers(code) : null;
  },
};

/** Returns `code` with each module-level initializer free of side effects for a bundler. */
export function markInitializers(code: string): string {
  const insertions = childrenOf(parseAst(code))
    .filter(({ type }) => type === 'VariableDeclaration')
    .flatMap((declaration) => childrenOf(declaration))
    .flatMap(({ init }) => (isNode(init) ? insertionsFor(init) : []))
    .sort((left, right) => left.at - right.at);
  let at = 0;
  let marked = '';
  for (const insertion of insertions) {
    marked += code.slice(at, insertion.at) + insertion.text;
    at = insertion.at;
  }
  return marked + code.slice(at);
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

function insertionsFor(init: Node): Insertion[] {
  const nodes = evaluatedNodes(init);
  const callees = new Set(nodes.flatMap(({ type, callee }) => (CALLS.has(type) ? [callee] : [])));
  if (nodes.some((node) => OPAQUE.has(node.type) && !callees.has(node))) {
    return [
      { at: init.start, text: `${PURE}(() => (` },
      { at: init.end, text: '))()' },
    ];
  }
  return nodes.filter(({ type }) => CALLS.has(type)).map(({ start }) => ({ at: start, text: PURE }));
}

/** Nodes that run when the module is loaded. Bodies of functions do not. */
function evaluatedNodes(node: Node): Node[] {
  return FUNCTIONS.has(node.type) ? [] : [node, ...childrenOf(node).flatMap(evaluatedNodes)];
}

function childrenOf(node: object): Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
