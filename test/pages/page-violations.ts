/** What is wrong with a page for people who use a screen reader or a keyboard, or who see little: axe-core's findings. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Rules that the page breaks, each with the elements that break it. */
export const violationsOf = async (page: Page): Promise<Record<string, string[]>> => {
  // The page's policy forbids scripts that are not its own; the browser's own tools are not bound by it.
  await page.evaluate(axe.source)
  const found = await page.evaluate('axe.run()')
  const { violations } = found as { violations: { id: string; nodes: { target: unknown[] }[] }[] }
  return Object.fromEntries(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' '))]))
}
