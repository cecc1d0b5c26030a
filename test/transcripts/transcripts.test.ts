/** Tests that each recorded stream has a known origin and an expected result. */
import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { NPM_AGENTS, type AgentEntry } from '../../packages/truecast/src/agents/registry/agents.ts';
import type { AgentEvent, StreamAgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { printEvents, readTranscript } from './print-events.ts';

/** Each agent whose CLI the tests install has a folder of recordings. */
const AGENTS: Readonly<Record<string, AgentEntry>> = NPM_AGENTS;

const manifest = z
  .object({
    transcripts: z.array(
      z.strictObject({
        file: z.string(),
        source: z.string(),
        date: z.iso.date(),
        cli: z.string(),
        version: z.string(),
        case: z.string(),
        regenerate: z.string(),
      }),
    ),
  })
  .parse(JSON.parse(await readFile(new URL('manifest.json', import.meta.url), 'utf8')));

const files = manifest.transcripts.map(({ file }) => file);
const EXPECTED_ENDINGS = ['.jsonl', '.events.json'];

test('the manifest lists each transcript once, and no other', async () => {
  const recorded = await Promise.all(
    Object.keys(AGENTS).map(async (folder) => {
      const names = await readdir(new URL(folder, import.meta.url));
      return names.filter((name) => name.endsWith('.jsonl')).map((name) => `${folder}/${name}`);
    }),
  );
  expect(files.toSorted()).toEqual(recorded.flat().toSorted());
});

test('each expectation has its transcript', async () => {
  for (const folder of Object.keys(AGENTS)) {
    const names = await readdir(new URL(folder, import.meta.url));
    const expected = names.filter((name) => name.endsWith('.events.json'));
    expect(names.every((name) => EXPECTED_ENDINGS.some((ending) => name.endsWith(ending)))).toBe(true);
    expect(expected.map((name) => name.replace('.events.json', '.jsonl')).every((name) => names.includes(name))).toBe(true);
  }
});

test.each(files)('%s is read as the events beside it', async (file) => {
  const { text, agent } = await open(file);
  await expect(printEvents(readTranscript(agent, text))).toMatchFileSnapshot(
    new URL(file.replace('.jsonl', '.events.json'), import.meta.url).pathname,
  );
});

test.each(files)('%s is read alike, one character at a time', async (file) => {
  const { text, agent } = await open(file);
  // A new provider each time: codex() remembers the earlier usage of a thread.
  const parser = (await open(file)).agent.createStreamParser();
  const events: AgentEvent[] = [];
  for (let at = 0; at < text.length; at += 1) events.push(...parser.push(text.charAt(at)));
  expect([...events, ...parser.end()]).toEqual(readTranscript(agent, text));
});

async function open(file: string): Promise<{ readonly text: string; readonly agent: StreamAgentProvider }> {
  const [folder = ''] = file.split('/');
  const make = AGENTS[folder]?.make;
  expect(make).toBeDefined();
  return { text: await readFile(new URL(file, import.meta.url), 'utf8'), agent: make!() };
}
