/** Screenshots of daily work: the deletion of chosen chats, variables of a kept question, versions of a schema. */
import type { Page } from 'playwright-core';
import { z } from 'zod';
import type { ConsoleServer } from './console-fixture.ts';

/** Transitions last up to 420 ms. */
const SETTLED_MS = 700;
/** Its answers are refused. */
export const VERSION_QUESTION = 'Which line?';
const VERSIONS = [
  { file: { type: 'string' }, line: { type: 'number' } },
  { file: { type: 'string', description: 'Path from the root.' }, line: { type: 'integer', minimum: 1 } },
];
const created = z.object({ chat: z.object({ id: z.string() }), request_id: z.string() });
const read = z.object({ schema_hash: z.string() });

/** Takes the pictures on a server with the model `local:scripted`. The page is signed in. */
export async function shootWork(
  page: Page,
  server: ConsoleServer,
  shoot: (page: Page, name: string) => Promise<unknown>,
): Promise<void> {
  const { url } = server;
  let hash = '';
  for (const properties of VERSIONS) hash = await askFor(server, properties);
  await page.goto(`${url}/schemas/${hash}`);
  await page.getByRole('region', { name: 'Changes' }).waitFor();
  await page.waitForTimeout(SETTLED_MS);
  await shoot(page, 'schema-versions');
  await page.goto(`${url}/ask`);
  await page
    .getByRole('textbox', { name: 'Question', exact: true })
    .fill('Which line of {{file}} has {{bug}}?');
  await page.getByRole('button', { name: 'Kept questions' }).press('Enter');
  const library = page.getByRole('dialog', { name: 'Kept questions' });
  await library.getByLabel('Keep the question of the form as').fill('Line of a bug');
  await page.keyboard.press('Enter');
  await library.getByRole('button', { name: 'Replace' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('group', { name: 'Variables of the question' }).waitFor();
  await page.waitForTimeout(SETTLED_MS);
  await shoot(page, 'question-variables');
  await page.goto(`${url}/chats`);
  // A narrow list has no box for all rows.
  const boxes = page.getByRole('checkbox', { name: `Select ${VERSION_QUESTION}` });
  await boxes.first().waitFor();
  for (const box of await boxes.all()) await box.press('Space');
  await shoot(page, 'chosen-chats');
  await page.getByRole('button', { name: /^Delete \d+ chats$/u }).press('Enter');
  await page.getByRole('dialog', { name: 'Delete chats' }).waitFor();
  await page.waitForTimeout(SETTLED_MS);
  await shoot(page, 'delete-chats');
}

/** Asks for a value of a schema named `bug`. Returns the hash of the schema when the request has ended. */
async function askFor({ url, token }: ConsoleServer, properties: object): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  const response_format = { type: 'json_schema', json_schema: { name: 'bug', schema } };
  const body = JSON.stringify({ content: VERSION_QUESTION, model: 'local:scripted', response_format });
  const response = await fetch(`${url}/api/chats`, { method: 'POST', headers, body });
  const { chat, request_id: id } = created.parse(await response.json());
  const ended = await fetch(`${url}/api/chats/${chat.id}/requests/${id}?wait=30`, { headers });
  return read.parse(await ended.json()).schema_hash;
}
