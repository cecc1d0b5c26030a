/** Table of a model's Markdown. A wide one scrolls by itself. */
import type { ReactNode } from 'react';
import type { MarkdownToJSX } from 'markdown-to-jsx';
import { InlineNodes } from './inline-nodes.tsx';

const ALIGN = { left: 'text-left', center: 'text-center', right: 'text-right' } as const;

/** Renders the table. */
export function MarkdownTable({ table }: { readonly table: MarkdownToJSX.TableNode }): ReactNode {
  const { header, cells, align } = table;
  const look = (column: number): string => ALIGN[align[column] ?? 'left'];
  return (
    <div className="panel overflow-x-auto" tabIndex={0} role="group" aria-label="Table">
      <table className="w-full">
        <thead className="bg-sunken text-sm text-muted">
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
