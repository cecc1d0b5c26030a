/** Text of a model's Markdown: emphasis, code, links with their host, and names of images. */
import { Fragment, type ReactNode } from 'react';
import { RuleType } from 'markdown-to-jsx';
import { type MarkdownNode, safeAddress, safeText } from './parse-markdown.ts';

/** Renders the nodes in order. */
export function InlineNodes({ nodes }: { readonly nodes: readonly MarkdownNode[] }): ReactNode {
  return nodes.map((node, index) => (
    // Nodes of a text have no identity except their order.
    <Fragment key={index}>
      <InlineNode node={node} />
    </Fragment>
  ));
}

const TAGS: Readonly<Record<string, 'strong' | 'em' | 'del'>> = { strong: 'strong', em: 'em', del: 'del' };

function InlineNode({ node }: { readonly node: MarkdownNode }): ReactNode {
  switch (node.type) {
    case RuleType.text:
      return safeText(node.text);
    case RuleType.textFormatted: {
      const Tag = TAGS[node.tag] ?? 'span';
      return (
        <Tag>
          <InlineNodes nodes={node.children} />
        </Tag>
      );
    }
    case RuleType.codeInline:
      return <code className="rounded-sm bg-well px-1">{safeText(node.text)}</code>;
    case RuleType.breakLine:
      return <br />;
    case RuleType.gfmTask:
      return node.completed ? '☑' : '☐';
    case RuleType.link:
      return <SafeLink target={node.target} nodes={node.children} />;
    case RuleType.image:
      return <ImageName target={node.target} alt={node.alt ?? ''} />;
    case RuleType.footnoteReference:
      return `[${safeText(node.text)}]`;
    default:
      return 'children' in node && node.children !== undefined ? <InlineNodes nodes={node.children} /> : null;
  }
}

interface LinkProps {
  readonly target: string | null;
  readonly nodes: readonly MarkdownNode[];
}

/** A link shows where it leads, unless its text is its address. Other addresses are no links. */
function SafeLink({ target, nodes }: LinkProps): ReactNode {
  const address = safeAddress(target);
  const label = <InlineNodes nodes={nodes} />;
  if (address === undefined) return label;
  const [only] = nodes;
  const isShown = nodes.length === 1 && only?.type === RuleType.text && only.text === target;
  return (
    <>
      <a
        href={address.href}
        target="_blank"
        rel="noreferrer noopener"
        className="text-accent-ink underline"
        title={address.href}
      >
        <bdi>{label}</bdi>
      </a>
      {!isShown && <bdi className="text-sm text-muted"> ({address.host})</bdi>}
    </>
  );
}

/** An image is never loaded: its address could carry what a prompt told the model to send. */
function ImageName({ target, alt }: { readonly target: string | null; readonly alt: string }): ReactNode {
  const host = safeAddress(target)?.host;
  const name = alt === '' ? 'without a name' : safeText(alt);
  return (
    <span className="rounded-sm border border-dashed border-line px-1 text-sm text-muted">
      Image not loaded: <bdi>{name}</bdi>
      {host !== undefined && <bdi> ({host})</bdi>}
    </span>
  );
}
