/**
 * Browser start: opens a link through a private file, because other users can read a program's
 * arguments.
 */
import { startDetached } from '../../process/start-detached.ts';
import { writePrivateFile } from './server-file.ts';

const FILE_NAME = 'open.html';
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens the link in the user's browser. Calls `onFailure` if no browser starts. */
export async function openBrowser(link: string, onFailure: () => void): Promise<void> {
  // The URL parser encodes quotes and angle brackets.
  const { href } = new URL(link);
  const page = `<!doctype html><meta charset="utf-8"><title>Truecast</title>
<meta http-equiv="refresh" content="0;url=${href}"><a href="${href}">Open Truecast</a>\n`;
  const file = await writePrivateFile(FILE_NAME, page);
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  startDetached(program, [...args, file], onFailure);
}
