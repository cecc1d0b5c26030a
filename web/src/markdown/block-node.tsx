/** Blocks of a model's Markdown: paragraphs, headings, lists, quotes, tables and code. */
import type { ReactNode } from 'react';
import { RuleType, type MarkdownToJSX } from 'markdown-to-jsx';
import { InlineNodes } from './inline-nodes.tsx';
import { type MarkdownNode, safeText } from './parse-markdown.ts';
import { CopyButton } from '../parts/code/copy-button.tsx';

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

interface CodeProps {
  readonly text: string;
  /** As the model names it. Empty without a name. */
  readonly language: string;
}

/** Renders the block. The copied text is the shown one. */
function CodeBlock({ text, language }: CodeProps): ReactNode {
  const code = safeText(text);
  const name = safeText(language).slice(0, 40);
  return (
    <div className="overflow-hidden rounded-md border border-line bg-well">
      <div className="flex items-center justify-between border-b border-line pr-1 pl-3 text-sm text-muted">
        <span>{name === '' ? 'Code' : name}</span>
        <CopyButton text={code} />
      </div>
      <pre
        className="max-h-[420px] overflow-auto p-3"
        tabIndex={0}
        role="group"
        aria-label={name === '' ? 'Code' : `Code, ${name}`}
      >
        <code>{code}</code>
      </pre>
    </div>
  );
}

const ALIGN = { left: 'text-left', center: 'text-center', right: 'text-right' } as const;

function MarkdownTable({ table }: { readonly table: MarkdownToJSX.TableNode }): ReactNode {
  const { header, cells, align } = table;
  const look = (column: number): string => ALIGN[align[column] ?? 'left'];
  return (
    <div className="panel overflow-x-auto" tabIndex={0} role="group" aria-label="Table">
      <table className="w-full">
        <thead className="bg-well text-sm text-muted">
          <tr className="*:px-3 *:py-1.5 *:font-medium">
            {header.map((nodes, column) => (
              <th key={column} scope="col" className={look(column)}>
                <InlineNodes nodes={nodes} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {cells.map((row, index) => (
            // Rows and columns have no identity except their order.
            <tr key={index} className="*:px-3 *:py-1.5 *:align-top">
              {row.map((nodes, column) => (
                <td key={column} className={look(column)}>
                  <InlineNodes nodes={nodes} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
