/** Reader of a run's tools, before anything is created. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { readTools, type ReadyTools, type ToolTaker } from '@truecast/model/internal/tools/read-tools';
import type { RunOptions } from '../options/run-options.ts';

const RUN: ToolTaker = {
  name: '`run()`',
  observeBy: 'Iterate the run, whose event `host-tool` reports each call.',
};

/**
 * Returns the tools, or undefined without any.
 *
 * @throws UsageError that names the tool and the member
 */
export async function readHostTools(tools: RunOptions['tools'] = {}): Promise<ReadyTools | undefined> {
  const ready = await readTools(tools, RUN);
  for (const { name, inputSchema } of ready.values()) assertObject(name, inputSchema);
  return ready.size === 0 ? undefined : ready;
}

/** The protocol allows no other input. Without a type, an object can fit. */
function assertObject(name: string, { type }: Readonly<Record<string, unknown>>): void {
  if (type === undefined || type === 'object') return;
  throw new UsageError(
    `Expected \`tools.${name}.inputSchema\` to describe an object, got the type ${describeValue(type)}. Wrap it in an object.`,
    { code: 'unsupported' },
  );
}
