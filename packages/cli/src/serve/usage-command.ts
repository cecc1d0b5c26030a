/** `truecast usage`: prints the use of an owner's quotas. */
import { requestUsage } from '@truecast/client/internal/request-usage';
import type { UsageView } from '@truecast/client/internal/wire/account';
import { renderTable } from '../terminal/render-table.ts';
import { printResult, printText, type Terminal, columnsFor } from '../terminal/print.ts';
import { explained, selectServer, type ConnectFlags } from './connect-server.ts';

export interface UsageFlags extends ConnectFlags {
  readonly json?: boolean;
}

/** Prints the use and the limits, of the token's owner or of `owner`. */
export async function usageCommand(
  owner: string | undefined,
  flags: UsageFlags,
  terminal: Terminal,
): Promise<void> {
  const usage = await explained(requestUsage(await selectServer(flags), owner));
  if (flags.json === true) return printResult(usage, terminal);
  const layout = { rightAligned: [1, 2], columns: columnsFor(terminal.stdout) };
  printText(`${headOf(usage)}\n\n${renderTable([HEAD, ...toRows(usage)], layout)}\n`, terminal);
}

const HEAD = ['quota', 'used', 'limit'];

function headOf({ owner, period }: UsageView): string {
  if (period === undefined) return `${owner}: no quota, so turns, tokens and cost are not counted.`;
  const { name, resets_at: resetsAt } = period;
  return `${owner}: this ${name}, until ${resetsAt.slice(0, 16).replace('T', ' ')} UTC.`;
}

function toRows({ period, limits, chats, concurrent_turns: concurrentTurns }: UsageView): string[][] {
  const ofPeriod =
    period === undefined
      ? []
      : [
          ['turns', countText(period.turns), countText(limits.turns)],
          ['tokens', countText(period.tokens), countText(limits.tokens)],
          ['cost (USD)', costText(period.cost_usd), costText(limits.cost_usd)],
        ];
  return [
    ...ofPeriod,
    ['chats', countText(chats), countText(limits.chats)],
    ['concurrent turns', countText(concurrentTurns), countText(limits.concurrent_turns)],
  ];
}

function countText(count: number | undefined): string {
  return count === undefined ? 'none' : count.toLocaleString('en-US');
}

function costText(cost: number | undefined): string {
  return cost === undefined ? 'none' : cost.toFixed(cost < 1 ? 4 : 2);
}
