/** Processor time of this process since it was asked for: a busy machine makes it hardly longer, as it does the time on the clock. */

/**
 * Ms of processor time. What is done at once takes a tenth of it at most, on a busy machine too; with the inputs of the tests, what takes
 * quadratic or exponential time takes more.
 */
export const AT_ONCE = 10_000

/** Starts to count; the function that comes back tells the ms so far. */
export const processorTime = (): (() => number) => {
  const started = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1000
  }
}
