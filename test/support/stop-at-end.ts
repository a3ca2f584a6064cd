/** Stops whatever a test file has started after its last test. */
import { afterAll } from 'vitest'

const started: { stop(): unknown }[] = []

// This module is a new one for each test file (each-file.ts).
afterAll(async () => {
  for (const one of started.toReversed()) await one.stop()
})

/** Resolves to the started object, which is stopped at the end, in reverse order of the starts. */
export const stopAtEnd = async <T extends { stop(): unknown }>(starting: Promise<T>): Promise<T> => {
  const one = await starting
  started.push(one)
  return one
}
