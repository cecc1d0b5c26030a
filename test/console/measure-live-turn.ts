/**
 * Time of frames while 10,000 events of one turn arrive (`npm run bench:console`), of a chat or, with the argument
 * `run`, of an agent's run: fails if the 95th percentile exceeds 34 ms, or if a task takes more than 100 ms of
 * processor time. Run it on an idle machine: other programs delay frames. They do not change the processor time of
 * tasks.
 */
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { startConsole, watchPage } from './console-fixture.ts';
import { startBrowser } from './shared-browser.ts';
import { FED_CHAT, FED_RUN, startEventFeed } from './event-feed.ts';

const EVENTS = 10_000;
const DURATION_MS = 8_000;
const MAX_P95_MS = 34;
const MAX_TASK_MS = 100;
const MAX_ROWS = 200;

const OBSERVE = `globalThis.frames_ms = [];
let last = performance.now();
requestAnimationFrame(function next(now) { frames_ms.push(now - last); last = now; requestAnimationFrame(next); });`;

await using server = await startConsole(join(import.meta.dirname, '../..'));
await using feed = await startEventFeed({ server, events: EVENTS, durationMs: DURATION_MS });
const browser = await startBrowser();
const { page, faults } = await watchPage(browser, feed);
await page.addInitScript(OBSERVE);
await page.goto(await feed.newLink());
await page.waitForSelector('#question');
await page.goto(`${feed.url}${process.argv[2] === 'run' ? `/runs/${FED_RUN}` : `/chats/${FED_CHAT}`}`);
await page.waitForSelector('[data-state=draft]');
const session = await page.context().newCDPSession(page);
await session.send('Performance.enable', { timeDomain: 'threadTicks' });
const tracePath = join(tmpdir(), `truecast-live-turn-${process.pid}.json`);
await browser.startTracing(page, { path: tracePath, categories: ['toplevel', '__metadata'] });
await page.evaluate('frames_ms.length = 0');
// The last of its items are not drawn.
await page
  .locator('[data-state=draft]')
  .getByText(`list of text · ${EVENTS / 50}`)
  .waitFor({ timeout: 60_000 });
const { metrics } = await session.send('Performance.getMetrics');
const seconds = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0;
const frames = z
  .array(z.number())
  .parse(await page.evaluate('frames_ms'))
  .sort((a, b) => a - b);
await browser.stopTracing();
const longestTaskMs = longestTask(tracePath);
rmSync(tracePath);
const rows = await page.locator('[data-state] [role=treeitem]').count();
await browser.close();

const at = (share: number): number => frames[Math.floor(frames.length * share)] ?? Infinity;
process.stdout.write(
  `${EVENTS} events, ${frames.length} frames: p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, longest ${at(0.9999).toFixed(1)} ms, longest task ${longestTaskMs.toFixed(1)} ms, ${rows} rows, ${faults.length} faults, script ${seconds('ScriptDuration').toFixed(1)} s, layout ${seconds('LayoutDuration').toFixed(1)} s\n`,
);
for (const fault of faults) process.stderr.write(`${fault}\n`);
const isSlow = at(0.95) > MAX_P95_MS || longestTaskMs > MAX_TASK_MS;
if (isSlow || rows > MAX_ROWS || faults.length > 0) process.exitCode = 1;

/** Processor time of the longest task on a renderer's main thread. */
function longestTask(path: string): number {
  const event = z.object({
    name: z.string(),
    pid: z.number(),
    tid: z.number(),
    tdur: z.number().optional(),
    args: z.object({ name: z.string().optional() }).optional(),
  });
  const { traceEvents } = z
    .object({ traceEvents: z.array(event) })
    .parse(JSON.parse(readFileSync(path, 'utf8')));
  const keyOf = ({ pid, tid }: z.infer<typeof event>): string => `${pid} ${tid}`;
  const named = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  );
  const threads = new Set(named.map(keyOf));
  const tasks = traceEvents.filter((each) => each.name.endsWith('RunTask') && threads.has(keyOf(each)));
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}
