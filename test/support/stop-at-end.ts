/** What a test file has started is stopped after its last test. */
import { afterAll } from 'vitest'

const started: { stop(): unknown }[] = []

// This module is a new one for each test file (each-file.ts).
afterAll(async () => {
  for (const one of started.toReversed()) await one.stop()
})

/** Resolves to what was started, which is stopped at the end: what was started last first. */
export const stopAtEnd = async <T extends { stop(): unknown }>(starting: Promise<T>): Promise<T> => {
  const one = await starting
  started.push(one)
  return one
}
