/** Blocks of a model's Markdown: paragraphs, headings, lists, quotes, tables and code. */
import type { ReactNode } from 'react';
import { RuleType } from 'markdown-to-jsx';
import { CodeBlock } from './code-block.tsx';
import { InlineNodes } from './inline-nodes.tsx';
import { MarkdownTable } from './markdown-table.tsx';
import type { MarkdownNode } from './parse-markdown.ts';

interface BlockProps {
  readonly node: MarkdownNode;
  /** Level of the first heading of the text. */
  readonly topLevel: number;
}

/** Renders a block. Anything else is text within one. */
export function BlockNode({ node, topLevel }: BlockProps): ReactNode {
  switch (node.type) {
    case RuleType.paragraph:
      return (
        <p className="whitespace-pre-line">
          <InlineNodes nodes={node.children} />
        </p>
      );
    case RuleType.heading: {
      // Two levels: the page has the first one, and a level must not be skipped.
      const Tag = node.level <= topLevel ? 'h2' : 'h3';
      return (
        <Tag className={Tag === 'h2' ? 'pt-1 text-lg font-semibold' : 'pt-1 font-semibold'}>
          <InlineNodes nodes={node.children} />
        </Tag>
      );
    }
    case RuleType.orderedList:
      return (
        <ol className="list-decimal space-y-1 pl-6" start={node.start ?? 1}>
          <Items items={node.items} topLevel={topLevel} />
        </ol>
      );
    case RuleType.unorderedList:
      return (
        <ul className="list-disc space-y-1 pl-6">
          <Items items={node.items} topLevel={topLevel} />
        </ul>
      );
    case RuleType.blockQuote:
      return (
        <blockquote className="space-y-3 border-l-2 border-line pl-3 text-muted">
          {node.children.map((child, index) => (
            <BlockNode key={index} node={child} topLevel={topLevel} />
          ))}
        </blockquote>
      );
    case RuleType.table:
      return <MarkdownTable table={node} />;
    case RuleType.codeBlock:
      return <CodeBlock text={node.text} language={node.lang ?? ''} />;
    case RuleType.breakThematic:
      return <hr className="border-line" />;
    case RuleType.refCollection:
    case RuleType.footnote:
    case RuleType.ref:
      return null;
    default:
      return <InlineNodes nodes={[node]} />;
  }
}

interface ItemsProps {
  readonly items: readonly (readonly MarkdownNode[])[];
  readonly topLevel: number;
}

function Items({ items, topLevel }: ItemsProps): ReactNode {
  return items.map((nodes, index) => (
    // Items of a list have no identity except their order.
    <li key={index} className="space-y-1 whitespace-pre-line">
      {nodes.map((node, at) => (
        <BlockNode key={at} node={node} topLevel={topLevel} />
      ))}
    </li>
  ));
}
