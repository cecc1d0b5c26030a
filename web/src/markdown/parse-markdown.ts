/** Parser of a model's Markdown, with bounds on the text, the depth and the number of nodes. Pure. */
import { parser, RuleType, type MarkdownToJSX } from 'markdown-to-jsx';

export type MarkdownNode = MarkdownToJSX.ASTNode;

/** A longer text is shown unchanged. Parsing this many characters takes at most a few frames. */
export const MAX_CHARS = 30_000;
/** Deeper elements would be too slow for the layout of a browser. */
const MAX_DEPTH = 24;
const MAX_NODES = 4_000;

const OPTIONS = { disableParsingRawHTML: true, disableFrontmatter: true } as const;

/** Returns the nodes of a text. Undefined for a text that exceeds a bound. */
export function parseMarkdown(text: string): readonly MarkdownNode[] | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const nodes = parser(text, OPTIONS);
  return isBounded(nodes) ? nodes : undefined;
}

/** Counts without recursion: the nodes can be deeper than the stack. */
function isBounded(nodes: readonly MarkdownNode[]): boolean {
  const waiting: { readonly node: MarkdownNode; readonly depth: number }[] = [];
  const add = (children: readonly MarkdownNode[], depth: number): void => {
    for (const node of children) waiting.push({ node, depth });
  };
  add(nodes, 1);
  for (let seen = 0; ; seen += 1) {
    const next = waiting.pop();
    if (next === undefined) return true;
    if (next.depth > MAX_DEPTH || seen >= MAX_NODES) return false;
    for (const children of childrenOf(next.node)) add(children, next.depth + 1);
  }
}

function childrenOf(node: MarkdownNode): readonly (readonly MarkdownNode[])[] {
  switch (node.type) {
    case RuleType.orderedList:
    case RuleType.unorderedList:
      return node.items;
    case RuleType.table:
      return [...node.header, ...node.cells.flat()];
    default:
      return 'children' in node && node.children !== undefined ? [node.children] : [];
  }
}

/** Embeddings, overrides and isolates: they can make a link or code read as another one. */
const REORDERING = /[\u202A-\u202E\u2066-\u2069]/gu;

/** Returns the text with a visible name for each reordering character. */
export function safeText(text: string): string {
  return text.replaceAll(
    REORDERING,
    (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase()}⟩`,
  );
}

/** Address of a link that the console opens. */
interface SafeAddress {
  readonly href: string;
  /** Host, or the recipient of a message. Names in other scripts are in ASCII. */
  readonly host: string;
}

/** Returns the address of a link. Undefined for all but absolute web and mail addresses. */
export function safeAddress(target: string | null): SafeAddress | undefined {
  const url = target === null ? null : URL.parse(target);
  if (url === null) return undefined;
  if (url.protocol === 'mailto:') return { href: url.href, host: safeText(url.pathname) };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  // A name before the host can look like a host.
  url.username = '';
  url.password = '';
  return { href: url.href, host: url.host };
}
