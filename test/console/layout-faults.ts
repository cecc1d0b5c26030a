/** Faults of a page's layout: what scrolls sideways, text over its box, and titles that are cut too short. */
import type { Page } from 'playwright-core';
import { z } from 'zod';

/** Titles that are cut keep this width, in pixels. */
const MIN_TITLE_PX = 160;
const MIN_TEXT_PX = 11;
/** Positions have fractions of a pixel. */
const ROUNDING_PX = 1;

const FIND = `(() => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) faults.push('the page scrolls sideways by ' + (root.scrollWidth - innerWidth));
  const isCut = (element) => element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 2;
  for (const title of document.querySelectorAll('[data-title]')) {
    const { width } = title.getBoundingClientRect();
    if (width > 0 && width < ${MIN_TITLE_PX} && isCut(title)) {
      faults.push('a title has ' + Math.round(width) + ' px: ' + title.textContent.slice(0, 40));
    }
  }
  const boxOf = (element) => {
    let box = element;
    while (/^(?:inline|contents)$/u.test(getComputedStyle(box).display)) box = box.parentElement;
    return box;
  };
  const isClipped = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      if (getComputedStyle(each).overflowX !== 'visible') return true;
    }
    return false;
  };
  const rightOf = (text, parts) => {
    const range = document.createRange();
    let right = -Infinity;
    for (const { index, 0: part } of text.data.matchAll(parts)) {
      range.setStart(text, index);
      range.setEnd(text, index + part.length);
      for (const rect of range.getClientRects()) right = Math.max(right, rect.right);
    }
    return right;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const parent = text.parentElement;
    if (text.data.trim() === '' || !parent.checkVisibility() || /^(?:SCRIPT|STYLE|OPTION|TEXTAREA)$/u.test(parent.tagName)) continue;
    const box = boxOf(parent);
    // Spaces at the end of a line hang over it, and are invisible. Only words are measured.
    const isKept = getComputedStyle(box).whiteSpaceCollapse === 'preserve';
    const right = rightOf(text, isKept ? /\\S+/gu : /[^]+/gu);
    const limit = box.getBoundingClientRect().right + ${ROUNDING_PX};
    if (right > limit && !isClipped(box)) {
      faults.push('text is ' + Math.round(right - limit) + ' px over its box: ' + text.data.trim().slice(0, 40));
    }
    if (parseFloat(getComputedStyle(parent).fontSize) < ${MIN_TEXT_PX}) faults.push('text is too small: ' + text.data.slice(0, 40));
  }
  return faults;
})()`;
const found = z.array(z.string());

/** Returns one sentence per fault of the current page. */
export async function layoutFaultsOf(page: Page): Promise<readonly string[]> {
  return found.parse(await page.evaluate(FIND));
}
