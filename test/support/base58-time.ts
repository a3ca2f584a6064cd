/** The cost of base58, as a unit of time that does not depend on the machine's speed. */
import { TypedArrayEncoder } from '@credo-ts/core'
import { processorTime } from './processor-time.ts'

/** Ms of processor time in which Credo decodes 20,000 digits, now and on this machine: a sixteenth of what 80,000 take. */
export const base58Time = (): number => {
  const spent = processorTime()
  TypedArrayEncoder.fromBase58('z'.repeat(20_000))
  return spent()
}
