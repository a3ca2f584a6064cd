/** Headless Chromium for tests of pages: Debian's or the one that CHROMIUM names; without one such tests are skipped, and say so. */
import { accessSync, constants } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { describe } from 'vitest'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const { CHROMIUM } = process.env
const executablePath = [...(CHROMIUM ? [CHROMIUM] : PLACES)].find(isThere)

/** Tests in a browser; skipped without one, unless CHROMIUM names it. */
export const describeInBrowser = (name: string, tests: () => void): void => {
  if (executablePath === undefined && CHROMIUM) throw new Error(`CHROMIUM: there is no program at ${CHROMIUM}`)
  if (executablePath === undefined) describe.skip(`${name} (skipped: no Chromium at ${PLACES.join(', ')})`, tests)
  else describe(name, tests)
}

/** Without a sandbox, which root has none of; the pages are our own. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: ['--no-sandbox'] })
