/** The lines of the log, parsed. */
import { afterEach, beforeEach, vi } from 'vitest'
import { settings } from '../../../lib/settings.ts'
import type { Json } from '../stage/in-process-stage.ts'

/** Those of the test that runs, from level `info`. */
export const useLogLines = (): Json[] => {
  const lines: Json[] = []
  beforeEach(() => {
    settings().LOG_LEVEL = 'info'
    lines.length = 0
    vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)))
  })
  afterEach(() => {
    settings().LOG_LEVEL = 'silent'
    vi.restoreAllMocks()
  })
  return lines
}
