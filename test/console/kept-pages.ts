/**
 * Kept pages: the contexts of each browser, and the pages of the console that the next test of a file gets. A load takes
 * a fifth of a second of processor time, a sign-in of a loaded page a third of it.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** Contexts of each browser, oldest first, and those of them that pages are open in. */
const contextsOf = new WeakMap<
  Browser,
  { readonly all: BrowserContext[]; readonly used: Set<BrowserContext> }
>();

/** A page that has loaded the console. */
interface Loaded {
  readonly url: string;
  /** A page of a test with a broken request is not kept: the request could be repeated in the next test. */
  readonly faults: readonly string[];
}

const loadedPages = new WeakMap<Page, Loaded>();

/** Lets `leavePages()` keep the page. */
export function keepLoaded(page: Page, loaded: Loaded): void {
  loadedPages.set(page, loaded);
}

/** Returns a page that `leavePages()` kept for the console at `url`. */
export function takeLoadedPage(browser: Browser, url: string): Page | undefined {
  const { all, used } = contextsOf.get(browser) ?? { all: [], used: new Set() };
  const context = all.find((each) => !used.has(each));
  const page = context?.pages()[1];
  if (context === undefined || page === undefined || loadedPages.get(page)?.url !== url) return undefined;
  used.add(context);
  return page;
}

/**
 * Opens a page in a context without a session, for the console at `url`, or for pages of another origin: their
 * storage is not cleared.
 */
export async function openPage(
  browser: Browser,
  url?: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await takeContext(browser, options);
  // A page that stays keeps the process of the others.
  const [kept = await context.newPage()] = context.pages();
  if (url !== undefined && !kept.url().startsWith(`${url}/`)) await kept.goto(`${url}/healthz`);
  return context.newPage();
}

/** The oldest free context: a second one has seldom been used, and would load and compile everything. */
async function takeContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const contexts = contextsOf.get(browser) ?? { all: [], used: new Set() };
  contextsOf.set(browser, contexts);
  const { all, used } = contexts;
  const isPlain = Object.keys(options).length === 0;
  const free = isPlain ? all.find((each) => !used.has(each)) : undefined;
  if (free !== undefined) {
    used.add(free);
    return free;
  }
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  if (!isPlain) return context;
  all.push(context);
  used.add(context);
  context.once('close', () => {
    used.delete(context);
    all.splice(all.indexOf(context), 1);
  });
  return context;
}

/** Events that tests listen to. */
const HEARD = ['pageerror', 'console', 'request', 'response', 'requestfinished', 'requestfailed'] as const;
/** The status of a response is no broken request. */
const STATUS_ONLY = /^Failed to load resource: the server responded with a status of 4/u;
/**
 * Ends the session inside the page, as another tab would, and forgets what the browser stores. True if the page then asks
 * how to sign in, with nothing of the test before.
 */
const SIGN_OUT = `(async () => {
  // A page without a session cannot sign out.
  const isOther = ['/docs', '/shared'].includes(location.pathname);
  if (isOther || document.querySelector('aside[aria-label="Link"]') !== null) return false;
  localStorage.clear();
  sessionStorage.clear();
  delete document.documentElement.dataset.theme;
  dispatchEvent(new StorageEvent('storage'));
  const isOut = () => document.querySelector('#token') !== null;
  for (let tries = 0; tries < 50 && !isOut(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 4));
  history.pushState(null, '', '/');
  return isOut();
})()`;

/** Closes the pages of a test, but one of each context, which the next `watchPage()` gets: signed out, and without storage. */
export async function leavePages(browser: Browser): Promise<void> {
  for (const context of contextsOf.get(browser)?.used ?? []) {
    const [, ...pages] = context.pages();
    const kept = pages.find((page) => isWhole(page));
    if (kept === undefined) continue;
    for (const event of HEARD) kept.removeAllListeners(event);
    await kept.unrouteAll();
    // A page that is loading has no answer.
    const isKept = await kept.evaluate(SIGN_OUT).catch(() => false);
    if (isKept !== true) loadedPages.delete(kept);
  }
  await closeOthers(browser, isWhole);
}

function isWhole(page: Page): boolean {
  const loaded = loadedPages.get(page);
  return (
    loaded !== undefined &&
    page.url().startsWith(`${loaded.url}/`) &&
    loaded.faults.every((fault) => STATUS_ONLY.test(fault))
  );
}

/** Closes all pages of `watchPage()`, and leaves nothing of them for the next test. */
export async function closePages(browser: Browser): Promise<void> {
  await closeOthers(browser, () => false);
}

async function closeOthers(browser: Browser, isKept: (page: Page) => boolean): Promise<void> {
  const { all, used } = contextsOf.get(browser) ?? { all: [], used: new Set<BrowserContext>() };
  for (const context of new Set([...all, ...used])) {
    const [first, ...pages] = context.pages();
    const stays = pages.find((page) => isKept(page));
    await Promise.all(pages.filter((page) => page !== stays).map((page) => page.close()));
    if (!used.has(context)) continue;
    await context.setOffline(false);
    await context.unrouteAll();
    await context.clearPermissions();
    await context.clearCookies();
    if (first?.url() !== 'about:blank') await first?.evaluate('localStorage.clear()');
    used.delete(context);
  }
}
