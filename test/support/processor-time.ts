/** Processor time of this process since a start: unlike the time on the clock, it hardly grows on a busy machine. */

/**
 * Ms of processor time. Linear work takes a tenth of it at most, on a busy machine too; with the inputs of the tests, work of
 * quadratic or exponential time takes more.
 */
export const MAX_LINEAR_MS = 10_000

/** Starts to count; the returned function gives the ms so far. */
export const processorTime = (): (() => number) => {
  const started = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1000
  }
}
