/** Elements of a model's Markdown. HTML in it stays text, and nothing is loaded. */
import { useMemo, type ReactNode } from 'react';
import { RuleType } from 'markdown-to-jsx';
import { BlockNode } from './block-node.tsx';
import { PlainText } from './markdown.tsx';
import { parseMarkdown, type MarkdownNode, safeText } from './parse-markdown.ts';

/** Renders the text. One that exceeds a bound of the parser is shown as it was written. */
export function MarkdownElements({ text }: { readonly text: string }): ReactNode {
  const nodes = useMemo(() => parseMarkdown(text), [text]);
  if (nodes === undefined) return <PlainText text={text} />;
  return (
    <div className="space-y-3 break-words">
      {nodes.map((node, index) => (
        // Nodes of a text have no identity except their order.
        <BlockNode key={index} node={node} topLevel={topLevelOf(nodes)} />
      ))}
      <Footnotes nodes={nodes} />
    </div>
  );
}

/** The highest heading of the text becomes the second level of the page. */
function topLevelOf(nodes: readonly MarkdownNode[]): number {
  const [first] = nodes.filter((node) => node.type === RuleType.heading);
  return first?.level ?? 1;
}

function Footnotes({ nodes }: { readonly nodes: readonly MarkdownNode[] }): ReactNode {
  const refs = nodes.flatMap((node) =>
    node.type === RuleType.refCollection ? Object.entries(node.refs) : [],
  );
  const notes = refs.filter(([name]) => name.startsWith('^'));
  return notes.map(([name, { target }]) => (
    <p key={name} className="text-sm text-muted">
      [{safeText(name.slice(1))}] {safeText(target)}
    </p>
  ));
}
